"""Every item on trials made of clips: what it finds is in its rows, files are whole, and what is missing is said."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from motions import trial_of
from skills import PACES

from lactic import body as bodies
from lactic.brain.catalogue import BrainFolder
from lactic.cli import main
from lactic.errors import InputError
from lactic.lab import bench as benches
from lactic.lab import job
from lactic.lab.episodes import Ask
from lactic.lab.report import Report
from lactic.lab.results import meaning, write_results
from lactic.lab.statistics import Estimate
from lactic.lab.trial import TIRING, Trial

MOTION = {
    "run": "run",
    "walk": "walk",
    "hop": "jump",
    "cartwheel": "cartwheel",
    "backflip": "backflip",
    "kick": "spinkick",
    "pace": "walk",
    "ant": "walk",
}
EPISODES = 3
TORQUES = dict.fromkeys(bodies.get("humanoid").joints, 100.0)


@pytest.fixture
def stage(tmp_path: Path, clip, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of all characters and variants, played by clips that tire the more F is, and the clips themselves."""
    home, clips = tmp_path / "brains", tmp_path / "clips"
    clips.mkdir()
    for name, motion in MOTION.items():
        clip(motion).save(clips / f"{motion}.npz")
        for suffix in ("", "-expert", "-reward", "-nobeta", "-blind"):
            folder = home / ("ablations" if suffix == "-blind" else "") / (name + suffix)
            folder.mkdir(parents=True)
            (folder / "brain.onnx").touch()
            (folder / "params.yaml").write_text(yaml.safe_dump({"name": name, "task": {"clips": {motion: 1.0}}}))
            (folder / "torques.yaml").write_text(yaml.safe_dump(dict.fromkeys(("highest", "typical"), TORQUES)))

    def play(folder: BrainFolder, ask: Ask, *_) -> Trial:
        frames = round(30 * min(ask.seconds, 30.0))  # tired ones are asked for longer, to no other effect here
        spent = 1 - np.exp(-0.05 * ask.fitness.F * np.arange(frames) / 30)
        trial = trial_of(clip(MOTION[folder.name.split("-")[0]]), frames, ask.episodes, spent)
        if folder.name.endswith("-expert") and ask.fitness.F > 0:
            trial.fell_at[:] = (90, 120, 150)
        return trial

    monkeypatch.setattr(benches, "run", play)
    for module in ("bench", *(f"cheema2023.{item}" for item in ("fig7", "fig12", "fig13", "fig14", "fig16"))):
        monkeypatch.setattr(f"lactic.lab.{module}.own_fitness", lambda _: TIRING)
    monkeypatch.setattr("lactic.lab.pictures.draw_strip", lambda *a, **k: Path(a[3]).touch())
    return home


def made(stage: Path, item: str, out: Path, *names: str) -> dict[tuple[str, str, str], dict]:
    """Rows of an item for these characters, by subject, condition and metric."""
    chosen = [str(stage / name) for name in names]
    job.run("cheema2023", item, out, episodes=EPISODES, brains=chosen, clips=stage.parent / "clips", say=lambda _: None)
    rows = json.loads((out / f"{item}.json").read_text())["rows"]
    return {(row["subject"], row["condition"], row["metric"]): row for row in rows}


def test_table1_of_a_perfect_backflip(stage: Path, tmp_path: Path, clip):
    rows = made(stage, "table1", tmp_path / "out", "backflip")
    assert rows["backflip", "expert", "survival"]["value"] == 1
    assert rows["backflip", "expert", "repetitions_to_clip"]["value"] == pytest.approx(1.0, abs=0.06)
    found = rows["backflip", "expert", "distance"]
    assert found["value"] == pytest.approx(0, abs=1e-5)
    assert (found["paper"], rows["backflip", "tired", "distance"]["paper"]) == (0.18, 0.44)
    assert rows["backflip", "expert", "distance_deviation"]["paper"] == 0.06
    assert rows["backflip", "untransferred", "survival"]["value"] == 0
    assert rows["backflip", "tired", "repetitions_per_minute_change"]["value"] == pytest.approx(0, abs=0.17)
    assert rows["backflip", "tired", "rests_that_help"]["value"] == 0


def test_likeness_is_measured_against_the_skills_clip_alone(stage: Path, tmp_path: Path, clip):
    params = {"name": "kick", "task": {"clips": {"idle": 2.0, "spinkick": 1.0, "stand": 1.0}}}
    (stage / "kick" / "params.yaml").write_text(yaml.safe_dump(params))
    bench = benches.Bench(tmp_path, clips=tmp_path / "clips")
    actor = benches.character(str(stage / "kick"))
    assert actor.transferred is not None and actor.skill is not None
    assert np.array_equal(bench.reference(actor.transferred, actor.skill), clip("spinkick").qpos[:, 7:])


def test_fig3_says_when_the_untransferred_fall(stage: Path, tmp_path: Path):
    rows = made(stage, "fig3", tmp_path / "out", "run")
    assert rows["run", "untransferred", "seconds_to_fall"]["value"] == pytest.approx(4.0)
    assert rows["run", "untransferred", "survival"]["value"] == 0
    assert rows["run", "tired", "survival"]["value"] == 1
    fell_with = 1 - np.mean(1 - np.exp(-0.05 * np.array([90, 120, 150]) / 30))
    assert rows["run", "untransferred", "capacity_at_fall"]["value"] == pytest.approx(fell_with, rel=1e-3)


