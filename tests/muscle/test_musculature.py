"""Lengths, velocities and moment arms: by hand on a tiny limb, and equal to OpenSim's on gait2392."""

import math

import numpy as np
import pytest
import torch
from tiny_osim import tiny_file, tiny_text

from lactic.errors import InputError
from lactic.muscle.musculature import LEG, Musculature, leg
from lactic.muscle.osim import read_osim

NEAR = 1e-9
DEFAULT_POSE = {  # OpenSim 4.6: length, then moment arms over LEG, metres
    "glut_max2": (0.209506947672, -0.055652780752, -0.011164889834, -0.021792493757, 0, 0),
    "psoas": (0.260945467432, 0.038529715162, 0.002769685991, 0.002975235014, 0, 0),
    "rect_fem": (0.410323748864, 0.042520797209, -0.012269160819, -0.001715347918, 0.049719614136, 0),
    "bifemlh": (0.420196561022, -0.056746566512, 0.017939286210, -0.005304859633, -0.027522201663, 0),
    "vas_lat": (0.200184877135, 0, 0, 0, 0.042781821724, 0),
    "med_gas": (0.450707230925, 0, 0, 0, -0.021423897862, -0.046282305730),
    "soleus": (0.291397957783, 0, 0, 0, 0, -0.045345468417),
    "tib_ant": (0.303785076099, 0, 0, 0, 0, 0.041995747621),
}


def poses(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)[:, None]


@pytest.fixture(params=[True, False], ids=["4.x", "2.x"])
def tiny(tmp_path, request) -> Musculature:
    return Musculature(read_osim(tiny_file(tmp_path, request.param)), ["angle"])


def random_poses(count: int, seed: int = 0) -> np.ndarray:
    low, high = np.array([-0.9, -0.6, -0.6, -2.1, -0.9]), np.array([2.0, 0.6, 0.6, 0.1, 0.9])
    return low + (high - low) * np.random.default_rng(seed).random((count, 5))


def test_a_straight_muscle_by_hand(tiny):
    q = poses(-0.7, 0.0, 0.4, 1.5)
    lengths, arms = tiny.arms(q)
    expected = (0.2**2 + 0.3**2 + 2 * 0.2 * 0.3 * q[:, 0].sin()).sqrt()
    assert torch.allclose(lengths[:, 0], expected, atol=1e-15)
    assert torch.allclose(arms[:, 0, 0], -0.2 * 0.3 * q[:, 0].cos() / expected, atol=1e-15)


def test_a_conditional_point_counts_only_in_its_range(tiny):
    lengths, arms = tiny.arms(poses(-0.5, 0.5, 1.5))
    assert lengths[[0, 2], 1].tolist() == lengths[[0, 2], 0].tolist()
    assert arms[[0, 2], 0, 1].tolist() == arms[[0, 2], 0, 0].tolist()
    second = math.hypot(0.3 * math.sin(0.5), 0.1 + 0.3 * math.cos(0.5))
    assert lengths[1, 1].item() == pytest.approx(math.hypot(0.2, 0.1) + second)
    assert arms[1, 0, 1].item() == pytest.approx(0.1 * 0.3 * math.sin(0.5) / second)


def test_a_leading_conditional_point_falls_to_the_next(tmp_path):
    path = tmp_path / "lead.osim"
    text = tiny_text().replace("ConditionalPathPoint", "Swap").replace('<PathPoint name="P1">', "<Lead>")
    start = text.index("<Lead>", text.index('"bent"'))
    end = text.index("</PathPoint>", start) + len("</PathPoint>")
    text = text[:start] + text[end:]
    path.write_text(text.replace("<Lead>", '<PathPoint name="P1">').replace("Swap", "ConditionalPathPoint"))
    limb = Musculature(read_osim(path), ["angle"])
    lengths, arms = limb.arms(poses(0.5, 1.5))
    assert lengths[1, 1].item() == 0.0 and arms[1, 0, 1].item() == 0.0
    assert lengths[0, 1].item() == pytest.approx(math.hypot(0.3 * math.sin(0.5), 0.1 + 0.3 * math.cos(0.5)))


def test_a_moving_point_by_hand(tiny):
    q = torch.tensor([[-0.9], [0.3], [1.2]], dtype=torch.float64)
    angle = q[:, 0]
    x = 0.1 * angle * angle.cos() + 0.3 * angle.sin() + 0.2
    y = 0.1 * angle * angle.sin() - 0.3 * angle.cos()
    assert torch.allclose(tiny.lengths(q)[:, 2], (x**2 + y**2 + angle**6).sqrt(), atol=1e-14)


def test_moment_arms_are_the_slope_and_velocity_follows(gait):
    limb, q = leg(gait), torch.from_numpy(random_poses(30))
    qd = torch.from_numpy(np.random.default_rng(1).normal(size=q.shape))
    _, velocities, arms = limb.state(q, qd)
    step = 1e-6
    smooth = torch.ones(len(q), dtype=torch.bool)
    for i in range(5):
        aside = torch.zeros(5, dtype=torch.float64)
        aside[i] = step
        slope = (limb.lengths(q + aside) - limb.lengths(q - aside)) / (2 * step)
        smooth &= (slope.abs() < 0.5).all(1)  # no conditional point came or went within the step
        assert torch.allclose(-arms[smooth, i], slope[smooth], atol=1e-8)
    assert smooth.sum() >= 28
    along = (limb.lengths(q + step * qd) - limb.lengths(q - step * qd)) / (2 * step)
    assert torch.allclose(velocities[smooth], along[smooth], atol=1e-7)


