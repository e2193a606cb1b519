"""Lengths, velocities and moment arms: by hand on a tiny limb, on made-up legs, and equal to OpenSim's."""

import math

import numpy as np
import pytest
from tiny_osim import tiny_file, tiny_text

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")

from lactic.errors import InputError
from lactic.muscle.compact import compact, limb
from lactic.muscle.leg import Leg, shipped_leg
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


def poses(*values: float) -> np.ndarray:
    return np.array(values)[:, None]


@pytest.fixture(params=[True, False], ids=["4.x", "2.x"])
def tiny(tmp_path, request) -> Leg:
    return limb(read_osim(tiny_file(tmp_path, request.param)), ["angle"])


def random_poses(count: int, seed: int = 0) -> np.ndarray:
    low, high = np.array([-0.9, -0.6, -0.6, -2.1, -0.9]), np.array([2.0, 0.6, 0.6, 0.1, 0.9])
    return low + (high - low) * np.random.default_rng(seed).random((count, 5))


def test_a_straight_muscle_by_hand(tiny):
    q = poses(-0.7, 0.0, 0.4, 1.5)
    lengths, arms = tiny.arms(q)
    expected = np.sqrt(0.2**2 + 0.3**2 + 2 * 0.2 * 0.3 * np.sin(q[:, 0]))
    assert lengths[:, 0] == pytest.approx(expected, abs=1e-15)
    assert arms[:, 0, 0] == pytest.approx(-0.2 * 0.3 * np.cos(q[:, 0]) / expected, abs=1e-15)


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
    lengths, arms = limb(read_osim(path), ["angle"]).arms(poses(0.5, 1.5))
    assert lengths[1, 1].item() == 0.0 and arms[1, 0, 1].item() == 0.0
    assert lengths[0, 1].item() == pytest.approx(math.hypot(0.3 * math.sin(0.5), 0.1 + 0.3 * math.cos(0.5)))


def test_a_moving_point_by_hand(tiny):
    angle = np.array([-0.9, 0.3, 1.2])
    x = 0.1 * angle * np.cos(angle) + 0.3 * np.sin(angle) + 0.2
    y = 0.1 * angle * np.sin(angle) - 0.3 * np.cos(angle)
    assert tiny.arms(poses(*angle))[0][:, 2] == pytest.approx(np.sqrt(x**2 + y**2 + angle**6), abs=1e-14)


def test_beyond_its_range_a_pose_is_held(tiny):
    for ours, end in zip(tiny.arms(poses(5.0)), tiny.arms(poses(2.0)), strict=True):
        assert (ours == end).all()


def test_moment_arms_are_the_slope():
    leg, q, step = shipped_leg(), random_poses(30).clip(min=-2.09), 1e-6
    arms = leg.arms(q)[1]
    smooth = np.ones(len(q), bool)
    for i, aside in enumerate(step * np.eye(5)):
        slope = (leg.arms(q + aside)[0] - leg.arms(q - aside)[0]) / (2 * step)
        smooth &= (np.abs(slope) < 0.5).all(1)  # no conditional point came or went within the step
        assert -arms[smooth, i] == pytest.approx(slope[smooth], abs=1e-8)
    assert smooth.sum() >= 28


def check_default_pose(leg, near):
    assert len(leg.muscles) == 43
    lengths, arms = leg.arms(np.zeros((1, 5)))
    for name, expected in DEFAULT_POSE.items():
        j = leg.muscles.index(name)
        assert [lengths[0, j], *arms[0, :, j]] == pytest.approx(expected, abs=near), name


def test_default_pose_of_the_shipped_leg():
    check_default_pose(shipped_leg(), 1e-5)


def test_mirrored_legs_have_the_same_numbers(legs):
    q = random_poses(100)
    for right, left in zip(compact(legs, "r").arms(q), compact(legs, "l").arms(q), strict=True):
        assert right == pytest.approx(left, abs=NEAR)


