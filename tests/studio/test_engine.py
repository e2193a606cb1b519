"""The studio's engine without a browser: what a person does has the effect it should, and nothing brings it down."""

import gc
import io
import json
import shutil
import struct
import time
import weakref
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest

from lactic import fatigue
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh import read_bvh
from lactic.studio.actor import read_skill
from lactic.studio.engine import Engine
from lactic.studio.export import export
from lactic.studio.skill import opening_fitness, regions
from lactic.studio.tape import SECONDS

HUMAN = fatigue.preset("human")


def spent(engine: Engine, who: int = 0) -> float:
    return float(engine.cast[who].player.fatigue[0, :, 2].mean())


def wait_until(condition, seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "did not come about"
        time.sleep(0.01)


@pytest.fixture
def engine() -> Engine:
    return Engine("pace")


def test_a_larger_F_tires_faster_from_the_next_step_on(engine: Engine):
    engine.compare([fatigue.preset("cheema2023")] * 2)
    engine.advance(15)
    assert spent(engine, 0) == spent(engine, 1)
    engine.set_fitness(1, fatigue.preset("cheema2023").altered(F=4.0))
    engine.advance(1)
    assert spent(engine, 1) > spent(engine, 0)
    engine.advance(14)
    assert spent(engine, 1) > 2 * spent(engine, 0)


def test_fatigue_off_is_fresh_and_stays_so(engine: Engine):
    engine.advance(90)
    assert spent(engine) > 0.05
    engine.set_fitness(0, engine.cast[0].fitness, tires=False)
    engine.advance(60)
    assert spent(engine) == pytest.approx(0, abs=1e-5)
    engine.set_fitness(0, engine.cast[0].fitness)
    engine.advance(90)
    assert spent(engine) > 0.05


def test_a_region_is_exhausted_and_refreshed_where_it_is(engine: Engine):
    engine.advance()
    engine.exhaust(0, "left leg", 0.9)
    engine.advance()
    tape, body = engine.cast[0].tape, engine.body
    left = [body.joints.index(name) for name in body.regions["left leg"]]
    others = [i for i in range(len(body.joints)) if i not in left]
    at = tape.slot(engine.shown)
    assert (tape.fatigue[at, left, 2] > 0.85).all() and (tape.fatigue[at, others, 2] < 0.1).all()
    tint = dict(zip(body.bodies, tape.tint(engine.shown), strict=True))
    assert tint["left_thigh"] > 0.85 > 0.1 > tint["right_thigh"]
    # the engine enforces it: the limits are what is left of the fresh ones
    fresh = np.array(engine.skill.brain.info.torque_limit)
    assert tape.limit[at, left] == pytest.approx((1 - tape.fatigue[at, left, 2]) * fresh[left], rel=1e-4)
    engine.exhaust(0, "legs", 0.0)
    engine.advance()
    assert (tape.fatigue[tape.slot(engine.shown), :, 2] < 0.1).all()


def test_regions_cover_limbs_in_pairs_and_the_whole_body(engine: Engine):
    named = regions(engine.body)
    assert set(named["arms"]) == set(named["left arm"]) | set(named["right arm"])
    assert named["whole body"] == engine.body.joints


def test_a_push_changes_the_velocity_along_it_and_ends(engine: Engine):
    engine.compare([HUMAN, HUMAN])  # two alike; only one is pushed
    engine.advance(10)
    pushed, spared = engine.cast
    pushed.push(400.0, 90.0, 0.5, "pelvis")
    left = pushed.facing + np.pi / 2
    engine.advance(16)
    along = np.array([np.cos(left), np.sin(left)])
    gained = (pushed.player.world.qvel[0, :2] - spared.player.world.qvel[0, :2]) @ along
    assert 1.0 < gained < 400 * 0.5 / 60  # m/s; the pelvis drags most of 73 kg along
    at = pushed.tape.slot(engine.shown)
    assert not pushed.tape.push[at].any()
    assert np.linalg.norm(pushed.tape.push[pushed.tape.slot(engine.shown - 1)]) == pytest.approx(400)


def test_gravity_is_felt(engine: Engine):
    engine.set_gravity(0.0)
    world = engine.cast[0].player.world
    world.reset(None, engine.body.rest + np.eye(engine.body.model.nq)[2] * 3)
    engine.advance(30)
    assert engine.body.model.qpos0[2] + 2 < world.qpos[0, 2]
    engine.set_gravity(9.81)
    engine.advance(15)
    assert world.qvel[0, 2] < -4


def test_compared_bodies_start_alike_and_only_fitness_parts_them(engine: Engine):
    engine.compare([fatigue.preset("off"), fatigue.preset("cheema2023"), fatigue.preset("off")])
    engine.advance(90)
    first, tired, twin = (actor.tape.qpos for actor in engine.cast)
    assert np.array_equal(first[0], tired[0])
    assert np.array_equal(first[:90], twin[:90]) and not np.array_equal(first[:90], tired[:90])
    with pytest.raises(InputError, match="room for 1 to 3"):
        engine.compare([HUMAN] * 4)


def test_a_ghost_goes_on_from_where_the_body_is_and_does_not_tire(engine: Engine):
    engine.advance(60)
    engine.show_ghost(True)
    engine.advance(1)
    assert engine.ghost is not None
    frame = engine.shown
    body, ghost = engine.cast[0].tape, engine.ghost.tape
    assert np.allclose(body.qpos[body.slot(frame)], ghost.qpos[ghost.slot(frame)])
    engine.advance(30)
    assert engine.ghost.player.fatigue[..., 2].max() == pytest.approx(0, abs=1e-5)
    assert ghost.slot(0) == ghost.slot(60)  # frames from before it was there show its first


def test_actors_that_leave_are_gone_at_once_with_their_tapes(engine: Engine):
    engine.show_ghost(True)
    assert engine.ghost is not None
    left = [weakref.ref(held) for actor in (engine.ghost, engine.cast[0]) for held in (actor, actor.tape)]
    gc.disable()  # nothing waits for the collector
    try:
        engine.show_ghost(False)
        engine.compare([HUMAN])
        assert [held() for held in left] == [None] * 4
    finally:
        gc.enable()


def test_scrubbing_pauses_and_shows_what_was(engine: Engine):
    engine.advance(50)
    engine.scrub(20)
    assert engine.paused and engine.shown == 20
    tape = engine.cast[0].tape
    assert tape.time[tape.slot(engine.shown)] == pytest.approx(20 / 30)
    engine.scrub(-500)
    assert engine.shown == 0
    engine.single_step()
    assert engine.paused and engine.frame == 51 and engine.shown == 50


def test_the_tape_keeps_a_minute(engine: Engine):
    engine.restarts = False
    engine.advance(round(SECONDS * 30) + 45)
    tape = engine.cast[0].tape
    assert tape.first == 45
    record = tape.recording(0, 10**9)
    assert len(record) == 1800 and np.allclose(np.diff(record.time), 1 / 30)
    assert record.time[0] == pytest.approx(1.5)


def test_what_is_exported_is_what_was_seen(engine: Engine, tmp_path: Path):
    engine.advance(80)
    engine.mark_in, engine.mark_out = 20, 59
    record = engine.cast[0].tape.recording(20, 59)
    seen = [engine.cast[0].tape.xpos[engine.cast[0].tape.slot(k)] for k in range(20, 60)]

    name, content = export(engine, 0, "bvh")
    assert name == "pace.bvh"
    (tmp_path / name).write_bytes(content)
    clip = read_bvh(tmp_path / name)
    positions, _ = clip.globals()
    order = [clip.joints.index(part) for part in engine.body.bodies]
    assert clip.frames == 40 and clip.fps == pytest.approx(30)
    assert np.abs(positions[:, order] - np.array(seen)).max() < 1e-4
    assert np.abs(BodyClip("humanoid", 30.0, record.qpos).positions()[0] - np.array(seen)).max() < 1e-6

    name, content = export(engine, 0, "csv")
    head, *rows = content.decode().splitlines()
    assert head.split(",")[:4] == ["time", "abdomen_x.MA", "abdomen_x.MR", "abdomen_x.MF"]
    table = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    assert table.shape == (40, 1 + 6 * len(record.joints))
    assert table[:, 0] == pytest.approx(record.time, abs=1e-4)
    column = head.split(",").index("left_knee.MF")
    assert table[:, column] == pytest.approx(record.fatigue[:, record.joints.index("left_knee"), 2], rel=1e-4)

    name, content = export(engine, 0, "glb")
    magic, version, length = struct.unpack("<4sII", content[:12])
    assert (magic, version, length) == (b"glTF", 2, len(content))
    size = struct.unpack("<I", content[12:16])[0]
    gltf = json.loads(content[20 : 20 + size])
    sampler = gltf["animations"][0]["samplers"][0]["input"]
    assert gltf["accessors"][sampler]["count"] == 40

    name, content = export(engine, 0, "png")
    assert name == "pace.png" and content.startswith(b"\x89PNG")
    with pytest.raises(InputError, match="no export"):
        export(engine, 0, "exe")


def test_everybody_side_by_side_is_exported_as_one_zip_of_the_same_moments(engine: Engine, tmp_path: Path):
    engine.compare([HUMAN, fatigue.preset("cheema2023"), fatigue.preset("off")])
    engine.advance(40)
    engine.mark_in, engine.mark_out = 10, 29
    name, content = export(engine, None, "csv")
    assert name == "pace-csv.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["pace-a.csv", "pace-b.csv", "pace-c.csv"]
        files = [archive.read(part) for part in archive.namelist()]
    assert files == [export(engine, who, "csv")[1] for who in range(3)]
    times = [[row.split(b",")[0] for row in file.splitlines()] for file in files]
    assert len(times[0]) == 21 and times[0] == times[1] == times[2] and files[0] != files[1]
    engine.compare([HUMAN])
    engine.advance(5)
    assert export(engine, None, "bvh")[0] == "pace.bvh"  # alone there is nothing to put together


def test_idles_unwatched_and_runs_at_real_time_when_watched(engine: Engine):
    engine.start()
    try:
        time.sleep(0.2)
        assert engine.frame == 0 and not engine.running
        engine.attend({"somebody", "another"})
        wait_until(lambda: engine.frame > 20)
        engine.attend({"another"})
        assert engine.running
        engine.attend(set())
        assert not engine.running
        stopped = engine.frame
        time.sleep(0.2)
        assert engine.frame <= stopped + 1
    finally:
        engine.stop()


def test_replay_goes_round_between_the_marks(engine: Engine):
    engine.advance(40)
    engine.mark_in, engine.mark_out = 10, 15
    engine.start()
    engine.attend({"somebody"})
    try:
        engine.replay()
        seen = set()
        wait_until(lambda: seen.add(engine.shown) or seen == set(range(10, 16)))
        assert engine.frame == 40
        engine.pause(False)
        wait_until(lambda: engine.frame > 41)
    finally:
        engine.stop()


def test_a_lost_simulation_starts_again_with_a_notice():
    said: list[str] = []
    engine = Engine("pace", notify=said.append)
    engine.advance(20)
    engine.cast[0].player.world.qvel[:] = np.nan
    engine.advance()
    assert said == ["The simulation blew up and was started again."]
    engine.advance(30)
    assert np.isfinite(engine.cast[0].player.world.qpos).all() and spent(engine) < 0.2
    assert len(said) == 1


def test_everybody_on_the_ground_gets_up_after_a_while():
    engine = Engine("run-expert")  # which nobody steers
    engine.advance(5)
    engine.exhaust(0, "whole body", 1.0)
    engine.advance(60)
    assert engine.cast[0].down > 0 and engine.seed == 0
    engine.advance(90)
    assert engine.cast[0].down == 0 and engine.seed == 1 and spent(engine) < 0.5


def test_a_pose_can_be_asked_for_and_the_programme_goes_on():
    engine = Engine("hold-arms")
    assert engine.cast[0].fitness.time_scale == 20
    engine.ask(1.0)
    engine.advance(90)
    shoulder = 7 + engine.body.joints.index("left_shoulder_x")
    assert engine.cast[0].player.world.qpos[0, shoulder] > 1.2
    engine.ask(0.0)
    engine.advance(90)
    assert engine.cast[0].player.world.qpos[0, shoulder] < 0.3
    engine.ask(None)
    engine.advance(1)


def test_opening_speed_suits_a_watcher():
    assert opening_fitness("cheema2023").time_scale == 0.5
    assert opening_fitness("human").time_scale == 20
    assert opening_fitness("human-30").time_scale == 30 and opening_fitness("human-100").time_scale == 100
    assert opening_fitness("off").time_scale == 1
    assert opening_fitness("feng2023-arms").time_scale == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda e: e.push(float("nan"), 0, 1),
        lambda e: e.push(400, 0, -1),
        lambda e: e.push(1e9, 0, 1),
        lambda e: e.push(400, float("inf"), 1),
        lambda e: e.push(400, 0, 1, "tail"),
        lambda e: e.set_speed(0),
        lambda e: e.set_speed(float("nan")),
        lambda e: e.set_gravity(-1),
        lambda e: e.exhaust(0, "tail", 0.5),
        lambda e: e.exhaust(0, "legs", 1.5),
        lambda e: e.set_fitness(0, HUMAN.altered(F=float("nan"))),
        lambda e: e.load("nobody"),
    ],
)
def test_bad_values_are_refused_and_the_simulation_goes_on(engine: Engine, call):
    engine.advance(3)
    with pytest.raises(InputError) as error:
        call(engine)
    assert "\n" not in str(error.value)
    engine.advance(3)
    assert engine.frame == 6 and engine.skill.name == "pace"