def test_fig14_finds_an_even_gait_at_the_clips_speed(stage: Path, tmp_path: Path):
    rows = made(stage, "fig14", tmp_path / "out", "run")
    assert rows["run", "tired", "speed"]["value"] == pytest.approx(PACES["run"][0], rel=0.02)
    assert rows["run", "tired", "speed_change"]["value"] == pytest.approx(0, abs=0.01)
    assert abs(rows["run", "left leg spent", "step_time_asymmetry"]["value"]) < 0.1


@pytest.mark.parametrize("item", [item for item in job.PAPERS["cheema2023"] if item not in ("table1", "fig3", "fig14")])
def test_every_item_leaves_rows_a_table_and_a_picture(item: str, stage: Path, tmp_path: Path):
    out = tmp_path / "out"
    rows = made(stage, item, out, "cartwheel", "backflip", "hop", "kick", "pace", "ant")
    assert rows
    with (out / f"{item}.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    assert [(r["subject"], r["condition"], r["metric"]) for r in table] == list(rows)
    assert (out / f"{item}.png").read_bytes()[:4] == b"\x89PNG"
    assert f"## {item}: " in (out / "results.md").read_text()
    for subject, condition, metric in rows:
        assert meaning(metric) and subject and condition
        row = rows[subject, condition, metric]
        if row["low"] is not None and row["value"] is not None:
            assert row["low"] - 1e-9 <= row["value"] <= row["high"] + 1e-9, (subject, condition, metric)


def test_missing_brains_and_clips_are_said_and_leave_the_rest(stage: Path, tmp_path: Path):
    lines: list[str] = []
    (stage / "run-expert" / "brain.onnx").unlink()
    for path in (tmp_path / "clips").glob("walk*"):
        path.unlink()
    job.run(
        "cheema2023",
        "table1",
        tmp_path / "out",
        episodes=EPISODES,
        clips=tmp_path / "clips",
        say=lines.append,
        brains=[str(stage / "run"), str(stage / "walk")],
    )
    assert "skipped: run, expert: no brain 'run-expert'" in lines
    assert any(line.startswith("skipped: walk: its clips are not here") for line in lines)
    held = json.loads((tmp_path / "out" / "table1.json").read_text())
    assert len(held["skipped"]) == 2
    assert {row["subject"] for row in held["rows"]} == {"run", "walk"}


def test_an_item_without_anything_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(benches.catalogue, "SHIPPED", tmp_path)
    lines: list[str] = []
    job.run("cheema2023", "all", tmp_path / "out", episodes=2, say=lines.append)
    assert "skipped: cartwheel: no brain 'cartwheel'" in lines
    assert list((tmp_path / "out").iterdir()) == []


def test_interrupted_work_leaves_the_items_before_whole(stage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("lactic.lab.cheema2023.fig3.make", stop)
    words = f"lab cheema2023 all --out {tmp_path}/out --episodes 3 --brain {stage}/hop --clips {tmp_path}/clips"
    assert main(words.split()) == 130
    there = {path.name for path in (tmp_path / "out").iterdir()}
    assert there == {"results.md"} | {f"table{k}.{kind}" for k in (1, 4) for kind in ("csv", "json", "png")}


def test_unknown_names_list_what_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["lab", "cheema2023", "fig99", "--out", str(tmp_path)]) == 2
    assert "unknown item 'fig99' of cheema2023; there are: table1, table4, fig3" in capsys.readouterr().err
    assert main(["lab", "nobody", "fig3", "--out", str(tmp_path)]) == 2
    assert "there are: cheema2023" in capsys.readouterr().err
    assert main(["lab", "cheema2023", "fig3", "--out", str(tmp_path), "--brain", "nobody"]) == 2
    assert "unknown brain 'nobody'" in capsys.readouterr().err


def test_report_prints_intervals_and_keeps_quiet_rows_out(tmp_path: Path):
    report = Report("p", "fig1", "title")
    report.add("run", "tired", "speed", Estimate(2.5, 2.25, float("nan"), 10), paper=3.0)
    report.add("run", "tired", "survival", Estimate(0.5, 0.25, 0.75, 10), quiet=True)
    report.add("run", "tired", "jitter", float("nan"))
    assert [line.split() for line in report.lines()[1:]] == [
        ["run", "tired", "speed", "2.5", "10", "3"],
        ["run", "tired", "jitter", "–"],
    ]
    report.write(tmp_path)
    held = json.loads((tmp_path / "fig1.json").read_text())
    assert [row["value"] for row in held["rows"]] == [2.5, 0.5, None]
    write_results(tmp_path, tmp_path / "results.md")
    page = (tmp_path / "results.md").read_text()
    assert "| run | tired | speed | 2.5 |" in page and "survival |" not in page
    with pytest.raises(InputError, match="no results to write about"):
        write_results(tmp_path / "nowhere", tmp_path / "page.md")


def test_ablations_are_held_beside_the_whole(stage: Path, tmp_path: Path):
    rows = made(stage, "ablation", tmp_path / "out", "hop", "run")
    found = {(subject, condition) for subject, condition, _ in rows}
    assert found == {(name, c) for name in ("hop", "run") for c in ("whole", "without β", "without M_F")}
    assert rows["hop", "without M_F", "survival"]["value"] == 1
    assert "own maxima" in json.loads((tmp_path / "out" / "ablation.json").read_text())["skipped"][0]
