"""Gait: what tiredness does to it, from any two motion files or brains, or one brain fresh against tired."""

from pathlib import Path

import numpy as np

from lactic.body import humanoid
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.lab.bench import Bench
from lactic.lab.people.course import PACE, leg_joints
from lactic.lab.people.strides import ASYMMETRY, QUANTITIES, Strides, change, strides, unevenness
from lactic.lab.pictures import FRESH, RED, dress, panels
from lactic.lab.report import Report
from lactic.lab.take import of_clip
from lactic.lab.trial import OFF, own_fitness
from lactic.motion.body_clip import BodyClip
from lactic.motion.commands import load
from lactic.motion.retarget import retarget

TITLE = "gait, fresh and tired"
SETTLE, FRESH_SECONDS, TIRED_SECONDS = 5.0, 30.0, 60.0
"""A brain's run is looked at from that second on, for so long when fresh, and when tired."""
TIRED_BELOW = 0.5
"""Of the legs' strength: strides that begin with less are tired."""
FASTEST = 60.0
"""Frames a second that files are looked at with, at most."""
UNITS = {
    "speed": "m/s",
    "cadence": "steps a minute",
    "step_length": "m",
    "foot_lift": "m",
    "peak_knee_flexion": "degrees",
    "arm_swing": "degrees",
    "trunk_lean": "degrees",
    "bounce": "m",
    ASYMMETRY: "(left − right)/mean",
}


def make(bench: Bench, report: Report) -> None:
    """Rows of each quantity fresh and tired, and of the change; the first thing named is the fresh one.

    Files are looked at as they are, on the humanoid (lengths are scaled to its legs). The first brain plays in a body
    that does not tire; the second, or the same again, in its own, and its strides count once its legs are tired.
    """
    given = bench.motions or bench.brains or ("pace",)
    if len(given) > 2 or (len(given) == 1 and Path(given[0]).is_file()):
        raise InputError("gait compares two files or brains, the fresh one first, or one brain, fresh and tired")
    for name in given:
        if not Path(name).is_file() and not _is_brain(name):
            report.skip(f"{name}: neither a motion file nor a brain")
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


def _strides(bench: Bench, name: str, tired: bool) -> Strides:
    if Path(name).is_file():
        clip = load(name)
        if not isinstance(clip, BodyClip):
            clip, _ = retarget(clip, humanoid())
        return strides(of_clip(clip, min(clip.fps, FASTEST)))
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
