"""What repeated walks end in: clips that travel are chosen, made long, and followed until they are lost."""

from dataclasses import replace

import numpy as np

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.lab.tired_actor.lasting import MOST, Ends, chosen, ends
from lactic.motion.body_clip import BodyClip
from lactic.motion.looping import lasting, speed
from lactic.motion.standing import standing

STILL = standing(bodies.get("humanoid"), 2.0, 30.0, sway=3.0)


def sliding(pace: float) -> BodyClip:
    """A stance that is moved over the floor."""
    way = pace * np.arange(STILL.frames)[:, None] / 30.0 * (np.arange(STILL.qpos.shape[1]) == 0)
    return replace(STILL, qpos=STILL.qpos + way, name=f"sliding at {pace:g}")


def test_clips_that_travel_are_chosen_and_mirrored_where_there_are_too_few() -> None:
    found = chosen([STILL, sliding(1.0), sliding(2.5)])
    assert [clip.name for clip in found] == [
        *("sliding at 1", "sliding at 2.5", "sliding at 1_mirror", "sliding at 2.5_mirror")
    ]
    assert abs(speed(found[1]) - 2.5) < 0.1 and len(chosen([sliding(1.0)] * 100)) == MOST


def test_a_clip_is_repeated_until_it_is_lasting() -> None:
    long = lasting(sliding(1.0), 7.0)
    assert abs(long.seconds - 7.0) < 1e-6 and abs(speed(long) - 1.0) < 0.1


def test_standing_lasts_and_flying_away_is_lost() -> None:
    found = ends(catalogue.find("actor"), [STILL, sliding(9.0)], 2.0)
    assert np.isinf(found.lost[0]) and 0.05 < found.lost[1] < 1.0
    assert not found.stopped.any() and 0.5 < found.left[0] < 1.0
    assert found.clock.shape == (60, 2) and found.going[:, 0].all() and not found.going[-1, 1]
    assert (np.diff(found.spent[:, 0].mean(1)) > -1e-3).all() and found.spent[-1, 0].max() > 0  # standing tires


def test_what_pauses_give() -> None:
    clock = np.ones((60, 2), np.float32)
    clock[30:45] = 0.0  # half a second of two
    spent = np.zeros((60, 2, 3), np.float32)
    spent[:, :, :] = np.interp(np.arange(60), [0, 29, 44, 59], [0.0, 0.3, 0.2, 0.4])[:, None, None]
    found = Ends(np.array([np.inf, 1.0]), np.zeros(2, bool), np.ones(2), clock, spent, 30.0)
    np.testing.assert_allclose(found.mean_clock(), [0.75, 1.0])  # the second is lost before
    np.testing.assert_allclose(found.paused(), [0.25, 0.0])
    np.testing.assert_allclose(found.won(), [0.1 * 30, 0.0], atol=1e-5)  # 0.1 in two seconds


def test_strict_motions_do_not_wait() -> None:
    assert (ends(catalogue.find("actor"), [STILL], 1.0, strict=True).clock == 1.0).all()
