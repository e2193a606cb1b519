"""What repeated walks end in: clips that travel are chosen, made long, and followed until they are lost."""

from dataclasses import replace

import numpy as np

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.lab.tired_actor.lasting import MOST, chosen, ends
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
    lost, stopped, left = ends(catalogue.find("actor"), [STILL, sliding(9.0)], 2.0)
    assert np.isinf(lost[0]) and 0.05 < lost[1] < 1.0
    assert not stopped.any() and 0.5 < left[0] < 1.0
