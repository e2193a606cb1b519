"""What a transfer is worth without its parts: β, the sight of M_F, maximal torques common to all skills."""

from lactic.lab.bench import Bench
from lactic.lab.performance import falls, with_decline
from lactic.lab.pictures import panels, standing
from lactic.lab.report import Report
from lactic.lab.skills import FIVE
from lactic.lab.trial import TIRED_SECONDS, TIRING, Trial

TITLE = "transfers without β, without seeing M_F, and with maximal torques of their own skill"
VARIANTS = {"whole": "", "without β": "-nobeta", "without M_F": "-blind", "own maxima": "-own"}


def make(bench: Bench, report: Report) -> None:
    """Rows for every skill of which any variant is there, each trained alike but for what it lacks."""
    curves: dict[str, list[tuple[str, Trial]]] = {}
    for actor in bench.characters(*FIVE, "walk"):
        there = sum(actor.variant(suffix) is not None for suffix in VARIANTS.values())
        if there < 2 or actor.transferred is None or actor.skill is None:
            continue
        trials = curves.setdefault(actor.name, [])
        conditions = [(condition, suffix, TIRING, TIRED_SECONDS) for condition, suffix in VARIANTS.items()]
        for condition, trial in bench.trials(report, actor, conditions):
            trials.append((condition, trial))
            with_decline(report, actor.name, condition, actor.skill, trial)
            falls(report, actor.name, condition, trial)
    if not curves:
        report.skip("no skill has a variant: " + ", ".join(f"'NAME{suffix}'" for suffix in VARIANTS.values() if suffix))
    axes = panels(report, len(curves), height=2.2, x="time (s)")
    for axis, (name, trials) in zip(axes[:, 0], curves.items(), strict=True):
        standing(axis, name, trials)