def damaged(folder: Path, how: str) -> None:
    path = folder / "brain.onnx"
    if how == "truncated":
        path.write_bytes(path.read_bytes()[:3000])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "not yaml":
        (folder / "params.yaml").write_text("a: [1,")
    elif how == "odd params":
        (folder / "params.yaml").write_text("task: 3\nprogramme: [[1, 2, 3, 4]]\n")
    else:
        model = onnx.load(path)
        entry = next(item for item in model.metadata_props if item.key == "lactic")
        about = json.loads(entry.value)
        if how == "version":
            about["format"] = 99
        elif how == "joints":
            about["joints"] = about["joints"][:-1]
        elif how == "rate":
            about["control_rate"] = 0
        elif how == "limits":
            about["torque_limit"] = about["torque_limit"][:3]
        entry.value = json.dumps(about)
        onnx.save(model, path)


@pytest.mark.parametrize("how", ["truncated", "empty", "not yaml", "odd params", "version", "joints", "rate", "limits"])
def test_a_damaged_brain_is_one_line_and_changes_nothing(engine: Engine, tmp_path: Path, how: str):
    folder = tmp_path / "mine"
    shutil.copytree(catalogue.find("hold-arms").path, folder)
    assert read_skill(folder).name == "mine"
    damaged(folder, how)
    before = engine.cast
    with pytest.raises(InputError) as error:
        engine.load(folder)
    assert "mine" in str(error.value) and "\n" not in str(error.value)
    assert engine.cast is before
    engine.advance(3)


