"""The studio in real Chromium, by a person's actions; skipped where Chromium or selenium is absent."""

import io
import json
import shutil
import struct
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from browser import Page, wait
from gltf_rules import problems
from made_up import random_clip

from lactic.brain import catalogue
from lactic.motion.bvh import read_bvh
from lactic.motion.bvh_write import write_bvh
from lactic.studio.labels import meaning
from lactic.studio.server import Studio
from lactic.studio.stage import BY_DAY, BY_NIGHT


@pytest.fixture(scope="module")
def studio():
    studio = Studio("pace", port=0)
    studio.start()
    yield studio
    studio.close()


@pytest.fixture
def page(studio: Studio, window: Page) -> Page:
    """The page with a fresh runner on it."""
    studio.engine.load("pace")
    if len(studio.engine.cast) > 1:
        studio.engine.compare([studio.engine.cast[0].fitness])
    studio.engine.pause(False)
    studio.panels.controls.changed()
    window.clear()
    wait(lambda: studio.engine.frame > 3, "the runner to run")
    return window


def test_the_page_moves_and_loads_nothing_from_outside(studio: Studio, page: Page):
    first = page.read("[data-mode]")
    assert first.startswith("live")
    wait(lambda: page.read("[data-mode]") != first, "the clock to go on")
    wait(lambda: "× real time" in page.read("[data-pace]"), "the pace")
    assert page.driver.execute_script("return document.querySelectorAll('canvas').length") >= 1
    here = (studio.address, studio.address.replace("http", "ws"), "data:", "blob:")
    asked = page.requests()
    assert asked and all(url.startswith(here) for url in asked), [u for u in asked if not u.startswith(here)]


def test_a_larger_F_makes_MF_rise_faster_at_once(studio: Studio, page: Page):
    def rise(frames: int = 30) -> float:
        tape, start = studio.engine.cast[0].tape, studio.engine.frame
        wait(lambda: studio.engine.frame > start + frames, "a second of running")
        mean = tape.fatigue[[tape.slot(start), tape.slot(start + frames)], :, 2].mean(1)
        return float(mean[1] - mean[0])

    page.tab("Body")
    before = rise()
    page.type("F", "0.04")
    wait(lambda: studio.engine.cast[0].fitness.F == 0.04, "F")
    assert rise() > 1.8 * before
    wait(lambda: meaning(studio.engine.cast[0].fitness).split(";")[0] in page.driver.page_source, "what it means")
    page.type("F", "abc")
    assert studio.engine.cast[0].fitness.F == 0.04
    page.tick("Fatigue")
    wait(lambda: "Does not tire." in page.driver.page_source, "the words")
    page.tick("Fatigue")
    wait(lambda: studio.engine.cast[0].tires, "fatigue")


def test_an_exhausted_leg_reddens_and_reads_so(studio: Studio, page: Page):
    page.tab("Body")

    def green(limb: str) -> int:
        """Of a limb's colour; the stage may have been dressed anew a moment ago."""
        return studio.stage.views[0].doll.limbs[studio.engine.body.bodies.index(limb)].color[1]

    page.press("Pause")  # a person recovers while we look
    wait(lambda: studio.engine.paused, "the pause")
    page.choose("Region", "left leg")
    wait(lambda: studio.panels.body.region.value == "left leg", "the region")
    page.press("Exhaust")
    wait(lambda: studio.engine.cast[0].player.fatigue[..., 2].max() > 0.85, "the exhaustion")

    def after_a_step(condition) -> bool:
        page.press("Step")  # again where a page that is being redrawn lost it
        time.sleep(0.3)
        return condition()

    wait(lambda: after_a_step(lambda: green("left_thigh") < 90), "the thigh's colour")
    # the table has six rows, and the leg seven joints: the knee is not always among the most tired
    wait(lambda: page.read("[data-joint^=left_]") in map("{} %".format, range(8, 20)), "the left leg's number")
    assert green("right_thigh") > 150
    page.press("Refresh")
    wait(lambda: studio.engine.cast[0].player.fatigue[..., 2].max() < 0.5, "the rest")
    wait(lambda: after_a_step(lambda: green("left_thigh") > 150), "the thigh's colour again")


def test_a_push_jumps_the_velocity(studio: Studio, page: Page):
    page.tab("World")
    page.type("Force N", "600")
    wait(lambda: studio.panels.newtons.value == 600, "the force")
    page.press("Push")
    tape = studio.engine.cast[0].tape
    start = wait(lambda: next(iter(np.flatnonzero(tape.push.any(1))), None), "the push")
    wait(lambda: studio.engine.frame > start + 20, "its effect")
    facing = tape.push[start, :2] / np.linalg.norm(tape.push[start])
    before, after = (tape.qvel[k, :2] @ facing for k in (start, start + 15))
    assert np.linalg.norm(tape.push[start]) == pytest.approx(600) and after - before > 1.0


