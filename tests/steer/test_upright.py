"""`lactic match upright`: stances that cost next to nothing."""

import json

import numpy as np
from footsteps import ramp, static_torque, walk_along

from lactic.body import humanoid
from lactic.cli import main
from lactic.motion import ground
from lactic.motion.body_clip import BodyClip
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.matching import Database, build
from lactic.steer.matching.upright import set_upright, standing_share, upright
from lactic.steer.steering import Steering

HUMAN = humanoid()
FEET = [HUMAN.bodies.index(name) for name in HUMAN.feet]


def leaning(speed: np.ndarray, name: str = "steps", height: float = 0.9) -> BodyClip:
    """Steps along x of a body that leans forwards by ten centimetres."""
    return walk_along(speed, np.zeros(len(speed)), height, name, lean=0.1)


def ahead(qpos: np.ndarray) -> np.ndarray:
    """Metres (pose,) along x from the ankles' middle to the centre of mass."""
    return ground.centre(HUMAN, qpos)[:, 0] - HUMAN.places(qpos)[0][:, FEET, 0].mean(axis=1)


def test_what_stands_comes_over_its_feet_and_what_walks_stays():
    clip = leaning(ramp(1.4, 0.0, 5, 2, 0.5))
    made, share = set_upright(clip), standing_share(clip)
    stands = share > 0.999
    assert stands[-60:].all() and not share[:60].any()
    assert ahead(clip.qpos[stands]).min() > 0.08
    assert np.abs(ahead(made.qpos[stands])).max() < 0.02
    np.testing.assert_array_equal(made.qpos[share == 0], clip.qpos[share == 0])
    holds = np.abs(static_torque(HUMAN, made.qpos[-1])) / HUMAN.torque_limit
    assert holds.max() < 0.03
    changed = np.flatnonzero(share)
    fastest, before = (np.abs(np.diff(part.qpos[changed], axis=0)).max() for part in (made, clip))
    assert fastest < before  # no pose jumps


def test_a_moment_of_standing_and_a_crouch_stay_as_they_are():
    turn = leaning(np.concatenate([ramp(1.4, 0.0, 2, 1.5, 0.5), ramp(0.0, 1.4, 2, 0.0, 0.5)]))
    crouch = leaning(np.zeros(240), height=0.66)
    for clip in (turn, crouch):
        np.testing.assert_array_equal(set_upright(clip).qpos, clip.qpos)


def stop(database: Database, steering: Steering | None = None) -> tuple[np.ndarray, float]:
    """Where leaders have their centre of mass 4 s after a walk, m ahead of the feet, and how fast a foot is then."""
    crowd = KinematicCharacters(database, 4, steering)
    until = 120 + 7 * np.arange(4)
    for k in range(141 + 240):
        pads = np.zeros((4, 6))
        pads[:, 0] = k < until
        pose = crowd.step(pads)
    return ahead(pose.qpos), float(np.linalg.norm(pose.velocities[:, FEET], axis=2).max())


def test_a_leader_that_is_asked_to_stand_ends_over_its_feet():
    clips = [leaning(ramp(0.0, 1.4, 5, 1, 0.5), "start"), leaning(np.full(300, 1.4), "walk")]
    database = build([*clips, leaning(ramp(1.4, 0.0, 5, 2, 0.5), "stop")])
    made = upright(database)
    leans, (stands, slides) = stop(database)[0], stop(made)
    assert leans.min() > 0.06
    assert np.abs(stands).max() < 0.02 and slides < 0.02
    kept = stop(made, Steering(settle_half_life=np.inf))[0]  # what locked feet keep of the lean
    assert np.abs(kept).max() > np.abs(stands).max()


def test_the_verb_writes_it_and_twice_is_as_once(tmp_path, capsys):
    first, second, third = (tmp_path / f"{name}.npz" for name in ("first", "second", "third"))
    build([leaning(ramp(1.4, 0.0, 5, 2, 0.5), "stop")], fps=60).save(first)
    assert main(["match", "upright", str(first), "--out", str(second), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clips"] == 2
    assert main(["match", "upright", str(second), "--out", str(third)]) == 0
    made, again = Database.load(second), Database.load(third)
    assert made.clip_names == again.clip_names == ("stop", "stop_mirror", "stand", "stand_mirror")
    np.testing.assert_allclose(made.qpos[240:300], again.qpos[240:300], atol=1e-3)
