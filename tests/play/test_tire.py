"""`lactic tire`: a clip comes back on its own skeleton; what is lost is told, and led back to."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gltf_rules import problems
from risers import getting_up

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.cli import main
from lactic.errors import InputError
from lactic.motion import read
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh_write import write_bvh
from lactic.motion.rising import rising
from lactic.motion.standing import standing
from lactic.play.player import Player
from lactic.play.tire.blended import BLEND, Blended, Loss, told
from lactic.play.tire.job import tire
from lactic.play.tire.options import TireOptions, person_of, weakened

BODY = bodies.get("humanoid")
QUICK = TireOptions(film=False)


def swaying(seconds: float = 1.5) -> BodyClip:
    """A quiet stance."""
    return standing(BODY, seconds, 30.0, sway=3.0)


def flying() -> BodyClip:
    """A stance that is two metres up in the air from 0.5 to 2 s, and back on the floor for as long."""
    clip = swaying(4.0)
    rise = np.interp(np.arange(clip.frames) / 30.0, [0.5, 0.8, 1.7, 2.0], [0.0, 2.0, 2.0, 0.0])
    return replace(clip, qpos=clip.qpos + rise[:, None] * (np.arange(clip.qpos.shape[1]) == 2))


@pytest.fixture(scope="module")
def stance(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict]:
    """A BVH of a stance, the folder it was tired into, and its summary."""
    folder = tmp_path_factory.mktemp("stance")
    write_bvh(folder / "stance.bvh", swaying(), unit="cm")
    summary = tire(folder / "stance.bvh", folder / "out", replace(QUICK, loop=2, exhaust=("left_arm=0.4",)))
    return folder / "stance.bvh", folder / "out", summary


def test_the_skeleton_is_the_source_s_own(stance: tuple[Path, Path, dict]) -> None:
    path, out, summary = stance
    source, own = read(path), read(out / "stance-tired.bvh")
    header = path.read_text().split("MOTION")[0]
    assert (out / "stance-tired.bvh").read_text().startswith(header)
    assert own.joints == source.joints and own.parents == source.parents and own.fps == source.fps
    np.testing.assert_allclose(own.offsets, source.offsets, atol=1e-6)
    assert abs(own.seconds - summary["seconds"]) < 0.05 and summary["seconds"] > 1.3 * source.seconds


def test_the_body_stands_as_the_source_does(stance: tuple[Path, Path, dict]) -> None:
    path, out, _ = stance
    source, own = read(path).globals()[0], read(out / "stance-tired.bvh").globals()[0]
    assert own[..., 2].min() > source[..., 2].min() - 0.01
    away = own - own[:, :1] - (source - source[:, :1]).mean(0)
    assert np.linalg.norm(away, axis=-1).mean() < 0.05


def test_files_are_whole_and_the_summary_says_what_happened(stance: tuple[Path, Path, dict]) -> None:
    _, out, summary = stance
    assert json.loads((out / "summary.json").read_text()) == summary
    assert {path.name for path in out.iterdir()} == {
        *("stance-tired.bvh", "stance-tired.glb", "body.bvh", "body.glb", "film.png", "curves.png"),
        *("summary.txt", "summary.json", "recording.npz", "fatigue.csv"),
    }
    for name in ("stance-tired.glb", "body.glb"):
        assert problems((out / name).read_bytes()) == []
    assert not summary["fell"] and summary["lost"] == []
    assert "followed the motion all the time" in (out / "summary.txt").read_text()
    arm = [one["joint"] for one in summary["most_tired"]][:3]
    assert len(arm) == 3 and all(joint.startswith(("left_shoulder", "left_elbow")) for joint in arm)


def test_what_no_body_can_do_is_lost_told_and_led_back_to(tmp_path: Path) -> None:
    flying().save(tmp_path / "flying.npz")
    summary = tire(tmp_path / "flying.npz", tmp_path / "out", replace(QUICK, strict=True))
    (lost,) = summary["lost"]
    assert 0.5 < lost["from_s"] < 0.8 and lost["fell"] and summary["fell"]
    assert lost["to_s"] == pytest.approx(2.0, abs=1.3) and summary["seconds"] == pytest.approx(4.0, abs=0.1)
    with np.load(tmp_path / "out" / "recording.npz") as held:
        qpos = held["qpos"]
    assert np.abs(np.diff(qpos[:, 2])).max() < 0.25  # it rises by degrees
    assert np.abs(qpos[-1] - flying().qpos[-1])[:3].max() < 0.2
    assert not list((tmp_path / "out").glob("flying-tired.*"))  # it is our own body's clip


def test_a_loss_ends_the_result_if_asked(tmp_path: Path) -> None:
    flying().save(tmp_path / "flying.npz")
    summary = tire(tmp_path / "flying.npz", tmp_path / "out", replace(QUICK, fall="stop", strict=True))
    (lost,) = summary["lost"]
    assert lost["to_s"] is None and summary["seconds"] == pytest.approx(lost["from_s"] + 1.0, abs=0.1)


def test_losses_near_each_other_are_one() -> None:
    losses = [Loss(1.0, 1.0 + BLEND, False), Loss(3.0, 4.0, True), Loss(9.0, None, False)]
    assert told(losses) == [Loss(1.0, 4.0, True), Loss(9.0, None, False)]


def test_who_gets_up_by_itself_is_told_of_and_not_led_back() -> None:
    driver = Blended(Player(catalogue.find("actor").load()), swaying(4.0), rises=rising(getting_up()))
    driver.about = replace(driver.about, waits=True, rises=6.0)
    world, speed = driver.player.world, np.zeros((1, BODY.model.nv))
    world.reset(None, getting_up().qpos[:1], speed)
    driver.step()
    (loss,) = driver.losses[0]
    assert loss.fell and loss.end is None and driver.led.all() and not driver.away.any()
    driver.led_frame[:] = driver.led_last
    world.reset(None, driver.moment().qpos.astype(float), speed)
    driver.step()
    assert loss.end == pytest.approx(2 / 30) and not driver.down.any()
    assert driver.losses[0] == [loss]


def test_strength_at_the_beginning() -> None:
    left = weakened(BODY, 0.6, ("left_leg", "right_knee=0.3"))
    assert left["neck_x"] == 0.6 and left["left_ankle_y"] == 0.2 and left["right_knee"] == 0.3
    assert weakened(BODY, 1.0, ()) == {}
    assert weakened(BODY, 1.0, ("left_hip",)) == {f"left_hip_{axis}": 0.2 for axis in "xyz"}
    assert person_of(None, None) is None and person_of(1.8, 85.0) == "person-1.8-85"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": 0.0}, "start 0"),
        ({"exhaust": ("tail",)}, "exhaust tail"),
        ({"exhaust": ("left_leg=2",)}, "left_leg=2"),
        ({"loop": 0}, "loop 0"),
        ({"loop": 2, "seconds": 3.0}, "one of them"),
        ({"seconds": -1.0}, "seconds -1"),
        ({"height": 3.0}, "height 3"),
        ({"brain": "pace"}, "does not follow motions"),
        ({"film": True, "film_size": "big"}, "film size big"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_written(options: dict, said: str, tmp_path: Path) -> None:
    swaying().save(tmp_path / "stance.npz")
    with pytest.raises(InputError, match=said):
        tire(tmp_path / "stance.npz", tmp_path / "out", replace(QUICK, **options))
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_no_motion_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nROOT hips\n{")
    assert main(["tire", str(tmp_path / "bad.bvh"), "--out", str(tmp_path / "out")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1 and not (tmp_path / "out").exists()
    assert main(["play", "actor", "--out", str(tmp_path / "out")]) == 2
    assert "lactic tire" in capsys.readouterr().err
