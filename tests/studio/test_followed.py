"""A clip in the studio: a body follows it and tires, with the clip beside it."""

from dataclasses import replace

import numpy as np
import pytest

from lactic import body as bodies
from lactic import rotation
from lactic.errors import InputError
from lactic.motion import BodyClip
from lactic.motion.bvh_write import write_bvh
from lactic.motion.standing import standing
from lactic.play.tire.blended import BLEND
from lactic.studio.engine import Engine
from lactic.studio.export import export
from lactic.studio.followed import SPAN, endless
from lactic.studio.server import Studio

BODY = bodies.get("humanoid")


def bowing(seconds: float = 2.0) -> BodyClip:
    """A stance whose left arm goes up and comes down, somewhere on the floor and turned."""
    clip = standing(BODY, seconds, 30.0)
    qpos = clip.qpos.copy()
    lifted = np.sin(np.linspace(0.0, np.pi, clip.frames)) ** 2
    qpos[:, 7 + BODY.joints.index("left_shoulder_y")] -= 1.2 * lifted
    qpos[:, :2] += [3.0, -2.0]
    qpos[:, 3:7] = rotation.multiply(rotation.about("z", np.full(clip.frames, 2.0)), qpos[:, 3:7])
    return replace(clip, qpos=qpos)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """That as a BVH file."""
    path = tmp_path_factory.mktemp("clip") / "bow.bvh"
    write_bvh(path, bowing())
    return path.read_bytes()


@pytest.fixture
def engine(file: bytes) -> Engine:
    """A clip that was opened beside another character, and is tired."""
    engine = Engine("hold-arms")
    engine.invite("bow.bvh", file)
    engine.tire()
    return engine


def test_the_body_follows_and_the_ghost_is_the_clip(engine: Engine):
    guest, actor = engine.guest, engine.cast[0]
    assert engine.skill.name == "actor" and guest is not None and actor.skill.motion is not None
    assert actor.skill.motion.name == "bow.bvh"
    engine.advance(100)  # over the seam
    tape = actor.tape
    frames = 40  # before the seam: the clip as it was read, from the origin, at the clock's pace
    when = np.cumsum(np.r_[0.0, tape.clock[1:frames]])
    turned = [np.interp(when, np.arange(50), column) for column in bodies_apart(guest.xpos[:50]).T]
    np.testing.assert_allclose(bodies_apart(tape.clip_xpos[:frames]), np.stack(turned, axis=1), atol=2e-3)
    apart = np.linalg.norm(tape.xpos[:100] - tape.clip_xpos[:100], axis=2).mean(axis=1)
    assert apart.max() < 0.1 and not tape.away[:100].any() and (np.abs(tape.clock[:100] - 1) < 0.1).all()
    hand = BODY.bodies.index("left_hand")
    assert np.ptp(tape.xpos[:100, hand, 2]) > 0.3  # the arm was lifted, not only asked for
    assert tape.fatigue[99, :, 2].max() > tape.fatigue[30, :, 2].max() > 0


def bodies_apart(xpos: np.ndarray) -> np.ndarray:
    """Distances between all pairs of bodies, whatever way a pose is turned, and their heights."""
    pairs = np.linalg.norm(xpos[:, :, None] - xpos[:, None], axis=3)
    return np.concatenate([pairs.reshape(len(xpos), -1), xpos[..., 2]], axis=1)


def test_one_that_is_pushed_off_the_clip_is_led_back_unless_nobody_may(engine: Engine):
    actor, rate = engine.cast[0], round(1 / engine.dt)
    assert actor.tracked is not None
    actor.tracked.about = replace(actor.tracked.about, rises=0.0)  # or it would first try to get up
    engine.push(1500, 90, 0.5)
    engine.restarts = False
    engine.advance(3 * rate)
    tape = actor.tape
    assert actor.tracked is not None and actor.down > 1 and not tape.away[: 3 * rate].any()
    spent = actor.player.fatigue[0, :, 2].mean()
    engine.restarts = True
    engine.advance(2)
    assert tape.away[tape.slot(engine.newest)] and tape.lost[tape.slot(engine.newest)] == 1
    engine.show_ghost(True)  # one that is led back as well
    assert engine.ghost is not None and engine.ghost.tracked is not None
    engine.ghost.tracked.about = actor.tracked.about
    engine.advance(round(BLEND * rate) + 10)
    assert not tape.away[tape.slot(engine.newest)] and actor.tracked.error()[0] < 0.2
    assert engine.ghost.tracked.error()[0] < 0.2
    poses = tape.clip_xpos[: tape.count] - tape.clip_xpos[: tape.count, :1]
    assert np.abs(np.diff(poses, axis=0)).max() < 0.05  # the ghost went on all the while, carried along with the body
    assert not tape.cuts and actor.player.fatigue[0, :, 2].mean() > 0.3 * spent > 0  # nobody was started again, fresh
    engine.reset()
    engine.advance()
    assert tape.lost[0] == 0 and actor.tracked.time[0] == pytest.approx(engine.dt, rel=0.1)


