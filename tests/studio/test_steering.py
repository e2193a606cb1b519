"""Steering in the studio: a brain that has learnt nothing, led by keys and by a gamepad in real Chromium."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from browser import Page, wait

from lactic.errors import InputError
from lactic.studio.actor import read_skill
from lactic.studio.engine import Engine
from lactic.studio.gamepads import read, turned
from lactic.studio.paths import ASKED, MATCHED, curve
from lactic.studio.server import Studio

FAKE = """
window.sticks = [0, 0, 0, 0]; window.pressed = {};
navigator.getGamepads = () => [null, {
  connected: true, axes: window.sticks,
  buttons: Array.from({length: 17}, (_, k) => window.pressed[k] ?? 0).map((value) => ({value, pressed: value > 0.5})),
}];
"""


@pytest.fixture(scope="module")
def brain(follower: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The brain's folder, with a database in it as a shipped one has."""
    folder = shutil.copytree(follower, tmp_path_factory.mktemp("steering") / "steer")
    shutil.copy(follower.parent / "steps.npz", folder / "database.npz")
    return folder


@pytest.fixture
def engine(brain: Path) -> Engine:
    return Engine(brain)


@pytest.fixture(scope="module")
def studio(brain: Path):
    studio = Studio(brain, port=0)
    studio.start()
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def page(studio: Studio, window: Page) -> Page:
    """The page once its gamepad's socket is open."""
    wait(lambda: studio.server.gamepads.pages, "the gamepad's socket")
    return window


def test_keys_hold_the_stick_as_the_camera_sees_it(studio: Studio, page: Page):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    engine, camera = studio.engine, next(iter(studio.server.get_clients().values())).camera
    away = (camera.look_at - camera.position)[:2]
    away /= np.linalg.norm(away)
    before = camera.position.copy()
    ActionChains(page.driver).key_down("w").key_down(Keys.SHIFT).perform()
    wait(lambda: engine.pad[4] == 1, "the trigger")
    assert engine.pad[:2] == pytest.approx(away, abs=0.02)
    start = engine.frame
    wait(lambda: engine.frame > start + 40, "a second of running")
    goal = engine.cast[0].steered.kinematic.state.goal[0]
    assert goal[:2] == pytest.approx(3.2 * away, abs=0.1)
    assert camera.position == pytest.approx(before)  # viser would move the camera by the same keys
    ActionChains(page.driver).key_up("w").key_up(Keys.SHIFT).key_down(Keys.ARROW_LEFT).key_down("c").perform()
    wait(lambda: engine.pad[5] == 1, "the button")
    assert engine.pad[:2] == pytest.approx([-away[1], away[0]], abs=0.02) and engine.pad[4] == 0
    ActionChains(page.driver).key_up(Keys.ARROW_LEFT).key_up("c").perform()
    wait(lambda: not engine.pad.any(), "rest")


def test_typing_into_a_box_does_not_steer(studio: Studio, page: Page):
    page.tab("Yours")
    page.type("Folder", "wasd", "@type='text' or not(@type)")
    wait(lambda: studio.panels.path.value == "wasd", "the text")
    assert not studio.engine.pad.any()
    page.driver.execute_script("document.activeElement.blur()")


def test_a_gamepad_steers(studio: Studio, page: Page):
    engine = studio.engine
    page.driver.execute_script(FAKE)
    page.driver.execute_script("window.sticks = [0, -0.8, 1, 0]; window.pressed = {7: 0.5}")
    wait(lambda: engine.pad[4] == 0.5, "the trigger")
    assert np.linalg.norm(engine.pad[:2]) == pytest.approx(0.8) and np.linalg.norm(engine.pad[2:4]) == pytest.approx(1)
    assert engine.pad[:2] @ engine.pad[2:4] == pytest.approx(0, abs=1e-9)  # looks to the right of where it goes
    start = engine.frame
    wait(lambda: engine.frame > start + 30, "a second of walking")
    kinematic = engine.cast[0].steered.kinematic
    assert kinematic.state.goal[0, :2] @ engine.pad[:2] > 1.0
    page.driver.execute_script("window.sticks = [0, 0, 0, 0]; window.pressed = {1: 1}")
    wait(lambda: engine.pad[5] == 1, "the button")
    page.driver.execute_script("window.pressed = {}")
    wait(lambda: not engine.pad.any(), "rest")


def test_both_ways_lie_on_the_ground(studio: Studio, page: Page):
    page.driver.execute_script("window.sticks = [0, -1, 0, 0]")
    wait(lambda: studio.engine.pad[:2].any(), "the stick")
    drawn = studio.stage.views[0].paths

    def length(kind: int) -> float:
        points = drawn.lines[kind].points
        return float(np.linalg.norm(points[-1, 1] - points[0, 0]))

    wait(lambda: length(ASKED) > 0.8 and length(MATCHED) > 0.3, "two ways ahead")
    assert all(drawn.lines[kind].visible for kind in (ASKED, MATCHED))
    assert np.abs(drawn.lines[ASKED].points[..., 2] - 0.02).max() < 0.01
    assert {"/world/actor0/path asked", "/world/actor0/path matched"} <= {
        handle.name for handle in drawn.lines.values()
    }
    page.tab("World")
    page.tick("Paths on the ground")
    wait(lambda: not drawn.lines[ASKED].visible, "no ways")
    page.tick("Paths on the ground")
    page.tick("Leader")
    wait(lambda: studio.stage.views[0].leader.root.visible, "the leader")
    page.driver.execute_script("window.sticks = [0, 0, 0, 0]")
    page.tick("Artificial user")
    wait(lambda: studio.engine.user is not None, "the artificial user")
    page.tick("Artificial user")
    wait(lambda: studio.engine.user is None, "who holds the gamepad")


