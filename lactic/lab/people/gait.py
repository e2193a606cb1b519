"""Gait: what tiredness does to it, from two motion files or brains, from one file over time, or from one brain."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np

from lactic.body import humanoid
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.lab.bench import Bench
from lactic.lab.people.course import PACE, leg_joints
from lactic.lab.people.strides import QUANTITIES, UNITS, Strides, change, strides, unevenness
from lactic.lab.pictures import FRESH, RED, dress, panels
from lactic.lab.report import Report
from lactic.lab.take import of_clip
from lactic.lab.trial import OFF, own_fitness
from lactic.motion.body_clip import BodyClip
from lactic.motion.commands import load
from lactic.motion.recorded import BEFORE, fallen
from lactic.motion.retarget import retarget

TITLE = "gait, fresh and tired"
SETTLE, FRESH_SECONDS, TIRED_SECONDS = 5.0, 30.0, 60.0
"""A brain's run is looked at from that second on, for so long when fresh, and when tired."""
TIRED_BELOW = 0.5
"""Of the legs' strength: strides that begin with less are tired."""
FASTEST = 60.0
"""Frames a second that files are looked at with, at most."""
SPAN, MOST_SPANS = 5.0, 8
"""Seconds of an interval of one file at least, and the most intervals."""


def make(bench: Bench, report: Report) -> None:
    """Rows of each quantity fresh and tired, and of the change; the first thing named is the fresh one.

    Files are looked at as they are, on the humanoid (lengths are scaled to its legs); one alone interval by interval.
    The first brain plays in a body that does not tire; the second, or the same again, in its own, and its strides
    count once its legs are tired.
    """
    given = bench.motions or bench.brains or ("pace",)
    if len(given) > 2:
        raise InputError("gait compares two files or brains, the fresh one first, or one of them over time")
    for name in given:
        if not Path(name).is_file() and not _is_brain(name):
            report.skip(f"{name}: neither a motion file nor a brain")
            return
    if len(given) == 1 and Path(given[0]).is_file():
        _over_time(bench, report, Path(given[0]))
        return
    subject = " / ".join(dict.fromkeys(Path(name).stem for name in given))
    found = {}
    for condition, name in (("fresh", given[0]), ("tired", given[-1])):
        found[condition] = own = _strides(bench, name, condition == "tired")
        if len(own) < 2:
            report.skip(f"{name}, {condition}: {len(own)} strides, too few to say anything")
            return
    for condition, own in found.items():
        report.add(subject, condition, "strides", float(len(own)))
    for name in QUANTITIES:
        for condition, own in found.items():
            report.add(subject, condition, name, own.mean(name))
        report.add(subject, "change", name, change(found["fresh"], found["tired"], name))
    for condition, own in found.items():
        if len(np.unique(own.episode)) > 1:
            report.add(subject, condition, "step_time_unevenness", unevenness(own))
    _picture(report, found)


def _is_brain(name: str) -> bool:
    try:
        catalogue.find(name)
    except InputError:
        return False
    return True


