"""A.3, and baselines that reviewers asked for: followers that lack something, by what their settings say."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.designs import design, tires
from lactic.lab.tired_actor.drawing import by_design, draw
from lactic.lab.tired_actor.following import BRIEF, SPLITS, WEAK, clips_of, follow, followers
from lactic.lab.trial import OFF

TITLE = "followers with and without mining, fatigue, cost of torque (A.3)"
PAPER = {("train", "no mining"): (0.952, 43.2, 30.5), ("test", "no mining"): (0.923, 52.5, 35.1)}
"""At (2, 0.05, 1) on AMASS; here without fatigue and at the brain's own rates."""
NOTE = """
Brains that were trained alike from nothing, with 66 million samples (62 and 63 for `even` and `uniform`), but for
what their line says. Intervals overlap nearly everywhere: so short a training does not tell the designs apart. `no
mining` is the paper's ablation (A.3); its number stands beside `fresh` and `tiring`, the brain's own rates. The
others are what its reviewers asked for: a body that never tires (`no fatigue`), one in which torque costs, and MF
that is uniform at the start of training where it is reweighted in the design (Eq. 7). `20% torque` is a body with a
fifth of its strength that does not tire. Fall recovery, the paper's other ablation, is `fig11`. Only the first 10 s
of each motion are followed.
"""


def make(bench: Bench, report: Report) -> None:
    """Each brain given: without fatigue, at its own rates, from MF 80 %, and with constant limits."""
    levels = (("fresh", OFF, 0.0), ("tiring", None, 0.0), ("MF 80%", None, 0.8), (f"{WEAK:.0%} torque", OFF, 1 - WEAK))
    for folder in followers(bench, report):
        what = design(folder)
        for split in SPLITS:
            clips = clips_of(bench, split, BRIEF)
            for condition, fitness, spent in levels:
                if not tires(folder) and fitness is None:
                    continue  # a body that never tired has no rates of its own
                found = follow(folder, clips, fitness, spent)
                paper = PAPER.get((split, what), ()) if condition in ("fresh", "tiring") else ()
                found.rows(report, folder.name, f"{what}; {split}, {condition}", paper)
                bench.say(f"{folder.name}, {split}, {condition}: {found.success.sum()} of {len(clips)} followed")
    draw(report, "success", "Motions followed to their end", "share", by_design)