def test_scrubbed_and_exported_as_any_other(engine: Engine):
    engine.compare([engine.cast[0].fitness, engine.cast[0].fitness.altered(time_scale=90.0)])
    engine.exhaust(1, "left arm", 0.9)
    engine.advance(30)
    left = [1 - actor.player.fatigue[0, :, 2].mean() for actor in engine.cast]
    assert left[1] < left[0] - 0.05
    engine.scrub(10)
    assert engine.shown == 10
    for kind, begin in (("bvh", b"HIERARCHY"), ("csv", b"time")):
        name, content = export(engine, 0, kind)
        assert name == f"actor-a.{kind}" and content.startswith(begin)
    assert content.count(b"\n") == 31 and not engine.cast[0].tape.recording().cuts.size


def test_without_a_clip_it_follows_a_walk_until_one_is_opened(file: bytes):
    engine = Engine("actor")
    with pytest.raises(InputError, match="open one first"):
        engine.tire()
    engine.advance(60)
    tape = engine.cast[0].tape
    assert 1.5 < np.linalg.norm(tape.xpos[59, 0, :2] - tape.xpos[0, 0, :2]) < 3.6
    assert engine.cast[0].tracked is not None and engine.cast[0].tracked.error()[0] < 0.25
    fitness = engine.cast[0].fitness.altered(time_scale=60.0)
    engine.set_fitness(0, fitness)
    engine.invite("bow.bvh", file)
    assert engine.skill.motion is not None and engine.skill.motion.name == "bow.bvh"
    assert engine.frame == 0 and engine.cast[0].fitness == fitness
    engine.dismiss()
    assert engine.guest is None and engine.skill.motion.name != "bow.bvh"
    engine.advance()


def test_a_motion_that_is_over_begins_again_as_tired_as_it_is(engine: Engine):
    actor = engine.cast[0]
    assert actor.tracked is not None
    actor.player.exhaust(BODY.joints, 0.3)
    actor.tracked.frame[:] = actor.tracked.last - 1
    actor.tracked.reset(np.ones(1, bool))
    engine.advance(3)
    assert actor.tracked.time[0] < 1 and actor.tape.cuts and actor.player.fatigue[0, :, 2].min() > 0.25


@pytest.mark.parametrize("seconds", [0.3, 2.0])
def test_a_repeated_clip_lasts_faces_x_and_does_not_jump(seconds: float):
    once = bowing(seconds)
    long = endless(once, BODY, 30.0)
    assert SPAN <= long.seconds < 1.1 * SPAN
    assert np.allclose(long.qpos[0, :2], 0) and rotation.heading(long.qpos[0, 3:7]) == pytest.approx(0)
    own, steps = (np.abs(np.diff(clip.qpos, axis=0)).max() for clip in (once, long))
    assert 0.9 * own < steps < 1.5 * own  # as fast as the clip, at no seam faster
    with pytest.raises(InputError, match="no motion"):
        endless(bowing(0.1), BODY, 30.0)


def test_on_the_stage_the_clip_is_beside_the_body(file: bytes):
    studio = Studio("actor", port=0)
    try:
        studio.engine.invite("bow.bvh", file)
        for _ in range(20):
            studio.engine.advance()
            studio.stage.update(studio.engine.dt)
        studio.panels.update()
        ghost, body = studio.stage.guest, studio.stage.views[0].doll
        assert ghost is not None
        clip, own = (doll.root.position[:2] + doll.limbs[0].position[:2] for doll in (ghost, body))
        assert 1.2 < np.linalg.norm(clip - own) < 1.8
        said, clock = studio.panels.state.content, studio.engine.cast[0].tape.clock[19]
        assert "follows bow.bvh" in said and f"{clock:.2f} ×" in said and abs(clock - 1) < 0.1
        studio.panels.controls.changed()
        assert studio.panels.tire.visible and studio.panels.dismiss.visible
    finally:
        studio.close()
