"""Table 1 and what the experts and their tired versions do: survival, speed, repetitions, likeness, decline, rest."""

from lactic.lab.bench import Bench, BrainFamily
from lactic.lab.distance import floor
from lactic.lab.measure import speed
from lactic.lab.performance import (
    alive_minutes,
    clip_distance,
    clip_rows,
    helpful_rests,
    mean_standing,
    performance,
    scaled,
    survival,
    with_decline,
    with_rests,
)
from lactic.lab.pictures import FRESH, RED, bars, dress, panels
from lactic.lab.report import Report
from lactic.lab.skills import FIVE, MeasuredSkill
from lactic.lab.statistics import mean, ratio
from lactic.lab.trial import OFF, RECOVERING, TIRED_SECONDS, TIRING

TITLE = "distance to the clip, and what experts and tired characters do"
AMP = {
    "Backflip": (0.18, 0.06),
    "Cartwh.": (0.24, 0.07),
    "Hopping": (0.16, 0.03),
    "Locomot.": (0.23, 0.05),
    "360 Kick": (0.24, 0.08),
}
OURS = {
    "Backflip": (0.44, 0.36),
    "Cartwh.": (0.25, 0.09),
    "Hopping": (0.32, 0.33),
    "Locomot.": (0.36, 0.28),
    "360 Kick": (0.32, 0.17),
}
"""Mean and bracketed number of the two rows, by column."""
FRESH_SECONDS = 20.0
SHOWN = (
    ("distance", "Distance to the closest clip frame", "angle/π"),
    ("survival", "Episodes without a fall", "share"),
    ("repetitions_per_minute", "Repetitions", "a minute"),
)
RESTING = ("kick", "cartwheel", "backflip")
"""Skills in which the paper sees waiting."""


def make(bench: Bench, report: Report) -> None:
    """Rows for every skill that has brains."""
    shown = []
    for actor in bench.characters(*FIVE, "walk"):
        skill = actor.skill
        if skill is None or (actor.transferred is None and actor.expert is None):
            report.skip(f"{actor.name}: no brain '{actor.name}' or '{actor.name}-expert'")
            continue
        shown.append(actor.name)
        _expert(bench, report, actor, skill)
        if actor.expert is not None:
            untransferred = bench.trial(actor.expert, bench.ask(TIRED_SECONDS, actor.fitness))
            report.add(actor.name, "untransferred", "survival", survival(untransferred.stood))
        _tired(bench, report, actor, skill)
    axes = panels(report, len(SHOWN) if shown else 0, height=2.5)
    conditions = (("expert", "expert, fresh", FRESH), ("tired", "tired", RED))
    for axis, (metric, title, unit) in zip(axes[:, 0], SHOWN, strict=False):
        bars(axis, report, shown, conditions, metric)
        dress(axis, title, unit)


def _expert(bench: Bench, report: Report, actor: BrainFamily, skill: MeasuredSkill) -> None:
    folder = actor.expert
    if folder is None:
        report.skip(f"{actor.name}, expert: no brain '{actor.name}-expert'")
        return
    trial = bench.trial(folder, bench.ask(FRESH_SECONDS, OFF))
    found = performance(report, actor.name, "expert", skill, trial)
    reference, clip = bench.reference(folder, skill), bench.main_clip(folder, skill)
    if reference is None or clip is None:
        report.skip(f"{actor.name}: its clips are not here to compare with; name their folder (`lactic clips fetch`)")
        return
    moved, rate = clip_rows(report, actor.name, skill, clip, floor(clip.qpos[:, 7:], clip.body.range))
    if skill.travels:
        own = mean(mean_standing(speed(trial.qpos, trial.fps), trial))
        report.add(actor.name, "expert", "speed_to_clip", scaled(own, moved))
    repeated = ratio(found.count(trial.episodes), alive_minutes(trial))
    report.add(actor.name, "expert", "repetitions_to_clip", scaled(repeated, rate))
    clip_distance(report, actor.name, "expert", trial, reference, AMP.get(skill.column or ""))


def _tired(bench: Bench, report: Report, actor: BrainFamily, skill: MeasuredSkill) -> None:
    folder = actor.transferred
    if folder is None:
        report.skip(f"{actor.name}, tired: no brain '{actor.name}'")
        return
    as_printed = bench.trial(folder, bench.ask(TIRED_SECONDS, TIRING))
    report.add(actor.name, "(1, 0.01, 1)", "survival", survival(as_printed.stood))
    trial = bench.trial(folder, bench.ask(TIRED_SECONDS, actor.fitness))
    found = with_decline(report, actor.name, "tired", skill, trial, claimed=True)
    if skill.name in RESTING:
        helpful_rests(report, actor.name, "tired", trial, found)
        later = bench.trial(folder, bench.ask(TIRED_SECONDS, RECOVERING))
        with_rests(report, actor.name, RECOVERING.name, skill, later)
    reference = bench.reference(folder, skill)
    if reference is not None:
        clip_distance(report, actor.name, "tired", trial, reference, OURS.get(skill.column or ""))
