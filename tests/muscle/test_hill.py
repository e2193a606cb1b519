"""Hill curves at known points, muscles on a tiny limb, and the strength of gait2392's leg."""

import math

import numpy as np
import pytest
import torch
from tiny_osim import tiny_file

from lactic.muscle import hill
from lactic.muscle.musculature import Musculature, leg
from lactic.muscle.osim import read_osim

CAPACITY = {  # active, isometric, Nm: most over poses, at the default pose (printed constants of f_V, 0.2 % more)
    ("hip_flexion", 1): (202, 172),
    ("hip_flexion", -1): (364, 204),
    ("knee_angle", 1): (234, 73),
    ("knee_angle", -1): (169, 132),
    ("ankle_angle", -1): (274, 273),
    ("ankle_angle", 1): (64, 63),
}


def numbers(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_curves_meet_their_definitions():
    assert hill.active_velocity(numbers(-2, -1, 0)).tolist() == pytest.approx([0, 0, 1], abs=1e-6)
    assert hill.passive_length(numbers(0.5, 1, 1.6)).tolist() == pytest.approx([0, 0, 1])
    assert hill.passive_length(numbers(1.3), cap=9).item() == pytest.approx((math.e**2 - 1) / (math.e**4 - 1))
    lengths = torch.linspace(0.3, 1.9, 801, dtype=torch.float64)
    active = hill.active_length(lengths)
    assert active.max().item() == pytest.approx(1, abs=0.005)
    assert lengths[active.argmax()].item() == pytest.approx(1, abs=0.03)
    assert (hill.active_velocity(torch.linspace(-1, 1, 99)).diff() >= 0).all()


def test_passive_force_is_capped_and_can_be_let_go():
    assert hill.passive_length(numbers(2.1, 50)).tolist() == [1, 1]
    assert hill.passive_length(numbers(2.0965), cap=math.inf).item() == pytest.approx(27.9, abs=0.1)


def test_curves_equal_opensims():
    opensim = pytest.importorskip("opensim", reason="the opensim wheel (the oracle) is not installed")
    muscle = opensim.DeGrooteFregly2016Muscle()
    for x in np.linspace(0.4, 1.7, 40):
        theirs = muscle.calcActiveForceLengthMultiplier(float(x))
        assert hill.active_length(numbers(x)).item() == pytest.approx(theirs, abs=1e-12)
    for x in np.linspace(-1, 1, 40):
        theirs = muscle.calcForceVelocityMultiplier(float(x))
        assert hill.active_velocity(numbers(x)).item() == pytest.approx(theirs, abs=1e-12)


@pytest.fixture
def tiny(tmp_path) -> Musculature:
    return Musculature(read_osim(tiny_file(tmp_path)), ["angle"])


def test_force_at_optimal_length_is_the_maximum_along_the_tendon(tiny):
    optimal = 0.2 + 0.1 * math.cos(0.2)
    active, passive = hill.forces(tiny, numbers(optimal).expand(1, 3), torch.zeros(1, 3, dtype=torch.float64))
    assert active[0, 0].item() == pytest.approx(1000 * hill.active_length(numbers(1)).item() * math.cos(0.2))
    assert passive[0, 0].item() == pytest.approx(0, abs=1e-9)


def test_fibre_velocity_is_the_path_velocity_times_the_cosine(tiny):
    length, optimal = numbers(0.2 + 0.1 * math.cos(0.2)), 0.1
    fast, _ = hill.forces(tiny, length.expand(1, 3), numbers(-8 * optimal / math.cos(0.2)).expand(1, 3))
    assert fast[0, 0].item() == pytest.approx(0, abs=1e-3)  # shortening at 8 optimal lengths a second, its maximum


def test_a_slack_muscle_pulls_nothing_and_has_a_gradient(tiny):
    lengths = numbers(0.1, 0.2, 0.25)[None].requires_grad_()
    active, passive = hill.forces(tiny, lengths, torch.zeros(1, 3, dtype=torch.float64))
    assert active[0, :2].tolist() == [0, 0] and passive[0, :2].tolist() == [0, 0]
    assert active[0, 2] > 0
    (active + passive).sum().backward()
    assert torch.isfinite(lengths.grad).all()


def test_torque_is_moment_arm_times_force(tiny):
    q, qd = numbers(0.3)[None], numbers(-1.0)[None]
    lengths, velocities, arms = tiny.state(q, qd)
    active, passive = hill.forces(tiny, lengths, velocities)
    activation = numbers(0.2, 0.5, 1.0)[None]
    expected = (arms[0, 0] * (activation[0] * active[0] + passive[0])).sum()
    assert hill.pull(tiny, q, qd).torque(activation)[0, 0].item() == pytest.approx(expected.item())


def test_strength_of_gait2392s_leg(shared_data):
    path = shared_data / "osim" / "gait2392_simbody_lrle.osim"
    if not path.exists():
        pytest.skip(f"no {path}")
    limb = leg(read_osim(path))
    low, high = np.array([-0.9, -0.6, -0.6, -2.1, -0.9]), np.array([1.5, 0.6, 0.6, 0.1, 0.9])
    q = np.vstack([np.zeros((1, 5)), low + (high - low) * np.random.default_rng(0).random((8000, 5))])
    pull = hill.pull(limb, torch.from_numpy(q), torch.zeros(q.shape, dtype=torch.float64))
    for (name, sign), (most, default) in CAPACITY.items():
        torque = (sign * pull.active[:, limb.coordinates.index(f"{name}_r")]).clamp(min=0).sum(1)
        assert torque.max().item() == pytest.approx(most, rel=0.015), (name, sign)
        assert torque[0].item() == pytest.approx(default, abs=1), (name, sign)