def test_gait2392(shared_data):
    """The published model in three variants: alike, symmetric, as OpenSim has it, and what ships."""
    variants = ("thelen2003muscle", "simbody_lrle", "millard2012muscle")
    models = [read_osim(shared_data / "osim" / f"gait2392_{name}.osim") for name in variants]
    for model in models:
        assert (len(model.bodies), len(model.coordinates), len(model.joints), len(model.muscles)) == (12, 23, 12, 92)
        assert model.mass == pytest.approx(75.16, abs=0.01)
        points = [p for m in model.muscles for p in m.points]
        assert len(points) == 288 + 26 + 8
        assert sum(p.condition is not None for p in points) == 26
        assert sum(any(p.moved) for p in points) == 8
    thelen, q = compact(models[0]), random_poses(20)
    for other in (compact(models[0], "l"), *map(compact, models[1:])):
        for a, b in zip(thelen.arms(q), other.arms(q), strict=True):
            assert a == pytest.approx(b, abs=NEAR)
    for side in ("r", "l"):
        check_default_pose(compact(models[0], side), NEAR)
    shipped = shipped_leg()
    assert (thelen.coordinates, thelen.muscles) == (shipped.coordinates, shipped.muscles)
    for ours, theirs in zip(thelen.geometry, shipped.geometry, strict=True):
        assert np.nan_to_num(ours) == pytest.approx(np.nan_to_num(theirs), abs=1e-5)


def test_coordinates_that_are_not_asked_for_stay_at_rest(legs):
    q = random_poses(20)
    q[:, [1, 2]] = 0.0
    whole, plane = compact(legs), limb(legs, ["hip_flexion_r", "knee_angle_r", "ankle_angle_r"])
    order = [whole.muscles.index(name.removesuffix("_r")) for name in plane.muscles]
    lengths, arms = plane.arms(q[:, [0, 3, 4]])
    assert lengths == pytest.approx(whole.arms(q)[0][:, order], abs=NEAR)
    assert arms == pytest.approx(whole.arms(q)[1][:, [0, 3, 4]][:, :, order], abs=NEAR)


def test_what_cannot_be_asked(legs, tmp_path):
    with pytest.raises(InputError, match="no coordinate elbow"):
        limb(legs, ["elbow"])
    with pytest.raises(InputError, match="no muscle crosses ankle_angle_r"):
        limb(read_osim(_without(legs.file, tmp_path, "gas_r", "soleus_r", "tib_ant_r")), ["ankle_angle_r"])
    with pytest.raises(InputError, match="side 'left'"):
        compact(legs, "left")


def _without(file, folder, *names):
    """A copy of a model with some muscles disabled."""
    text = file.read_text()
    for name in names:
        start = text.index(f'<Thelen2003Muscle name="{name}"')
        text = text[:start] + text[start:].replace("<appliesForce>true", "<appliesForce>false", 1)
    (folder / "less.osim").write_text(text)
    return folder / "less.osim"


def test_equal_to_opensim_on_200_random_poses(shared_data, tmp_path):
    opensim = pytest.importorskip("opensim", reason="the oracle is not here: pip install opensim")
    opensim.Logger.setLevelString("Off")
    gait = read_osim(shared_data / "osim" / "gait2392_thelen2003muscle.osim")
    model = opensim.Model(str(gait.file))
    state = model.initSystem()
    coordinates = model.updCoordinateSet()
    leg, q = compact(gait), random_poses(200, seed=3).clip(min=-2.094)
    lengths, arms = leg.arms(q)
    paths = [model.getMuscles().get(f"{name}_r").getGeometryPath() for name in leg.muscles]
    axes = [coordinates.get(f"{name}_r") for name in leg.coordinates]
    for i in range(len(q)):
        for axis, angle in zip(axes, q[i], strict=True):
            axis.setValue(state, float(angle), False)
        model.realizePosition(state)
        assert lengths[i] == pytest.approx([path.getLength(state) for path in paths], abs=NEAR)
        theirs = [[path.computeMomentArm(state, axis) for path in paths] for axis in axes]
        assert np.abs(arms[i] - theirs).max() < NEAR
    model.printToXML(str(tmp_path / "again.osim"))  # what it wrote again is read alike
    for ours, again in zip((lengths, arms), compact(read_osim(tmp_path / "again.osim")).arms(q), strict=True):
        assert ours == pytest.approx(again, abs=1e-14)
