"""What a transfer is worth without its parts: β, the sight of M_F, maximal torques common to all skills."""

from lactic.lab.bench import Bench
from lactic.lab.performance import decline, falls, performance
from lactic.lab.pictures import panels, standing
from lactic.lab.report import Report
from lactic.lab.skills import FIVE
from lactic.lab.trial import TIRED, TIRED_SECONDS, Trial

TITLE = "transfers without β, without seeing M_F, and with maximal torques of their own skill"
VARIANTS = {"whole": "", "without β": "-nobeta", "without M_F": "-blind", "own maxima": "-own"}


def make(bench: Bench, report: Report) -> None:
    """Rows for every skill of which any variant is there, each trained alike but for what it lacks."""
    curves: dict[str, list[tuple[str, Trial]]] = {}
    for actor in bench.characters(*FIVE, "walk"):
        found = {condition: actor.variant(suffix) for condition, suffix in VARIANTS.items()}
        if sum(folder is not None for folder in found.values()) < 2 or found["whole"] is None:
            continue
        trials = curves.setdefault(actor.name, [])
        for condition, folder in found.items():
            if folder is None:
                report.skip(f"{actor.name}, {condition}: no brain '{actor.name}{VARIANTS[condition]}'")
                continue
            trial = bench.trial(folder, bench.ask(TIRED_SECONDS, TIRED))
            trials.append((condition, trial))
            repetitions = performance(report, actor.name, condition, actor.skill, trial)
            if actor.skill is not None and repetitions is not None:
                decline(report, actor.name, condition, actor.skill, trial, repetitions)
            falls(report, actor.name, condition, trial)
    if not curves:
        report.skip("no skill has a variant: " + ", ".join(f"'NAME{suffix}'" for suffix in VARIANTS.values() if suffix))
        return
    figure, axes = panels(len(curves), height=2.2)
    for axis, (name, trials) in zip(axes[:, 0], curves.items(), strict=True):
        standing(axis, name, trials)
    axes[-1, 0].set_xlabel("time (s)")
    report.figure = figure
