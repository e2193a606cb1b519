"""The host of a brain that follows motions: it tells what training told, and lets the motion run as the brain says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from risers import getting_up

from lactic import body as bodies
from lactic import rotation
from lactic.brain.catalogue import BrainFolder
from lactic.brain.export import export
from lactic.brain.file import BrainFile, BrainInfo
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.fatigue import preset, rates
from lactic.lab.tired_actor.following import follow
from lactic.learn.networks import Actor
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import collect
from lactic.motion.library.rises import save_rises, stored_rises, stored_worth
from lactic.motion.rising import Rises, moved, rising
from lactic.motion.standing import standing
from lactic.play.own_rises import led_up, own_rises, proven, write_rises
from lactic.play.player import Player
from lactic.play.tracked import Tracked
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.rising import leads, with_leads
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings
from lactic.task.tracking.task import Track
from lactic.world.cpu import CpuWorld

BODY = bodies.get("humanoid")
CLIP = standing(BODY, 3.0, 30.0, sway=3.0)
SETTINGS = TrackTaskSettings(
    fatigue=FatigueSettings(mode="limits", fresh=1.0), track=TrackSettings(waits=True, leash=0.1)
)


def write_follower(path: Path, settings: TrackTaskSettings = SETTINGS) -> Actor:
    """Write an untrained follower whose clock runs at 0.7; its policy."""
    observer, action = Track.parts(BODY, settings)
    torch.manual_seed(0)
    actor = Actor(observer, action, (16,))
    with torch.no_grad():
        actor.network[-1].bias[action.layout["clock"]] = -0.75  # type: ignore[index]
    fitness = preset("human-30")
    info = BrainInfo(
        "follower",
        BODY.name,
        BODY.joints,
        30.0,
        120.0,
        tuple(BODY.stiffness),
        tuple(BODY.damping),
        tuple(BODY.torque_limit),
        fitness.name,
        tuple(map(tuple, rates(fitness, BODY.groups).tolist())),
        command=observer.command_size,
        asks="motion",
        **observer.about,
    )
    export(Brain(BODY, actor.eval()), info, path)
    return actor


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Actor, Path]:
    """An untrained follower, as a policy and as a file."""
    path = tmp_path_factory.mktemp("tracked") / "brain.onnx"
    return write_follower(path), path


def test_a_host_does_what_training_does(brain: tuple[Actor, Path]) -> None:
    actor, path = brain
    driver = Tracked(Player(BrainFile(path)), CLIP)
    task = Track(CpuWorld(BODY, 1, threads=1), motions([CLIP], BODY, 30.0), SETTINGS)
    task.begin(torch.zeros(1, task.chance))
    task.arena.reset(torch.ones(1, dtype=torch.bool), task.start_qpos, task.start_qvel)
    with torch.no_grad():
        for _ in range(20):
            task.decide(actor.mean(task.observation()))
            task.arena.step(4)
            task.look()
            driver.step()
    assert driver.time[0] == pytest.approx(0.54, rel=0.05)  # a clock of 1 that comes to 0.7 by and by
    assert driver.time[0] == pytest.approx((task.frame[0].item() + task.part[0].item()) / 30.0, abs=1e-5)
    np.testing.assert_allclose(driver.place, task.place.numpy(), atol=1e-4)
    np.testing.assert_allclose(driver.here, task.here.numpy(), atol=1e-4)
    np.testing.assert_allclose(driver.moment(4).xpos, task.moment(4).xpos.numpy(), atol=1e-4)
    np.testing.assert_allclose(driver.player.world.qpos, task.arena.qpos.numpy(), atol=2e-3)
    assert driver.error()[0] == pytest.approx(task.error[0].item(), abs=1e-3)


def test_a_motion_that_is_lost_is_found_again_where_the_body_lies(brain: tuple[Actor, Path]) -> None:
    driver = Tracked(Player(BrainFile(brain[1]), count=2), CLIP)
    for _ in range(10):
        driver.step()
    before = driver.time.copy()
    lying = driver.player.world.qpos.copy()
    lying[0, :3] = 5.0, 5.0, 0.1
    driver.player.world.reset(None, lying, np.zeros_like(driver.player.world.qvel))
    assert driver.fallen().tolist() == [True, False]
    assert driver.stand_up().tolist() == [True, False]
    assert not driver.fallen().any()
    np.testing.assert_array_equal(driver.time, before)
    np.testing.assert_allclose(driver.player.world.qpos[0, :2], 5.0, atol=1e-4)


def test_it_ends_with_the_motion(brain: tuple[Actor, Path]) -> None:
    driver = Tracked(Player(BrainFile(brain[1])), CLIP.cut(0.0, 0.5))
    for _ in range(25):
        driver.step()
        driver.stand_up()
    assert driver.finished.all()
    assert driver.time[0] <= 0.55


def test_other_brains_do_not_follow_motions() -> None:
    from lactic.brain import catalogue

    with pytest.raises(InputError, match="does not follow motions"):
        Tracked(Player(catalogue.find("pace").load()), CLIP)


def test_motions_are_followed_side_by_side_and_judged(brain: tuple[Actor, Path]) -> None:
    still, short = standing(BODY, 1.0, 30.0, sway=0.0), CLIP.cut(0.0, 0.4)
    found = follow(BrainFolder(brain[1].parent), [still, short], preset("off"))
    assert found.success.tolist() == [True, True]
    assert (found.errors > 0).all() and (found.errors[:, 0] < 100).all()
    fast = still.qpos.copy()
    fast[:, 0] += 3.0 * np.arange(still.frames) / 30.0  # nobody stands and glides at 3 m/s
    lost = follow(BrainFolder(brain[1].parent), [replace(still, qpos=fast)], preset("off"))
    assert lost.success.tolist() == [False]


def test_a_host_and_training_lead_a_body_up_alike(brain: tuple[Actor, Path]) -> None:
    actor, path = brain
    settings = replace(SETTINGS, track=replace(SETTINGS.track, fallen=1.0))
    table = motions([CLIP], BODY, 30.0)
    made = leads([getting_up()], table, 30.0, falls=1)
    task = Track(CpuWorld(BODY, 1, threads=1), with_leads(table, made, 30.0), settings)
    task.begin(torch.zeros(1, task.chance))
    driver = Tracked(Player(BrainFile(path)), CLIP, rises=rising(getting_up()))
    driver.lie(task.arena.qpos.numpy().astype(float))
    begun = task.frame[0].item(), driver.led_frame[0]
    with torch.no_grad():
        for _ in range(20):
            task.decide(actor.mean(task.observation()))
            task.arena.step(4)
            task.look()
            driver.step()
            assert driver.down[0] and driver.led[0] and task.down[0]
            frames = driver.led_frame[0] - begun[1] + driver.led_part[0]
            assert frames == pytest.approx(task.frame[0].item() - begun[0] + task.part[0].item(), abs=1e-3)
            np.testing.assert_allclose(driver.led_place, task.place.numpy(), atol=5e-3)  # carried with its body
            assert driver.error()[0] == pytest.approx(task.error[0].item(), abs=2e-3)
    assert driver.time[0] == 0.0 and driver.lain[0] == pytest.approx(20 / 30)


def test_who_stands_again_is_given_back_to_its_own_motion_turned_as_it_is(brain: tuple[Actor, Path]) -> None:
    driver = Tracked(Player(BrainFile(brain[1]), count=2), CLIP, rises=rising(getting_up()))
    for _ in range(30):
        driver.step()
    waiting = driver.time.copy()
    assert (waiting > 0.3).all()
    driver.about = replace(driver.about, rises=6.0)
    world = driver.player.world
    lies = world.qpos.copy()
    lies[0] = moved(getting_up().qpos[:1], 2.0, np.array([5.0, 6.0]))[0]
    world.reset(None, lies, np.zeros_like(world.qvel))
    driver.rise()
    assert driver.down.tolist() == driver.led.tolist() == [True, False]
    assert driver.error()[0] < 1e-4  # it is led from its own pose
    driver.led_frame[0] = driver.led_last[0]
    world.reset(np.array([True, False]), driver.moment().qpos.astype(float), np.zeros_like(world.qvel))
    driver.rise()
    assert not driver.led.any() and not driver.down.any()
    assert driver.turn[1] == 0.0
    now = driver.moment()
    np.testing.assert_allclose(now.qpos[0, :2], world.qpos[0, :2], atol=1e-4)
    assert rotation.heading(now.qpos[0, 3:7]) == pytest.approx(2.0, abs=0.02)
    np.testing.assert_allclose(now.xpos[0, 0], now.qpos[0, :3], atol=1e-4)
    np.testing.assert_array_equal(driver.time, waiting)
    driver.step()
    assert driver.time[0] > waiting[0]


def test_who_falls_back_is_led_anew_and_a_motion_on_the_floor_is_not_risen_from(brain: tuple[Actor, Path]) -> None:
    driver = Tracked(Player(BrainFile(brain[1])), CLIP, rises=rising(getting_up()))
    lying = getting_up().qpos[:1]
    driver.lie(lying)
    begun = driver.led_frame.copy()
    driver.led_frame += 80  # it stands, and the body lies
    assert driver.error()[0] > 0.5
    driver.rise()
    assert driver.led.all() and driver.error()[0] < 1e-4
    np.testing.assert_array_equal(driver.led_frame, begun)
    low = Tracked(Player(BrainFile(brain[1])), getting_up(), rises=rising(getting_up()))
    low.lie(lying)
    assert low.down.all() and not low.led.any()


def test_without_rising_motions_the_motion_stands_still_over_who_lies(brain: tuple[Actor, Path]) -> None:
    driver = Tracked(Player(BrainFile(brain[1])), CLIP)
    assert driver.rises is None
    driver.lie(getting_up().qpos[:1] + np.eye(1, BODY.model.nq))
    for _ in range(5):
        driver.step()
    assert driver.down.all() and driver.time[0] == 0.0
    np.testing.assert_allclose(driver.moment().qpos[:, :2], driver.player.world.qpos[:, :2], atol=1e-4)
    assert not driver.moment().qvel.any()
    up = driver.moment().qpos.astype(float)
    driver.player.world.reset(None, up, np.zeros((1, BODY.model.nv)))
    driver.step()
    assert not driver.down.any()


def test_rising_motions_are_kept_beside_the_brain(brain: tuple[Actor, Path], tmp_path: Path) -> None:
    assert stored_rises(tmp_path, BODY) == []
    (stretch,) = rising(getting_up())
    collect([stretch], ["rise"], ["made"]).save(tmp_path / "rises.npz")
    tall = bodies.get("person-1.90-80")
    for body in (BODY, tall):
        (plain,) = stored_rises(tmp_path, body)
        np.testing.assert_allclose(plain.qpos[:, 2], stretch.qpos[:, 2] * body.rest[2] / BODY.rest[2], atol=1e-3)
    with pytest.raises(InputError, match="motions of 'humanoid', not of 'ant'"):
        stored_rises(tmp_path, bodies.get("ant"))
    (tmp_path / "brain.onnx").write_bytes(brain[1].read_bytes())
    assert Tracked(Player(BrainFile(tmp_path / "brain.onnx")), CLIP).rises is not None
    assert Tracked(Player(BrainFile(tmp_path / "brain.onnx")), CLIP, strict=True).rises is None
    (tmp_path / "rises.npz").write_bytes(b"PK damaged")
    with pytest.raises(InputError, match=r"rises\.npz"):
        Tracked(Player(BrainFile(tmp_path / "brain.onnx")), CLIP)


def test_a_character_s_own_rises_are_what_it_did_itself(brain: tuple[Actor, Path], tmp_path: Path) -> None:
    still = standing(BODY, 1.0, 30.0, sway=0.0)
    (made,) = own_rises(BrainFile(brain[1]), [still, getting_up()])  # nobody tilts onto its feet
    assert made.name == "rise_1" and made.body_name == BODY.name and made.fps == 30.0
    assert 0.001 < np.abs(made.qpos[10] - still.qpos[10]).max() < 0.3
    assert 1.3 < made.seconds < 1.5  # its clock comes to 0.7
    said: list[str] = []
    write_rises(brain[1].parent, tmp_path, said.append)  # it never learnt to get up
    assert not said


def test_a_folder_gets_rises_only_of_motions_that_rise_and_were_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("lactic.play.own_rises.FALLS", 4)
    write_follower(tmp_path / "brain.onnx", replace(SETTINGS, track=replace(SETTINGS.track, fallen=0.5)))
    for clip, line in ((CLIP, "not written; no motion of the library"), (getting_up(), "not written; none of 5")):
        collect([clip], ["train"], ["made"]).save(tmp_path / "library.npz")
        write_rises(tmp_path, tmp_path, said.append)
        assert line in said[-1]
    assert not (tmp_path / "rises.npz").exists()
    clips = tmp_path / "clips"  # of a run that was trained with such a file
    clips.mkdir()
    for name in ("rises", "library"):
        collect([getting_up()], ["rise"], ["made"]).save(clips / f"{name}.npz")
    write_rises(tmp_path, clips, said.append)
    assert "2 of the 2 motions" in said[-1]  # nobody gets up by them, but there are no better ones
    plain, image = stored_rises(tmp_path, BODY)
    np.testing.assert_allclose(plain.qpos, getting_up().qpos, atol=1e-3)
    np.testing.assert_allclose(image.qpos, plain.mirror().qpos, atol=1e-3)


def test_motions_that_lead_up_in_vain_give_way_to_others(
    brain: tuple[Actor, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (near,) = rising(getting_up())
    far = replace(near, name="far", qpos=near.qpos + 0.1 * (np.arange(35) > 6))
    poses = np.repeat(near.qpos[:1], 10, axis=0)
    asked: list[np.ndarray] = []

    def tried(
        _: BrainFile, motions: list[BodyClip], poses: np.ndarray, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """All get up by the far one, fresh and tired, every second one by its mirror image, and none by others."""
        rises = Rises(motions)
        own = rises.owner[rows]
        asked.append(own)
        return own, np.choose(own, [0 * own, 2 + 0 * own, 0 * own, 1 + 0 * own])

    monkeypatch.setattr("lactic.play.own_rises.led_up", tried)
    kept, worth = proven(BrainFile(brain[1]), [near, far], poses)
    assert [set(own.tolist()) for own in asked[:1]] == [{0}] and len(asked) == 4  # the nearest first, and all of four
    assert [motion.name for motion in kept] == ["far"]
    np.testing.assert_allclose(worth, [(10 + 2 * 15 / 40) / 12])  # a little towards the mean of all
    save_rises(tmp_path / "rises.npz", kept, worth)
    (stored,), told = stored_rises(tmp_path, BODY), stored_worth(tmp_path)
    assert stored.name == "far" and told is not None
    np.testing.assert_allclose(told, worth, atol=1e-6)
    arrays = dict(np.load(tmp_path / "rises.npz"))
    np.savez(tmp_path / "rises.npz", **(arrays | {"worth": np.array([0.5, 0.5])}))
    with pytest.raises(InputError, match="a share for each motion"):
        stored_worth(tmp_path)


def test_each_body_is_tried_fresh_and_tired(brain: tuple[Actor, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    spent = []
    monkeypatch.setattr(Player, "exhaust", lambda player, joints, share: spent.append((len(joints), share)))
    (motion,) = rising(getting_up())
    own, up = led_up(BrainFile(brain[1]), [motion, motion.mirror()], motion.qpos[:2])
    assert spent == [(28, 0.0), (28, 0.5)]
    assert own.tolist() == [0, 0] and up.shape == (2,) and set(up.tolist()) <= {0, 1, 2}