def _over_time(bench: Bench, report: Report, path: Path) -> None:
    """Rows of each quantity in equal intervals of one file, and of the change from the first to the last."""
    found, fps, seconds = _of_file(path)
    count = int(np.clip(seconds // SPAN, 2, MOST_SPANS))
    edges = np.linspace(0.0, seconds, count + 1)
    parts = {}
    for a, b in pairwise(edges):
        own = found.where((found.start >= a * fps) & (found.start < b * fps))
        name = f"{a:.0f} to {b:.0f} s"
        if len(own) < 2:
            report.skip(f"{path.name}, {name}: {len(own)} strides, too few to say anything")
        else:
            parts[name] = (a + b) / 2, own
    if len(parts) < 2:
        return
    lines = [["", *parts], ["strides", *(str(len(own)) for _, own in parts.values())]]
    for name, (_, own) in parts.items():
        report.add(path.stem, name, "strides", float(len(own)), quiet=True)
    (_, first), *_, (_, last) = parts.values()
    for quantity in QUANTITIES:
        means = {name: own.mean(quantity) for name, (_, own) in parts.items()}
        for name, mean in means.items():
            report.add(path.stem, name, quantity, mean, quiet=True)
        report.add(path.stem, "first to last", quantity, change(first, last, quantity))
        lines.append([f"{quantity}, {UNITS[quantity]}", *(f"{mean.value:.3g}" for mean in means.values())])
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    for line in lines:
        bench.say("  ".join(map(str.ljust, line, widths)).rstrip())
    bench.say("Change from the first interval to the last, in parts of the first (lean and asymmetry plainly):")
    _curves(report, list(parts.values()))


def _of_file(path: Path) -> tuple[Strides, float, float]:
    """Strides of a motion file without those of a fall or a loss, their frames a second, and the file's seconds."""
    clip = load(path)
    if not isinstance(clip, BodyClip):
        clip, _ = retarget(clip, humanoid())
    clip = clip.resample(min(clip.fps, FASTEST))
    found = strides(of_clip(clip, clip.fps))
    second = np.arange(clip.frames) / clip.fps
    away = fallen(clip, np.zeros(0, int))
    for begin, end in _losses(path):
        away |= (second >= begin - BEFORE) & (second <= end)
    down = np.cumsum(away)
    end = found.start + np.round((found.left_time + found.right_time) * clip.fps).astype(int)
    return found.where(down[end] == down[found.start]), clip.fps, clip.seconds


def _losses(path: Path) -> list[tuple[float, float]]:
    """Seconds from and to which a motion was lost, as the summary says that `lactic tire` left beside its files."""
    if not (path.name in ("recording.npz", "body.bvh") or path.stem.endswith("-tired")):
        return []
    try:
        lost = json.loads((path.parent / "summary.json").read_text(encoding="utf-8"))["lost"]
        return [(float(one["from_s"]), np.inf if one["to_s"] is None else float(one["to_s"])) for one in lost]
    except (OSError, ValueError, KeyError, TypeError):  # no folder of `lactic tire`
        return []


def _strides(bench: Bench, name: str, tired: bool) -> Strides:
    if Path(name).is_file():
        return _of_file(Path(name))[0]
    folder = catalogue.find(name)
    info = folder.load().info
    seconds, fitness = (TIRED_SECONDS, own_fitness(folder)) if tired else (FRESH_SECONDS, OFF)
    steered = info.asks == "velocity"
    straight = {"commands": ((0.0, PACE, 0.0),), "standing": True} if steered else {}
    trial = bench.trial(folder, bench.ask(seconds, fitness, **straight))
    found = strides(trial, SETTLE)
    if not tired:
        return found
    strength = trial.capacity[..., leg_joints(trial.body)].mean(-1)
    return found.where(strength[found.start, found.episode] < TIRED_BELOW)


def _curves(report: Report, parts: list[tuple[float, Strides]]) -> None:
    axes = panels(report, 3, 3, width=10, height=2.2, x="seconds")
    for axis, name in zip(axes.flat, QUANTITIES, strict=True):
        middle, means = [second for second, _ in parts], [own.mean(name) for _, own in parts]
        axis.fill_between(middle, [m.low for m in means], [m.high for m in means], color=FRESH, alpha=0.15, lw=0)
        axis.plot(middle, [m.value for m in means], "o-", color=FRESH, ms=5)
        axis.set_xlim(0, None)
        dress(axis, name.replace("_", " "), UNITS[name], legend=False)


def _picture(report: Report, found: dict[str, Strides]) -> None:
    axes = panels(report, 3, 3, width=10, height=2.2)
    for axis, name in zip(axes.flat, QUANTITIES, strict=True):
        for k, ((condition, own), colour) in enumerate(zip(found.items(), (FRESH, RED), strict=True)):
            estimate = own.mean(name)
            axis.plot([k, k], [estimate.low, estimate.high], color=colour, lw=2)
            axis.plot(k, estimate.value, "o", color=colour, ms=7, label=condition)
        axis.set_xlim(-0.7, 1.7)
        axis.set_xticks((0, 1), tuple(found))
        dress(axis, name.replace("_", " "), UNITS[name], legend=False)
