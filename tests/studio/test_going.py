"""The studio's first view: a character that goes where it is asked, by its tour, by keys, or at one speed."""

import numpy as np
import pytest
from browser import Page, wait

from lactic import fatigue
from lactic.play.velocity import RUN, WALK
from lactic.studio.engine import FALLEN, HANDS_OFF, Engine
from lactic.studio.paths import ASKED
from lactic.studio.server import Studio
from lactic.studio.skill import LEGS, TOUR_SECONDS, tour

FORWARD, RUNNING = np.array([1.0, 0, 0, 0, 0, 0]), np.array([0, 1.0, 0, 0, 1, 0])


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture(scope="module")
def studio():
    studio = Studio(port=0)
    studio.start()
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def page(studio: Studio, window: Page) -> Page:
    """The page once its gamepad's socket is open."""
    wait(lambda: studio.server.gamepads.pages, "the gamepad's socket")
    return window


def asked(engine: Engine) -> np.ndarray:
    """The velocity asked for in the last control step."""
    tape = engine.cast[0].tape
    return tape.command[tape.slot(engine.frame - 1)]


def test_the_tour_walks_runs_turns_stops_and_sets_out_again():
    way = tour()
    assert way.clock == "real" and way.length == TOUR_SECONDS
    speeds = np.array([np.linalg.norm(way.at(second)) for second in np.arange(TOUR_SECONDS)])
    stops = np.diff((speeds == 0).astype(int))
    assert speeds.max() >= 3 and (stops == 1).sum() >= 2 and (stops == -1).sum() >= 2
    assert len({degrees for _, speed, degrees in LEGS if speed}) > 4
    longest = max(len(run) for run in "".join("s" if v == 0 else " " for v in speeds).split())
    assert longest <= 6  # seconds; nobody watches a statue


def test_while_nobody_steers_it_follows_the_tour_and_slows_down(engine: Engine):
    assert engine.skill.goes and engine.skill.led and engine.cast[0].fitness.name == "human-30"
    engine.advance(30 * 12)
    assert not engine.by_hand and np.linalg.norm(asked(engine)) == pytest.approx(3.5)
    assert engine.cast[0].player.world.qpos[0, 0] > 15
    assert engine.cast[0].player.fatigue[0, :, 2].mean() > 0.1


def test_keys_take_over_at_once_and_give_back_after_a_while(engine: Engine):
    engine.advance(30)
    engine.pad = RUNNING
    engine.advance()
    assert asked(engine) == pytest.approx([0, RUN])
    engine.pad = FORWARD
    engine.advance()
    assert asked(engine) == pytest.approx([WALK, 0])
    engine.pad = np.zeros(6)
    engine.advance()
    assert not asked(engine).any()  # hands off: it stops
    engine.advance(round(HANDS_OFF * 30) - 3)
    assert not asked(engine).any() and engine.by_hand
    engine.advance(3)
    assert not engine.by_hand and asked(engine) == pytest.approx(tour().at(engine.frame / 30))


def test_it_turns_to_where_the_keys_say(engine: Engine):
    engine.set_fitness(0, engine.cast[0].fitness, tires=False)
    engine.pad = np.array([0, 1.0, 0, 0, 0, 0])
    engine.advance(120)
    world = engine.cast[0].player.world
    assert world.qpos[0, 1] > 2 and engine.cast[0].facing == pytest.approx(np.pi / 2, abs=0.5)


def test_a_speed_is_kept_straight_on_until_the_programme_is_wanted_again(engine: Engine):
    engine.advance(60)
    facing = engine.cast[0].facing
    engine.ask(2.0)
    engine.advance()
    assert asked(engine) == pytest.approx(2 * np.array([np.cos(facing), np.sin(facing)]), abs=1e-5)
    engine.set_heading(np.pi / 2)
    engine.advance(300)
    assert asked(engine) == pytest.approx([0, 2], abs=1e-5)
    engine.pad = FORWARD
    engine.advance()
    assert asked(engine) == pytest.approx([WALK, 0])  # keys come first
    engine.compare([fatigue.preset("human-30"), fatigue.preset("off")])
    engine.pad = np.zeros(6)
    engine.advance(round(HANDS_OFF * 30) + 3)
    assert asked(engine) == pytest.approx([0, 2], abs=1e-5)
    engine.ask(None)
    engine.advance()
    assert engine.cast[0].heading is None and asked(engine) == pytest.approx(tour().at(engine.frame / 30))


def test_one_that_falls_stands_up_where_it_lies_as_tired_as_before(engine: Engine):
    actor = engine.cast[0]
    engine.advance(90)
    engine.exhaust(0, "legs", 0.97)
    while actor.down == 0 and engine.frame < 400:
        engine.advance()
    place, spent = actor.player.world.qpos[0, :2].copy(), float(actor.player.fatigue[0, :, 2].mean())
    assert actor.down > 0
    engine.advance(round(FALLEN * 30) + 1)
    assert actor.down == 0 and actor.player.world.qpos[0, 2] > 0.7
    assert np.linalg.norm(actor.player.world.qpos[0, :2] - place) < 1.5
    assert actor.player.fatigue[0, :, 2].mean() == pytest.approx(spent, abs=0.1)
    assert actor.tape.cuts and engine.seed == 0