def test_the_page_and_the_stage_can_be_dark(studio: Studio, page: Page):
    scheme = "return document.documentElement.dataset.mantineColorScheme"
    page.tab("World")
    for want, ground in (("dark", BY_NIGHT[2]), ("light", BY_DAY[2])):
        page.tick("Dark")
        wait(lambda want=want: page.driver.execute_script(scheme) == want, want)
        wait(lambda ground=ground: tuple(studio.stage.ground.plane_color) == ground, "the ground")


def test_what_is_scrubbed_and_marked_is_downloaded(studio: Studio, page: Page, tmp_path: Path):
    engine = studio.engine
    wait(lambda: engine.frame > 70, "two seconds of running")
    page.press("Pause")
    wait(lambda: engine.paused, "the pause")
    page.tab("Record")
    newest = engine.frame - 1
    page.type("Timeline", "-2")
    wait(lambda: engine.shown == newest - 60, "the scrubbed frame")
    wait(lambda: page.read("[data-shown]") == f"{(newest - 60) * engine.dt:.2f} s", "its time")
    page.press("In")
    page.type("Timeline", "-1")
    wait(lambda: engine.shown == newest - 30, "the scrubbed frame")
    page.press("Out")
    wait(lambda: engine.span() == (newest - 60, newest - 30), "the marks")
    record = engine.cast[0].tape.recording(*engine.span())

    (tmp_path / "pace.bvh").write_bytes(page.download("BVH motion", "pace.bvh"))
    clip = read_bvh(tmp_path / "pace.bvh")
    assert clip.frames == len(record) == 31
    assert np.abs(clip.root_pos - record.qpos[:, :3]).max() < 1e-4

    glb = page.download("glTF motion and shape", "pace.glb")
    assert problems(glb) == []
    gltf = json.loads(glb[20 : 20 + struct.unpack("<I", glb[12:16])[0]])
    assert gltf["asset"]["version"] == "2.0" and gltf["skins"]
    assert gltf["accessors"][gltf["animations"][0]["samplers"][0]["input"]]["count"] == 31

    head, *rows = page.download("CSV of fatigue", "pace.csv").decode().splitlines()
    assert head.startswith("time,abdomen_x.MA,abdomen_x.MR,abdomen_x.MF,abdomen_x.load,abdomen_x.torque")
    assert len(rows) == 31
    assert float(rows[0].split(",")[0]) == pytest.approx(record.time[0], abs=1e-4)
    assert page.download("PNG film strip", "pace.png").startswith(b"\x89PNG")

    page.press("Replay")
    wait(lambda: engine.replaying and page.read("[data-mode]").startswith("replay"), "the replay")
    page.press("Live")
    wait(lambda: engine.frame > newest + 2, "the simulation")


def test_comparing_reads_three_bodies_out(studio: Studio, page: Page):
    page.tab("Compare")
    page.press("3")
    count = "return document.querySelectorAll('[data-strength]').length"
    wait(lambda: page.driver.execute_script(count) == 3, "three bars")
    assert len(studio.engine.cast) == len(studio.stage.views) == 3
    page.choose("Fitness C", "cheema2023-kick")
    wait(lambda: studio.engine.cast[2].fitness.name == "cheema2023-kick", "the third's fitness")
    page.choose("Character", "C")
    wait(lambda: studio.panels.controls.chosen == 2, "the choice")
    page.tab("Record")
    page.tick("All bodies")
    wait(lambda: studio.panels.record.everybody.value, "the tick")
    with zipfile.ZipFile(io.BytesIO(page.download("CSV of fatigue", "pace-csv.zip"))) as archive:
        assert archive.namelist() == ["pace-a.csv", "pace-b.csv", "pace-c.csv"]
    page.tab("Compare")
    page.press("1")
    wait(lambda: page.driver.execute_script(count) == 1 and studio.panels.controls.chosen == 0, "one bar")


