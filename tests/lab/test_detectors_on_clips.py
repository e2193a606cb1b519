"""Detectors on whole clips: what was put into a clip is what is counted."""

import numpy as np
import pytest
from skills import PACES

from lactic.lab import measure
from lactic.lab.distance import distance, floor
from lactic.lab.performance import clip_rows
from lactic.lab.report import Report
from lactic.lab.skills import SKILLS
from lactic.lab.take import of_clip


def test_backflip_is_one_turn_backward_in_one_flight(clip):
    take = of_clip(clip("backflip"))
    found = measure.turns(take.qpos[..., 3:7], take.alive, take.fps)
    assert found.kind.tolist() == ["backward"]
    flight = measure.flights(take)
    assert len(flight) == 1
    assert 0.7 < flight.height[0] < 1.2
    assert found.start[0] <= flight.start[0] < found.middle[0] < flight.end[0] <= found.end[0]


def test_cartwheel_is_one_turn_aside_and_its_mirror_to_the_other(clip):
    kinds = []
    for motion in (clip("cartwheel"), clip("cartwheel").mirror()):
        take = of_clip(motion, repeats=2)
        kinds.append(measure.turns(take.qpos[..., 3:7], take.alive, take.fps).kind.tolist())
    assert kinds == [["left", "left"], ["right", "right"]]


def test_spin_kick_is_one_turning_kick_in_the_air_each_time(clip):
    take = of_clip(clip("spinkick"), repeats=3)
    found = measure.kicks(take)
    assert len(found) == 3
    assert (found.height > 1.4).all()
    assert (found.jump > 0.3).all()
    assert (np.abs(found.turned) > 0.5).all()
    assert len(measure.turns(take.qpos[..., 3:7], take.alive, take.fps)) == 0


def test_running_and_walking_are_steps_at_the_clips_pace(clip):
    for name, (speed, pace) in PACES.items():
        take = of_clip(clip(name), repeats=8)
        found = measure.steps(take)
        assert measure.speed(take.qpos, take.fps).mean() == pytest.approx(speed, rel=0.02)
        assert 1 / np.nanmean(found.seconds) == pytest.approx(pace, rel=0.03)
        assert np.nanmean(found.length) * pace == pytest.approx(speed, rel=0.05)
        for other in (measure.kicks(take), measure.rests(take)):
            assert len(other) == 0
    assert (len(measure.flights(of_clip(clip("run"), repeats=4))), len(measure.flights(take))) == (8, 0)


def test_a_jump_is_one_hop(clip):
    found = SKILLS["hop"].repetitions(of_clip(clip("jump")))
    assert len(found) == 1
    assert 0.15 < found.height[0] < 0.4
    assert 0.4 < found.length[0] < 1.0


def test_looped_clip_repeats_at_its_own_rate(clip):
    report, motion = Report("p", "i", "t"), clip("backflip")
    none = floor(motion.qpos[:, 7:], motion.body.range)
    _, rate = clip_rows(report, "backflip", SKILLS["backflip"], motion, none)
    assert rate == pytest.approx(60 / motion.seconds, rel=0.01)


def test_a_clip_is_at_no_distance_from_itself_and_others_are_further_than_its_floor(clip):
    run, walk = clip("run"), clip("walk")
    own = distance(run.qpos[:, None, 7:], run.qpos[:, 7:], run.body.range)
    assert own.norm.shape == (run.frames, 1)
    assert max(own.norm.max(), own.half_range.max()) < 1e-6
    least = floor(run.qpos[:, 7:], run.body.range).norm.mean()
    far = distance(walk.qpos[:, 7:], run.qpos[:, 7:], run.body.range).norm.mean()
    assert 0 < least < 0.12 < far


def test_distance_by_hand():
    reference = np.zeros((2, 4))
    reference[1] = 5.0
    limits = np.array([[-1.0, 1.0], [-1, 1], [-2, 2], [-2, 2]])
    found = distance(np.array([[0.3, 0.0, 0.4, 0.0]]), reference, limits)
    assert found.norm[0] == pytest.approx(0.5 / np.pi)
    assert found.half_range[0] == pytest.approx((0.3 + 0.4 / 2) / 4)
    assert found.degrees[0] == pytest.approx(np.degrees(0.25))


def test_a_walk_that_ends_in_mid_stride_has_no_steps_at_its_seam(clip):
    whole = clip("walk")
    part = whole.loop(3).cut(0.0, 2.5 * whole.seconds)  # five steps of half a second, then on from the other foot
    none = floor(whole.qpos[:, 7:], whole.body.range)
    _, rate = clip_rows(Report("p", "i", "t"), "walk", SKILLS["walk"], part, none)
    assert rate == pytest.approx(60 * PACES["walk"][1], rel=0.05)
