"""A run of MuscleVAE as a brain: its file does what torch does, and its player moves as training's simulation."""

import dataclasses
import json
import shutil

import mujoco
import numpy as np
import onnxruntime
import pytest
import torch

from lactic.body import humanoid, muscle_man
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.lab import job
from lactic.lab.feng2023 import beside, commands, fig6, fig8, fig11
from lactic.lab.feng2023.following import windows
from lactic.lab.feng2023.players import Course
from lactic.learn.checkpoint import load
from lactic.learn.export import export_run
from lactic.learn.vae import export
from lactic.learn.vae.export import muscle_brain
from lactic.learn.vae.run import make, train
from lactic.learn.vae.settings import GuideSettings, NetSettings, StudySettings, VaeSettings
from lactic.learn.vae.state import seen
from lactic.learn.vae.trainer import VaeTrainer
from lactic.motion.body_clip import skeleton_clip
from lactic.motion.bvh_write import write_bvh
from lactic.motion.man import ManLibrary
from lactic.picture.recording import Recording
from lactic.play.driver import Asked
from lactic.play.job import PlayOptions, play
from lactic.play.man import FollowingMan, MusclePlayer, Sampling
from lactic.play.man.job import states

NET = NetSettings(latent=8, experts=2, policy=(32,), gate=(8,), encoder=(32,), world=(32,))
STUDY = StudySettings(updates=1, batch=8, window=3, world_window=2, warm=2)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A library, a run of MuscleVAE and one of its high-level policy, each with its brain."""
    folder, model = tmp_path_factory.mktemp("muscle"), muscle_man().model
    qpos, elbow = np.tile(model.qpos0, (41, 1)), model.joint("right_elbow").qposadr[0]
    qpos[:, elbow] = 0.5 + 0.4 * np.sin(2 * np.pi * np.arange(41) / 20)
    ManLibrary.of(20.0, {"swing": qpos, "unseen": qpos[::-1].copy()}, {"unseen": "test"}).save(folder / "man.npz")
    settings = VaeSettings(worlds=4, kept=12, device="cpu", switch=0.0, net=NET, study=STUDY, tires=False)
    train(settings, folder / "vae", iterations=1, clips=folder, say=lambda _: None)
    guide = GuideSettings(vae=str(folder / "vae"), hidden=(16,), batch=4, window=2, worlds=4, device="cpu")
    train(guide, folder / "steer", iterations=1, clips=folder, say=lambda _: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "STARTS", 4)
        export_run(folder / "vae", folder / "vae-brain", clips=folder)
        patch.setattr(export, "export_law", lambda path, fitness: None)  # the same once more would take seconds
        export_run(folder / "steer", folder / "steer-brain", clips=folder)
    return folder


def given(brain, count=3, seed=0):
    """Random inputs of a brain, by name."""
    rng, model = np.random.default_rng(seed), muscle_man().model
    data, rows = mujoco.MjData(model), []
    for _ in range(2 * count):
        data.qpos[:], data.qvel[:] = model.qpos0, rng.normal(size=model.nv)
        mujoco.mj_integratePos(model, data.qpos, 0.4 * rng.normal(size=model.nv), 1.0)
        mujoco.mj_kinematics(model, data)
        rows.append((data.qpos.copy(), data.qvel.copy(), data.xquat[1:].copy()))
    qpos, qvel, xquat = (np.array(column, np.float32) for column in zip(*rows, strict=True))
    after = np.concatenate([qpos[count:, :3], qvel[count:], xquat[count:].reshape(count, -1)], 1)
    told = np.concatenate([np.ones((count, 1)), after], 1) if brain.guide is None else rng.normal(size=(count, 2))
    tired = rng.dirichlet([1, 2, 1], (count, brain.muscles.count))
    noise = rng.normal(size=(count, NET.latent))
    arrays = (qpos[:count], qvel[:count], xquat[:count], told, tired, noise)
    return dict(zip(("qpos", "qvel", "xquat", "command", "fatigue", "noise"), arrays, strict=True))


@pytest.mark.parametrize("name", ["vae", "steer"])
def test_the_file_does_what_torch_does(home, name):
    brain, info, _ = muscle_brain(home / name)
    file = catalogue.find(home / f"{name}-brain").load()
    assert file.info == info and file.info.host == "muscle-man" and file.info.substeps == 6
    inputs = {key: np.asarray(value, np.float32) for key, value in given(brain).items()}
    with torch.no_grad():
        meant = brain(**{key: torch.tensor(value) for key, value in inputs.items()}).numpy()
    np.testing.assert_allclose(file(**inputs)["action"], meant, atol=1e-5)
    assert np.abs(meant).max() > 1e-3  # there is something to compare
    for part in ("command", "fatigue", "noise"):  # each is looked at
        assert np.abs(file(**inputs | {part: inputs[part][::-1].copy()})["action"] - meant).max() > 1e-5


def test_law_and_body_lie_beside(home):
    folder = home / "vae-brain"
    law = json.loads(onnxruntime.InferenceSession(folder / "law.onnx").get_modelmeta().custom_metadata_map["lactic"])
    info = catalogue.find(folder).load().info
    assert tuple(law["muscles"]) == info.joints and law["physics_rate"] == info.physics_rate
    assert np.allclose(law["rates"], info.rates)
    assert mujoco.MjModel.from_xml_path(str(folder / "body.xml")).nv == muscle_man().model.nv


def test_a_host_of_two_files_and_the_body_moves_as_the_player(home):
    folder, single = home / "vae-brain", np.float32
    brain, law = (onnxruntime.InferenceSession(folder / name) for name in ("brain.onnx", "law.onnx"))
    note = json.loads(brain.get_modelmeta().custom_metadata_map["lactic"])
    model = mujoco.MjModel.from_xml_path(str(folder / "body.xml"))
    data, muscles = mujoco.MjData(model), len(note["joints"])
    command, noise = (np.zeros((1, n), single) for n in (note["command"], note["codes"]["size"]))
    state = {name: np.zeros((1, muscles), single) for name in ("length", "rate")}
    state["fatigue"] = np.tile(single([0, 1, 0]), (1, muscles, 1))
    player = MusclePlayer(catalogue.find(folder).load())
    for _ in range(5):
        mujoco.mj_kinematics(model, data)
        seen_now = {"qpos": data.qpos, "qvel": data.qvel, "xquat": data.xquat[1:]}
        given_now = {name: single(value)[None] for name, value in seen_now.items()}
        (action,) = brain.run(["action"], given_now | {"command": command, "fatigue": state["fatigue"], "noise": noise})
        for _ in range(round(note["physics_rate"] / note["control_rate"])):
            mujoco.mj_step1(model, data)
            poses = {"xpos": single(data.xpos[1:])[None], "xquat": single(data.xquat[1:])[None]}
            rest = {"action": action, "fitness": single(note["rates"])[None]}
            wrench, length, rate, tired, _ = law.run(None, poses | rest | state)
            state = {"length": length, "rate": rate, "fatigue": tired}
            data.xfrc_applied[1:] = wrench[0]
            mujoco.mj_step2(model, data)
        player.step(command)
    np.testing.assert_allclose(player.world.qpos[0], data.qpos, atol=1e-3)
    np.testing.assert_allclose(player.fatigue[0], state["fatigue"][0], atol=1e-3)
    assert np.abs(data.qpos - model.qpos0).max() > 0.01


def test_the_player_moves_as_trainings_simulation(home):
    trainer = make(dataclasses.replace(muscle_brain(home / "vae")[2], worlds=1, astray=9.0), home)
    assert isinstance(trainer, VaeTrainer)
    trainer.load(load(home / "vae" / "checkpoint", ("weights",))[0]["weights"], "test")
    crowd, controller = trainer.crowd, trainer.controller
    player = MusclePlayer(catalogue.find(home / "vae-brain").load())
    driver = FollowingMan(player, ManLibrary.load(home / "man.npz").poses(0))
    crowd.frame[:] = 0
    start = trainer.reference
    crowd.men.reset(None, start.qpos[:1].numpy(), start.qvel[:1].numpy())
    player.place(None, start.qpos[:1].numpy(), start.qvel[:1].numpy(), rest=True)
    for _ in range(20):
        with torch.no_grad():
            state, goal = crowd.state(), crowd.goal()
            sight = controller.sight(seen(crowd.skeleton, state), state.fatigue)
            mean = controller.middle(sight) + controller.shift(sight, controller.view(start.flat[goal]))
            crowd.step(controller.act(controller.intent(sight, mean), state))
        driver.step()
    np.testing.assert_allclose(player.world.qpos, crowd.men.qpos, atol=1e-4)
    np.testing.assert_allclose(player.fatigue, crowd.men.fatigue, atol=1e-4)
    assert np.abs(player.world.qpos - start.qpos[:1].numpy()).max() > 0.05  # it moved


def test_those_who_fall_stand_up_as_tired_as_they_are(home):
    player = MusclePlayer(catalogue.find(home / "steer-brain").load(), count=2)
    driver = Asked(player, lambda: np.array([1.0, 0.0]), start=states(catalogue.find(home / "steer-brain"), player))
    player.exhaust(player.info.joints[:3], 0.5)
    driver.step()
    driver.reset(np.array([True, False]))
    assert player.fatigue[:, :3, 2] == pytest.approx(0.5, abs=0.02)
    assert player.world.qpos[0, 2] == pytest.approx(driver.start[0][0, 2])
    driver.reset()
    assert (player.world.qpos == driver.start[0]).all() and player.fatigue[:, :3, 2].min() > 0.4


def test_samples_differ_by_seed_alone(home):
    folder = catalogue.find(home / "vae-brain")
    ends = []
    for seed in (1, 1, 2):
        player = MusclePlayer(folder.load())
        driver = Sampling(player, (muscle_man().rest[None], np.zeros((1, muscle_man().model.nv))), seed=seed)
        for _ in range(5):
            driver.step()
        ends.append(player.world.qpos.copy())
    assert np.array_equal(ends[0], ends[1]) and not np.allclose(ends[0], ends[2])
    with pytest.raises(InputError, match="has no prior to sample from"):
        Sampling(MusclePlayer(catalogue.find(home / "steer-brain").load()), driver.start)


def test_play_leaves_a_folder(home, tmp_path):
    options = PlayOptions(clip="swing", library=home / "man.npz", film=False, seconds=0.5)
    summary = play(str(home / "vae-brain"), tmp_path, options, lambda _: None)
    assert summary["frames"] == 10 and summary["body"] == "muscle-man"
    record = Recording.load_file(tmp_path / "recording.npz")
    assert record.fatigue.shape == (10, 284, 3) and record.qpos.shape[1] == muscle_man().model.nq
    assert {"motion.bvh", "film.png", "fatigue.png"} <= {path.name for path in tmp_path.iterdir()}
    for wrong, said in (
        ({"clip": "swim", "library": home / "man.npz"}, "not in the library"),
        ({"speed": 1.0}, "cannot be told a speed"),
        ({"body": "person"}, "moves the muscle man alone"),
    ):
        with pytest.raises(InputError, match=said):
            play(str(home / "vae-brain"), tmp_path / "none", PlayOptions(**wrong), lambda _: None)
    assert not (tmp_path / "none").exists()


def test_a_clip_of_the_skeleton_is_where_mujoco_has_it():
    model, rng = muscle_man().model, np.random.default_rng(3)
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, 0.5 * rng.normal(size=model.nv), 1.0)
    mujoco.mj_kinematics(model, data)
    places, _ = skeleton_clip(muscle_man(), data.qpos[None].copy(), 20.0, "pose").globals()
    np.testing.assert_allclose(places[0], data.xpos[1:], atol=1e-6)


@pytest.mark.parametrize(
    ("item", "name", "metric"),
    [
        ("following", "vae", "windows_without_a_fall"),
        ("fig5", "vae", "share_followed"),
        ("fig6", "vae", "share_up"),
        ("fig7", "vae", "highest_activation"),
        ("fig8", "vae", "fatigue_a_second"),
        ("runtime", "steer", "times_physics_alone"),
    ],
)
def test_lab_measures_a_brain_that_cannot_stand(home, tmp_path, item, name, metric, monkeypatch):
    monkeypatch.setattr(fig6, "SECONDS", 2.0)
    monkeypatch.setattr(fig8, "SECONDS", 2.0)
    options = {"episodes": 2, "brains": (str(home / f"{name}-brain"),), "clips": home, "say": lambda _: None}
    (report,) = job.run("feng2023", item, tmp_path, **options)
    found = [row for row in report.rows if row.metric == metric]
    assert found and all(row.value is not None for row in found)
    if item in ("following", "fig6", "runtime"):
        assert all(row.low <= row.value <= row.high for row in found)
    if item in ("following", "fig6"):
        assert found[0].value == 0.0  # untrained, it falls
    else:
        assert all(row.value >= 0.0 for row in found) and max(row.value for row in found) > 0.0
    assert list(tmp_path.glob(f"{item}*.png"))


def test_joints_and_muscles_side_by_side(home, tmp_path, monkeypatch):
    file = tmp_path / "stand.bvh"
    body = humanoid()
    clip = skeleton_clip(body, np.tile(body.rest, (60, 1)), 30.0, "stand")
    write_bvh(file, clip)
    monkeypatch.setattr(beside, "SECONDS", 0.5)
    options = {"episodes": 1, "brains": (str(home / "vae-brain"),), "clips": home, "say": lambda _: None}
    (report,) = job.run("feng2023", "beside", tmp_path / "out", motions=(str(file),), **options)
    followed = [row for row in report.rows if row.metric == "seconds_followed"]
    assert [row.subject for row in followed] == ["actor", "vae-brain"]
    assert all(0.0 < row.value <= 0.55 for row in followed)
    ends = [row for row in report.rows if row.metric == "fatigued_at_the_end"]
    assert len(ends) == 2 * beside.NAMED and all(0.0 <= row.value < 0.5 for row in ends)
    assert any("knee" in row.condition or "hip" in row.condition or "ankle" in row.condition for row in ends[:5])
    (report,) = job.run("feng2023", "beside", tmp_path / "none", **options)
    assert not report.rows and "no motion" in report.skipped[0]


def test_parts_that_lost_half_of_their_strength_come_first():
    rising = np.linspace(0.0, 1.0, 11)
    columns = np.stack([0.6 * rising, rising, 0.1 * rising], 1)
    spent = beside.Wearied(10.0, ("slow", "quick", "still"), columns, 0.0 * rising)
    assert spent.first() == [("quick", 0.5, 1.0), ("slow", 0.9, 0.6), ("still", np.inf, pytest.approx(0.1))]


def test_learning_curves_are_compared_on_the_same_budget(home, tmp_path):
    for name, control, holds in (("springs", "length", (10, 20, 40)), ("plain", "activation", (10, 12))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "params.yaml").write_text(f"control: {control}\n")
        rows = [{"samples": 100.0 * k, "seconds": float(k), "hold": hold} for k, hold in enumerate(holds, 1)]
        (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runs = tuple(str(tmp_path / name) for name in ("springs", "plain", "none"))
    (report,) = job.run("feng2023", "fig12", tmp_path / "out", motions=runs, say=lambda _: None)
    assert report.value("springs", "springs on lengths", "steps_until_lost") == 20  # at 200 samples, as the other has
    assert report.value("runs", "springs beside activations", "steps_longer") == 8
    assert "none" in report.skipped[0]


def test_a_course_tells_speeds_of_those_that_stay_up():
    time = np.arange(201) / 20
    place = np.stack([np.stack([v * time, 0 * time], -1) for v in (1.0, 2.0, 3.0)], 1)
    made = Course(20.0, place, np.zeros((201, 3)), np.array([np.inf, np.inf, 4.0]), np.zeros(3))
    assert made.along(np.array([1.0, 0.0]), 2.0, 8.0) == pytest.approx([1.0, 2.0, np.nan], nan_ok=True)
    assert made.velocity()[100] == pytest.approx(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]))
    assert made.up.tolist() == [True, True, False]


def test_windows_are_ten_seconds_or_whole_clips():
    library = ManLibrary.of(20.0, {"long": np.tile(muscle_man().rest, (501, 1)), "short": muscle_man().rest[None]})
    assert [len(window) for window in windows(library, "train", 9, 0)] == [201, 201, 1]
    assert len(windows(library, "train", 2, 0)) == 2 and windows(library, "test", 9, 0) == []


def test_start_states_are_the_characters_own(home, monkeypatch):
    brain, _, own = muscle_brain(home / "vae")
    library = ManLibrary.load(home / "man.npz")
    monkeypatch.setattr(export, "STARTS", 8)
    with pytest.raises(InputError, match="leaves every clip"):
        export.own_states(brain, library, own)
    monkeypatch.setattr(export, "WARM_UP", 2)  # an untrained one stays up for less than a second
    qpos, qvel = export.own_states(brain, library, own)
    assert qpos.shape == (8, muscle_man().model.nq) and qvel.shape == (8, muscle_man().model.nv)
    apart = np.abs(qpos[:, None, 7:] - library.qpos[None, :, 7:]).max(-1).min(1)
    assert apart.min() > 1e-3  # no frame of a clip
    assert qpos[:, 2] == pytest.approx(muscle_man().rest[2], abs=0.3)


def test_lab_measures_speeds_turns_and_tired_runs(home, tmp_path, monkeypatch):
    brain = tmp_path / "lying"  # a brain to which lying is no fall, so that all numbers exist
    shutil.copytree(home / "steer-brain", brain)
    params = brain / "params.yaml"
    params.write_text(params.read_text().replace("height: 1.0", "height: -1.0"))
    for module, name, value in (
        (commands, "USERS", 1),
        (commands, "MINUTES", 0.05),
        (commands, "SETTLE", 2.0),
        (commands, "LOOK", 1.0),
        (commands, "BEFORE", 1.0),
        (commands, "AFTER", 2.0),
        (fig11, "SCALES", (5.0,)),
        (fig11, "RUN", 6.0),
        (fig11, "AFTER", 1.0),
        (fig11, "AGAIN", 8.0),
        (fig11, "LONG", 6.0),
    ):
        monkeypatch.setattr(module, name, value)
    options = {"episodes": 2, "brains": (str(brain),), "say": lambda _: None}
    (asked,) = job.run("feng2023", "commands", tmp_path, **options)
    speed = asked.value("lying", "asked 3 m/s", "speed_m_s")
    assert asked.value("lying", "asked 3 m/s", "speed_error_m_s") == pytest.approx(3.0 - speed, abs=1e-6)
    assert abs(speed) < 0.3 and asked.value("lying", "user", "falls_in_5_minutes") == 0.0
    (tired,) = job.run("feng2023", "fig11", tmp_path, **options)
    assert tired.value("lying", "standing", "share_up") == 1.0
    assert 0.0 < tired.value("lying", "standing", "fatigue_rises") < 0.5
    recovers = [tired.value("lying", condition, "recovers") for condition in ("standing", "walking")]
    assert tired.value("lying", "standing beside walking", "recovers_more") == pytest.approx(recovers[0] - recovers[1])