def test_another_skill_is_chosen_from_the_list_or_by_its_folder(studio: Studio, page: Page, tmp_path: Path):
    shutil.copytree(catalogue.find("hold-arms").path, tmp_path / "mine")
    page.tab("Body")
    page.click("//*[normalize-space()='What they look like']")
    page.press("hold-arms")  # below its picture
    wait(lambda: studio.engine.skill.name == "hold-arms", "the skill")
    page.tab("World")
    page.type("Pose", "1")
    shoulder = 7 + studio.engine.body.joints.index("left_shoulder_x")
    wait(lambda: studio.engine.cast[0].player.world.qpos[0, shoulder] > 1.2, "the arms to rise")
    page.tab("Yours")
    page.type("Folder", str(tmp_path / "mine"), "@type='text' or not(@type)")
    wait(lambda: studio.panels.path.value == str(tmp_path / "mine"), "the folder")
    page.press("Load")
    page.notice("mine is on stage")
    page.tab("Body")
    box = page.field("Skill", "@role='combobox'")  # the list hears of it apart from the notice
    wait(lambda: page.find(box).get_property("value").startswith("mine · "), "the list to show the folder")
    page.choose("Skill", "pace")
    wait(lambda: studio.engine.skill.name == "pace", "the skill")
    page.choose("Skill", "mine")
    wait(lambda: studio.engine.skill.folder.path == tmp_path / "mine", "the folder again")


def test_keys_pause_and_step(studio: Studio, page: Page):
    from selenium.webdriver.common.keys import Keys

    body = page.driver.find_element("tag name", "body")
    page.driver.execute_script("document.activeElement.blur()")
    body.send_keys(Keys.SPACE)
    wait(lambda: studio.engine.paused, "the pause")
    at = studio.engine.frame
    body.send_keys("n")
    wait(lambda: studio.engine.frame == at + 1, "one step")
    body.send_keys(Keys.SPACE)
    wait(lambda: not studio.engine.paused, "going on")


def test_bad_input_is_told_and_the_simulation_goes_on(studio: Studio, page: Page, tmp_path: Path):
    page.tab("Yours")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "brain.onnx").write_bytes(b"not a brain")
    (folder / "params.yaml").write_text("a: 1\n")
    for path, said in (("nowhere/at all", "unknown brain"), (str(folder), "not a brain that can be run")):
        page.type("Folder", path, "@type='text' or not(@type)")
        wait(lambda path=path: studio.panels.path.value == path, "the folder")
        page.press("Load")
        page.notice(said)
    upload = page.driver.find_element("css selector", "input[type=file]")
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT hips\n{")
    upload.send_keys(str(tmp_path / "broken.bvh"))
    page.notice("broken.bvh")
    at = studio.engine.frame
    assert studio.engine.skill.name == "pace" and studio.engine.guest is None
    write_bvh(tmp_path / "mine.bvh", random_clip())
    upload.send_keys(str(tmp_path / "mine.bvh"))
    wait(lambda: studio.engine.guest is not None, "the clip")
    wait(lambda: "mine.bvh: 1.0 s" in page.driver.find_element("tag name", "body").text, "what is said of it")
    page.press("Remove the clip")
    wait(lambda: studio.engine.guest is None, "the clip to go")
    assert studio.engine.frame > at


def test_a_clip_is_tired_and_taken_away(studio: Studio, page: Page, tmp_path: Path):
    page.tab("Yours")
    write_bvh(tmp_path / "mine.bvh", random_clip())  # no body can do that
    page.driver.find_element("css selector", "input[type=file]").send_keys(str(tmp_path / "mine.bvh"))
    wait(lambda: studio.engine.guest is not None, "the clip")  # the button may still be there of the clip before
    page.press("Tire it")
    page.notice("actor follows mine.bvh")
    wait(lambda: page.read("[data-clock]") == "1.00 ×", "the clock")
    wait(lambda: "led back" in page.read("[data-followed]"), "the loss to be told")
    wait(lambda: "so far" in page.read("[data-followed]"), "it to be followed again")
    page.press("Remove the clip")
    wait(lambda: studio.engine.skill.motion and studio.engine.skill.motion.name != "mine.bvh", "the walk")
    page.tab("Body")
    assert page.find(page.field("Skill", "@role='combobox'")).get_property("value").startswith("actor")


def test_two_windows_a_reload_and_nobody_left(studio: Studio, page: Page):
    driver, first = page.driver, page.driver.current_window_handle
    driver.switch_to.new_window("window")
    page.open(studio.address)
    wait(lambda: studio.engine.viewers == 2, "two viewers")
    page.press("Pause")
    wait(lambda: studio.engine.paused, "the pause")
    driver.close()
    driver.switch_to.window(first)
    wait(lambda: studio.engine.viewers == 1 and page.read("[data-mode]").startswith("paused"), "one viewer")
    page.press("Go on")
    wait(lambda: not studio.engine.paused, "going on")
    at = studio.engine.frame
    driver.refresh()
    wait(lambda: page.read("[data-mode]").startswith("live"), "the page again")
    assert studio.engine.frame > at and len(studio.stage.views) == 1
    driver.get("about:blank")
    wait(lambda: studio.engine.viewers == 0 and not studio.engine.running, "nobody to look")
    page.open(studio.address)
    wait(lambda: studio.engine.running, "the simulation again")