def test_reset_begins_the_clock_and_the_tape_anew(engine: Engine):
    engine.advance(90)
    engine.mark_in = 30
    engine.show_ghost(True)
    engine.scrub(40)
    engine.reset()
    assert engine.frame == 0 and engine.mark_in is None and engine.cursor is None and not engine.by_hand
    engine.advance(20)
    for actor in engine.actors:
        assert len(actor.tape.recording(0, 10**9)) == 20 and actor.tape.time[0] == 0 and not actor.tape.cuts
    assert engine.cast[0].player.fatigue[0, :, 2].mean() < 0.1


def test_a_ghost_is_asked_the_same(engine: Engine):
    engine.advance(300)
    engine.show_ghost(True)
    engine.advance(3)
    assert engine.ghost is not None
    assert engine.ghost.tape.command[engine.ghost.tape.slot(302)] == pytest.approx(asked(engine))


def test_recordings_of_the_tape_know_what_was_asked(engine: Engine):
    engine.advance(10)
    record = engine.cast[0].tape.recording(0, 9)
    assert record.asks == "velocity" and record.command == pytest.approx(np.tile([1.4, 0], (10, 1)))


def test_the_page_says_how_to_steer_and_how_fast_it_goes(studio: Studio, page: Page):
    wait(lambda: page.driver.title == "Lactic", "the title")
    assert "W A S D" in page.read("[data-keys]") and "shift" in page.read("[data-keys]")
    wait(lambda: page.read("[data-asked]").endswith("m/s") and page.read("[data-goes]") > "0.5", "its speed")


def test_keys_of_the_page_steer_as_the_camera_sees_it(studio: Studio, page: Page):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    engine, camera = studio.engine, next(iter(studio.server.get_clients().values())).camera
    away = (camera.look_at - camera.position)[:2]
    away /= np.linalg.norm(away)
    ActionChains(page.driver).key_down("w").key_down(Keys.SHIFT).perform()
    # the last step may still be the programme's, which runs too
    wait(lambda: engine.by_hand and asked(engine) == pytest.approx(RUN * away, abs=0.1), "running away from us")
    line = studio.stage.views[0].paths.lines[ASKED]
    wait(lambda: np.linalg.norm(line.points[-1, 1] - line.points[0, 0]) == pytest.approx(RUN, abs=0.1), "the way")
    ActionChains(page.driver).key_up("w").key_up(Keys.SHIFT).perform()
    wait(lambda: not asked(engine).any(), "a stop")
    wait(lambda: not engine.by_hand, "the programme again")


def test_the_speed_slider_takes_the_programmes_place(studio: Studio, page: Page):
    engine = studio.engine
    page.tab("World")
    page.type("Speed m/s", "2")
    wait(lambda: np.linalg.norm(asked(engine)) == pytest.approx(2), "the speed")
    assert not studio.panels.steer.own.value and studio.panels.steering.visible
    box = page.field("Its own programme", "@type='checkbox'")
    wait(lambda: not page.find(box).is_selected(), "the tick to go")
    page.tick("Its own programme")
    wait(lambda: engine.cast[0].phase is None, "the programme")


def test_reset_empties_the_page_too(studio: Studio, page: Page):
    wait(lambda: studio.engine.frame > 60, "two seconds")
    page.press("Pause")
    page.press("Reset")
    wait(lambda: page.read("[data-mode]") in ("paused 0.0 s", "paused 0.1 s"), "the clock")
    wait(lambda: np.nanmax(np.r_[0, studio.panels.body.inside.handle.data[1]]) == 0, "no curves")
    page.press("Go on")
    wait(lambda: not studio.engine.paused, "going on")


def test_sliders_tire_a_body_that_never_tired(studio: Studio, page: Page):
    page.tab("Body")
    page.choose("Fitness", "off")
    wait(lambda: not studio.engine.cast[0].fitness.tires, "off")
    page.type("F", "2")
    wait(lambda: studio.engine.cast[0].fitness.F == 2.0, "F")
    wait(lambda: studio.engine.cast[0].player.fatigue[..., 2].mean() > 0.1, "a tired body")
    page.choose("Fitness", "human-30")
    wait(lambda: studio.engine.cast[0].fitness == fatigue.preset("human-30"), "the default")


def test_lists_say_what_each_entry_is(studio: Studio, page: Page):
    entries = {entry.partition(" · ")[0]: entry for entry in studio.panels.body.skill.options}
    assert entries["pace"].endswith(studio.engine.skill.brain.info.description)
    assert all(" · " in entry for entry in studio.panels.body.preset.options)