def test_other_characters_leave_the_keys_alone(studio: Studio, page: Page, brain: Path):
    from selenium.webdriver.common.action_chains import ActionChains

    page.tab("Body")
    page.choose("Skill", "run-expert")
    wait(lambda: studio.engine.skill.name == "run-expert" and studio.stage.views[0].paths is None, "the runner")
    page.driver.execute_script("document.activeElement.blur()")
    at = studio.engine.frame
    ActionChains(page.driver).key_down("w").perform()
    wait(lambda: studio.engine.frame > at + 5, "a moment")
    ActionChains(page.driver).key_up("w").perform()
    assert not studio.engine.pad.any()
    page.choose("Skill", "steer")
    wait(lambda: studio.engine.skill.database is not None and studio.stage.views[0].paths, "who is steered")


def test_who_falls_stands_up_again_as_tired_as_before(engine: Engine):
    actor = engine.cast[0]
    engine.pad = np.array([1, 0, 0, 0, 1, 0])
    engine.exhaust(0, "left arm", 0.5)
    fell = rose = False
    for _ in range(150):
        engine.advance()
        fell |= actor.down > 0.3
        rose |= fell and actor.down == 0
    assert fell and rose  # it has learnt nothing
    assert actor.player.fatigue[..., 2].max() > 0.1
    engine.restarts = False
    engine.advance(150)
    assert actor.down > 2
    engine.reset()
    assert actor.down == 0 and not actor.player.fatigue[..., 2].any()
    assert actor.steered.kinematic.pose.qpos[0, :2] == pytest.approx([0, 0], abs=0.1)


def test_ghost_and_comparison_are_led_alike(engine: Engine):
    engine.pad = np.array([0, 1, 0, 0, 0, 0])
    engine.advance(10)
    engine.show_ghost(True)
    first, ghost = engine.cast[0], engine.ghost
    engine.set_fitness(0, first.fitness, tires=False)
    engine.advance(20)
    np.testing.assert_allclose(ghost.player.world.qpos, first.player.world.qpos, atol=1e-9)
    engine.compare([first.fitness] * 2)
    engine.hand_over(True)
    engine.advance(20)
    poses = [actor.player.world.qpos for actor in engine.cast]
    np.testing.assert_array_equal(*poses)
    engine.hand_over(False)
    engine.feel(False)
    engine.advance(2)


def test_the_tape_remembers_who_led(engine: Engine):
    engine.pad = np.array([1, 0, 0, 0, 0, 0])
    engine.advance(12)
    actor = engine.cast[0]
    slot = actor.tape.slot(10)
    way = actor.leads.paths[slot]
    assert way[:, 0] == pytest.approx(np.tile(actor.tape.qpos[slot, :2], (2, 1)), abs=1e-9)
    assert np.linalg.norm(actor.leads.xpos[slot, 0] - actor.tape.xpos[slot, 0]) < 0.5
    assert way[ASKED, 3, 0] > way[ASKED, 0, 0] + 0.5
    assert curve(way[ASKED])[[0, -1]] == pytest.approx(way[ASKED][[0, 3]])


def test_without_a_database_it_follows_a_walk(brain: Path, tmp_path: Path):
    bare = tmp_path / "bare"
    shutil.copytree(brain, bare, ignore=shutil.ignore_patterns("database.npz"))
    steered, walks = read_skill(bare, brain / "database.npz"), read_skill(bare)
    assert steered.database is not None and steered.motion is None
    assert walks.database is None and walks.motion is not None
    with pytest.raises(InputError, match=r"missing\.npz"):
        read_skill(brain, tmp_path / "missing.npz")


@pytest.mark.parametrize("message", ["", "[1]", "{}", '["a",0,0,0,0,0]', "[" + "0" * 300, b"\xff"])
def test_what_is_no_gamepad_is_left_out(message):
    assert read(message) is None


def test_directions_of_the_screen_become_those_of_the_world():
    pad = read(json.dumps([0, 1, 1, 0, 7, 1]))
    assert pad == pytest.approx([0, 1, 1, 0, 1, 1])
    assert turned(pad, 0.0) == pytest.approx([1, 0, 0, -1, 1, 1])
    assert turned(pad, np.pi / 2) == pytest.approx([0, 1, 1, 0, 1, 1])
    assert read("[NaN, 0, 3, 4, -1, 0]") == pytest.approx([0, 0, 0.6, 0.8, 0, 0])
