"""Samples of R and E: drawn where they say, labelled exactly, the same for the same seed."""

import numpy as np
import pytest
from tiny_osim import tiny_file

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")

from lactic.errors import InputError
from lactic.muscle import compact
from lactic.muscle.exact import correction, effort
from lactic.muscle.leg import Leg
from lactic.muscle.osim import read_osim
from lactic.muscle.samples import JIANG2019, Ranges, augmented, correction_samples, effort_samples

RANGES = Ranges(low=(-0.5,), high=(1.0,), speed=(2.0,), torque=(300.0,))


@pytest.fixture
def limb(tmp_path) -> Leg:
    return compact.limb(read_osim(tiny_file(tmp_path)), ["angle"])


def pulls_of(limb, samples):
    return limb.pull(samples.q, samples.qd)


def test_correction_samples_are_labelled_exactly_and_near_ones_are_near(limb):
    samples = correction_samples(limb, 2000, near=0.5, seed=1, ranges=RANGES, width=1)
    assert len(samples.q) == 2000
    assert samples.near.mean() == pytest.approx(0.5, abs=0.05)
    assert (samples.label == correction(pulls_of(limb, samples), samples.torque).torque).all()
    size = np.linalg.norm(samples.label, axis=1)
    assert size[samples.near].max() <= 1 + 1e-9 < size[~samples.near].max()
    assert 0.3 < (size[samples.near] == 0).mean() < 0.7  # as many inside as outside, but for thin places
    assert (samples.q >= -0.5).all() and (samples.q <= 1).all() and (abs(samples.qd) <= 2).all()
    assert (abs(samples.torque[~samples.near]) <= 300).all()


def test_effort_samples_can_all_be_given(limb):
    samples = effort_samples(limb, 500, seed=2, ranges=RANGES)
    assert np.isfinite(samples.label).all()
    assert samples.label == pytest.approx(effort(pulls_of(limb, samples), samples.torque, limb.force).rate)
    outside = np.abs(correction(pulls_of(limb, samples), samples.torque).torque)
    assert outside.max() < 1e-6


def test_effort_samples_reach_from_rest_to_the_boundary(limb):
    most = effort_samples(limb, 800, near=0, seed=2, ranges=RANGES)
    anywhere = effort_samples(limb, 800, near=0, between=1, seed=2, ranges=RANGES)
    assert anywhere.label.min() < 0.2 * most.label.min()
    assert np.isfinite(anywhere.label).all() and anywhere.label.max() > 0.9 * most.label.max()


def test_augmented_effort_costs_more_the_further_outside(limb):
    samples = correction_samples(limb, 600, seed=5, ranges=RANGES)
    pulls = pulls_of(limb, samples)
    beyond = correction(pulls, samples.torque).torque
    inside = effort(pulls, samples.torque - beyond, limb.force).rate
    found = augmented(pulls, samples.torque, limb.force, 10.0)
    assert found == pytest.approx(inside + 10.0 * np.abs(beyond[:, 0]))  # Eq. 13
    assert 0.1 < (beyond == 0).mean() < 0.9


def test_the_seed_decides(limb):
    first, again, other = (correction_samples(limb, 50, seed=s, ranges=RANGES) for s in (3, 3, 4))
    assert (first.torque == again.torque).all() and (first.label == again.label).all()
    assert (first.torque != other.torque).all()


def test_uniform_samples_alone(limb):
    assert not correction_samples(limb, 20, near=0, ranges=RANGES).near.any()


def test_what_cannot_be_drawn(limb):
    with pytest.raises(InputError, match="count 0"):
        correction_samples(limb, 0, ranges=RANGES)
    with pytest.raises(InputError, match=r"q: shape \(10, 5\), but needs \(pose, 1\)"):
        effort_samples(limb, 10, ranges=JIANG2019)