def test_gradients_are_finite_where_points_vanish(gait):
    q = torch.from_numpy(random_poses(50)).requires_grad_()
    leg(gait).lengths(q).sum().backward()
    assert torch.isfinite(q.grad).all()


@pytest.mark.parametrize("side", ["r", "l"])
def test_default_pose_of_gait2392(gait, side):
    limb = leg(gait, side)
    assert len(limb.muscles) == 43
    lengths, arms = limb.arms(torch.zeros(1, 5, dtype=torch.float64))
    for name, expected in DEFAULT_POSE.items():
        j = limb.names.index(f"{name}_{side}")
        found = [lengths[0, j].item(), *arms[0, :, j].tolist()]
        assert found == pytest.approx(expected, abs=NEAR), name


def test_mirrored_legs_have_the_same_numbers(gait):
    q = torch.from_numpy(random_poses(100))
    (length_r, arm_r), (length_l, arm_l) = leg(gait, "r").arms(q), leg(gait, "l").arms(q)
    assert torch.allclose(length_r, length_l, atol=NEAR, rtol=0)
    assert torch.allclose(arm_r, arm_l, atol=NEAR, rtol=0)


def test_the_three_variants_of_gait2392_agree(gait, shared_data):
    q = torch.from_numpy(random_poses(20))
    for name in ("simbody_lrle", "millard2012muscle"):
        other = leg(read_osim(shared_data / "osim" / f"gait2392_{name}.osim")).arms(q)
        for a, b in zip(leg(gait).arms(q), other, strict=True):
            assert torch.allclose(a, b, atol=NEAR, rtol=0), name


def test_what_cannot_be_asked(tiny, gait, tmp_path):
    with pytest.raises(InputError, match="no coordinate elbow"):
        Musculature(gait, ["elbow"])
    with pytest.raises(InputError, match="no muscle crosses mtp_angle_r, pelvis_tilt"):
        Musculature(
            read_osim(_without(gait.file, tmp_path, "ext_hal_r", "flex_hal_r", "ext_dig_r", "flex_dig_r")),
            ["mtp_angle_r", "pelvis_tilt"],
        )
    with pytest.raises(InputError, match="side 'left'"):
        leg(gait, "left")


def _without(file, folder, *names):
    """A copy of a model with some muscles disabled."""
    text = file.read_text()
    for name in names:
        start = text.index(f'<Thelen2003Muscle name="{name}"')
        text = text[:start] + text[start:].replace("<appliesForce>true", "<appliesForce>false", 1)
    (folder / "less.osim").write_text(text)
    return folder / "less.osim"


def test_equal_to_opensim_on_200_random_poses(gait):
    opensim = pytest.importorskip("opensim", reason="the opensim wheel (the oracle) is not installed")
    opensim.Logger.setLevelString("Off")
    model = opensim.Model(str(gait.file))
    state = model.initSystem()
    coordinates = model.updCoordinateSet()
    limb, q = leg(gait), random_poses(200, seed=3)
    qd = np.random.default_rng(4).uniform(-5, 5, q.shape)
    lengths, velocities, arms = (x.numpy() for x in limb.state(torch.from_numpy(q), torch.from_numpy(qd)))
    paths = [model.getMuscles().get(name).getGeometryPath() for name in limb.names]
    axes = [coordinates.get(name) for name in limb.coordinates]
    for i in range(len(q)):
        for axis, angle, speed in zip(axes, q[i], qd[i], strict=True):
            axis.setValue(state, float(angle), False)
            axis.setSpeedValue(state, float(speed))
        model.realizeVelocity(state)
        assert lengths[i] == pytest.approx([path.getLength(state) for path in paths], abs=NEAR)
        assert velocities[i] == pytest.approx([path.getLengtheningSpeed(state) for path in paths], abs=NEAR)
        theirs = [[path.computeMomentArm(state, axis) for path in paths] for axis in axes]
        assert np.abs(arms[i] - theirs).max() < NEAR


def test_the_leg_is_jiang2019s(gait):
    assert LEG == ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")
    assert {name.rsplit("_", 1)[1] for name in leg(gait, "l").names} == {"l"}


def test_moment_arms_equal_automatic_differentiation(gait):
    limb, q = leg(gait), torch.from_numpy(random_poses(40, seed=5))
    q[:, 3] = q[:, 3].clamp(min=-2.0943)  # beyond the knee's range OpenSim's arms are not the slope
    arms = limb.arms(q)[1]
    for i in range(5):
        along = torch.zeros_like(q)
        along[:, i] = 1.0
        slope = torch.func.jvp(limb.lengths, (q,), (along,))[1]
        assert torch.allclose(arms[:, i], -slope, atol=1e-14)


def test_a_model_that_opensim_wrote_again_is_read_alike(gait, tmp_path):
    opensim = pytest.importorskip("opensim", reason="the opensim wheel (the oracle) is not installed")
    opensim.Logger.setLevelString("Off")
    model = opensim.Model(str(gait.file))
    model.initSystem()
    model.printToXML(str(tmp_path / "again.osim"))
    q = torch.from_numpy(random_poses(10))
    for ours, again in zip(leg(gait).arms(q), leg(read_osim(tmp_path / "again.osim")).arms(q), strict=True):
        assert torch.allclose(ours, again, atol=1e-14, rtol=0)
