"""What is said of numbers against a paper and against targets."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from motions import trial_of
from PIL import Image
from skills import PACES

from lactic.lab.performance import with_decline
from lactic.lab.pictures import COLOURS, panels
from lactic.lab.report import ANY, Report, contradiction, met, target
from lactic.lab.results import write_results
from lactic.lab.skills import SKILLS
from lactic.lab.statistics import Estimate


def row(low: float, value: float, high: float, bounds=(None, None), **more) -> dict:
    report = Report("p", "i", "t", targets={(ANY, "height_change"): bounds})
    report.add("kick", "tired", "height_change", Estimate(value, low, high, 9), **more)
    return vars(report.rows[0])


def test_an_interval_that_excludes_the_papers_number_is_said():
    assert contradiction(row(0.5, 0.6, 0.7, paper=0.55)) is None
    said = contradiction(row(0.5, 0.6, 0.7, paper=0.32))
    assert said == "kick, tired: height_change is 0.6 (0.5 … 0.7), above the paper's 0.32."
    assert "below the paper's 1.5" in (contradiction(row(0.5, 0.6, 0.7, paper=1.5)) or "")
    assert contradiction(row(np.nan, 0.6, np.nan, paper=0.3)) is None  # without an interval nothing is known


@pytest.mark.parametrize(
    ("bounds", "said"),
    [((-0.3, -0.2, -0.1), None), ((0.1, 0.2, 0.3), "this contradicts it"), ((-0.1, 0.0, 0.1), "not seen here")],
)
def test_a_change_the_other_way_is_said(bounds, said):
    found = contradiction(row(*bounds, paper_change="lower"))
    assert found is None if said is None else said in found
    mirrored = contradiction(row(*(-x for x in reversed(bounds)), paper_change="higher"))
    assert (mirrored is None) == (said is None)


def test_targets_are_met_or_not():
    assert target(row(0, 0.5, 1)) == ""
    assert target(row(0.96, 0.97, 0.98, bounds=(0.95, None))) == "≥ 0.95: met"
    assert target(row(0.9, 0.94, 0.98, bounds=(0.95, None))) == "≥ 0.95: not met"
    assert target(row(0.01, 0.02, 0.09, bounds=(None, 0.05))) == "≤ 0.05: met"
    assert met(row(np.nan, np.nan, np.nan, bounds=(0.0, None))) is False  # nothing measured meets nothing


def test_the_page_and_the_terminal_say_so_too(tmp_path):
    report = Report("p", "fig1", "title", targets={("tired", "survival"): (0.95, None)})
    report.add("kick", "tired", "distance", Estimate(0.66, 0.65, 0.67, 9), paper=0.32)
    report.add("kick", "tired", "survival", Estimate(0.99, 0.9, 1, 9))
    sentence = "kick, tired: distance is 0.66 (0.65 … 0.67), above the paper's 0.32."
    assert report.lines()[-1] == sentence
    assert report.lines()[2].endswith("≥ 0.95: met")
    report.add("kick", "tired", "height_change", Estimate(0.2, 0.1, 0.3, 9), paper_change="lower")
    report.add("kick", "tired", "speed", Estimate(1.0, 0.9, 1.1, 9))
    report.write(tmp_path)
    write_results(tmp_path, tmp_path / "results.md")
    page = (tmp_path / "results.md").read_text()
    assert "| 0.65 … 0.67 | 9 | 0.32 |" in page and "| ≥ 0.95: met |" in page
    assert "the paper finds it lower when tired, and this contradicts it" in page
    assert "| speed |" not in page and "All 4 numbers: [fig1.csv](fig1.csv)" in page


def test_speed_is_that_of_episodes_that_have_not_fallen(clip):
    trial = trial_of(clip("run"), 300, 4)
    trial.qpos[:, 3, :2] = 0.0  # stands, and then falls
    trial.fell_at[3] = 200
    report = Report("cheema2023", "i", "t")
    with_decline(report, "run", "tired", SKILLS["run"], trial, claimed=True)
    assert report.value("run", "tired", "speed") == pytest.approx(PACES["run"][0], rel=0.02)
    assert report.value("run", "tired", "fallen") == 1 and report.value("run", "tired", "survival") == 0.75
    ways = {r.metric: r.paper_change for r in report.rows if r.metric.endswith("_change")}
    assert ways["speed_change"] == "lower" and ways["repetitions_per_minute_change"] is None


def test_lines_of_a_picture_keep_their_colours(tmp_path):
    report = Report("p", "i", "t")
    for axis in panels(report, 4)[:, 0]:
        for k, colour in enumerate(COLOURS):
            axis.fill_between([0, 1], [k, k + 1], [k + 2, k + 1], color=colour, alpha=0.18 - 0.02 * k, lw=0)
            axis.plot([0, 1 / (1 + k)], [k, k], color=colour, label=colour)
        axis.legend()
    report.write(tmp_path)
    picture = Image.open(tmp_path / "i.png").convert("RGB")
    shown = {colour for _, colour in picture.getcolors(1 << 20)}
    assert {tuple(round(255 * part) for part in to_rgb(colour)) for colour in COLOURS} <= shown
