"""tired_actor's page, its pictures and which motions it looks at."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lactic import body as bodies
from lactic import rotation
from lactic.lab import job
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.results import meaning, write_results
from lactic.lab.tired_actor.drawing import by_design, by_split, draw, strips
from lactic.lab.tired_actor.following import clips_of, spread, walks_of
from lactic.lab.tired_actor.walking import step_length
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import collect
from lactic.motion.standing import standing

RATE = 30.0
HUMANOID = bodies.get("humanoid")


def going(name: str, pace: float, facing: float = 0.0, seconds: float = 6.5) -> BodyClip:
    """A stance that is carried along x and faces so many radians to its left."""
    still = standing(HUMANOID, seconds, RATE)
    qpos = still.qpos.copy()
    qpos[:, 0] += pace * np.arange(still.frames) / RATE
    qpos[:, 3:7] = rotation.about("z", np.full(still.frames, facing))
    return replace(still, qpos=qpos, name=name)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A bench with a library of things that go and stand."""
    clips = [going("walk", 1.0), going("stand", 0.0), going("sideways", 1.0, np.pi / 2), going("run", 3.0)]
    clips += [going("short", 1.0, seconds=2.0), going("led", 1.0)]
    splits = ["train", "train", "test", "test", "train", "leader"]
    collect(clips, splits, ["made"] * len(clips)).save(tmp_path / "library.npz")
    return Bench(tmp_path / "out", episodes=8, clips=tmp_path, say=lambda _: None)


def test_walks_go_forwards_and_are_a_persons(bench: Bench) -> None:
    assert [clip.name for clip in walks_of(bench, 6.0)] == ["walk"]


def test_motions_are_spread_over_a_split_and_may_be_cut(bench: Bench) -> None:
    assert spread(10, 4) == [0, 3, 6, 9] and spread(3, 8) == [0, 1, 2]
    assert [clip.name for clip in clips_of(replace(bench, episodes=2), "train")] == ["walk", "short"]
    assert [clip.seconds for clip in clips_of(bench, "train", 3.0)] == pytest.approx([3.0, 3.0, 2.0])


def test_length_of_steps() -> None:
    t = np.arange(180) / RATE
    places = np.zeros((180, len(HUMANOID.bodies), 3))
    places[..., 1] = t[:, None]  # along y
    left, right = (HUMANOID.bodies.index(name) for name in HUMANOID.feet)
    places[:, left, 1] += 0.3 * np.sin(2 * np.pi * t)
    places[:, right, 1] -= 0.3 * np.sin(2 * np.pi * t)
    assert step_length(places, HUMANOID) == pytest.approx(0.6, abs=0.01)
    places[:, left, 1] += 0.02 * np.sin(40 * np.pi * t)  # trembling adds no steps
    assert step_length(places, HUMANOID) == pytest.approx(0.6, abs=0.03)
    assert np.isnan(step_length(np.zeros_like(places), HUMANOID))


def report_of(item: str) -> Report:
    """A report of two conditions of which one stands beside the paper's."""
    report = Report("tired_actor", item, "title", targets={("train, fresh", "success"): (0.97, None)})
    report.add("actor", "train, fresh", "success", 0.9, 0.991)
    report.add("actor", "train, fresh", "mpjpe_g_mm", 40.0)
    report.add("actor", "test, fresh", "success", 0.8)
    return report


def test_a_wide_page_has_a_line_for_each_condition(tmp_path: Path) -> None:
    report = report_of("table1")
    draw(report, "success", "Followed", "share", by_split)
    (tmp_path / "tired_actor").mkdir()
    report.write(tmp_path / "tired_actor")
    write_results(tmp_path / "tired_actor", tmp_path / "tired_actor.md")
    text = (tmp_path / "tired_actor.md").read_text()
    assert "| condition | success | mpjpe_g_mm |" in text
    assert "| train, fresh | 0.9 (0.991); ≥ 0.97: not met | 40 |" in text
    assert "| test, fresh | 0.8 |  |" in text
    assert "CMU's clips" in text and "the paper's numbers for Tired Actor" in text  # notes of the paper and the item
    assert "![table1](tired_actor/table1.png)" in text


def test_every_item_says_what_it_is() -> None:
    for item in job.PAPERS["tired_actor"]:
        module = __import__(f"lactic.lab.tired_actor.{item}", fromlist=["NOTE"])
        assert module.NOTE.strip() and module.TITLE, item


def test_every_metric_has_words() -> None:
    folder = Path(__file__).parent.parent.parent / "docs/results/tired_actor"
    for file in folder.glob("*.json"):
        for row in json.loads(file.read_text())["rows"]:
            assert meaning(row["metric"]) != row["metric"].replace("_", " "), row["metric"]


def test_bars_of_designs_stand_by_brain_and_have_one_legend() -> None:
    report = Report("tired_actor", "ablations", "")
    for split in ("train", "test"):
        report.add("all", f"as designed; {split}, fresh", "success", 0.9)
        report.add("all", f"as designed; {split}, tiring", "success", 0.8)
        report.add("soft", f"torque costs; {split}, fresh", "success", 0.7, 0.95 if split == "train" else None)
    draw(report, "success", "Followed", "share", by_design)
    assert report.figure is not None
    first, second = report.figure.axes
    assert [label.get_text() for label in first.get_yticklabels()] == ["all: as designed", "soft: torque costs"]
    assert len(first.patches) == len(second.patches) == 3
    alone = first.patches[2]
    assert alone.get_y() + alone.get_height() / 2 == pytest.approx(1.0)  # in the middle of its line
    assert [text.get_text() for text in second.get_legend().get_texts()] == ["fresh", "tiring", "the paper's"]


def test_nothing_to_draw_is_no_figure() -> None:
    report = Report("tired_actor", "fig5", "")
    draw(report, "success", "Followed", "share")
    strips(report, "strip", HUMANOID, RATE, [])
    assert report.figure is None and not report.pictures


def test_strips_stand_above_each_other(tmp_path: Path) -> None:
    still = standing(HUMANOID, 1.0, RATE)
    spent = np.zeros((still.frames, len(HUMANOID.joints)))
    report = report_of("fig4")
    strips(report, "strip", HUMANOID, RATE, [("MF 0%", still.qpos, spent), ("MF 90%", still.qpos, spent + 0.9)])
    written = report.write(tmp_path)
    assert (tmp_path / "fig4-strip.png") in written and (tmp_path / "fig4-strip.png").stat().st_size > 2000