def test_a_character_that_is_put_back_begins_another_take(engine: Engine):
    engine.advance(40)
    engine.start_again()
    engine.advance(30)
    record = engine.cast[0].tape.recording(10, 69)
    assert record.cuts.tolist() == [30] and [len(take) for take in record.takes()] == [30, 30]
    assert [len(take) for take in engine.cast[0].tape.recording(40, 69).takes()] == [30]


def test_motion_downloads_hold_one_take_each(engine: Engine):
    engine.advance(40)
    name, _ = export(engine, 0, "bvh")
    assert name == "pace.bvh"
    engine.start_again()
    engine.advance(30)
    name, content = export(engine, 0, "bvh")
    assert name == "pace-bvh.zip"
    archive = zipfile.ZipFile(io.BytesIO(content))
    assert archive.namelist() == ["pace-1.bvh", "pace-2.bvh"]
    frames = [int(archive.read(n).decode().split("Frames:")[1].split()[0]) for n in archive.namelist()]
    assert frames == [40, 30]
    name, _ = export(engine, 0, "csv")
    assert name == "pace.csv"  # a table of what happened may go on


def test_the_tape_forgets_cuts_with_the_frames_they_lie_in(engine: Engine):
    tape = engine.cast[0].tape
    engine.advance(3)
    engine.start_again()
    engine.advance(tape.size)
    assert not len(tape.recording(0, 10**9).cuts)
    engine.start_again()
    assert tape.cuts == [tape.count]
