"""Fig. 6: with and without the policy's multiplier β of stiffness and damping, a body at rest is still or jitters."""

import numpy as np

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.events import Phases, phases
from lactic.lab.performance import performance
from lactic.lab.pictures import FRESH, RED, dress, panels
from lactic.lab.report import Report
from lactic.lab.trial import TIRED_SECONDS, TIRING

TITLE = "jitter of the shoulders at rest, with and without β"
LEAST, SETTLED = 2.0, 0.5
"""Rests of two seconds count, without the half seconds in which the body comes to rest and starts again."""


def make(bench: Bench, report: Report) -> None:
    """Rows for the backflip, or another skill if only that was trained without β too.

    Rest is judged by the root alone here, or a jittering body would never be at rest.
    """
    names = "backflip", "hop", "kick", "cartwheel"
    actors = [actor for actor in bench.characters(*names) if actor.transferred is not None and actor.skill is not None]
    actor = next((actor for actor in actors if actor.variant("-nobeta") is not None), actors[0] if actors else None)
    if actor is None or actor.transferred is None or actor.skill is None:
        report.skip("backflip: no brain 'backflip'")
        return
    conditions = (("with β", "", TIRING, TIRED_SECONDS), ("without β", "-nobeta", TIRING, TIRED_SECONDS))
    shown = list(bench.trials(report, actor, conditions))
    axes = panels(report, len(shown), height=2.2, sharey=True)
    for axis, (condition, trial), colour in zip(axes[:, 0], shown, (FRESH, RED), strict=False):
        performance(report, actor.name, condition, actor.skill, trial)
        joints = [7 + k for k, group in enumerate(trial.body.groups) if group == "shoulder"]
        still = measure.speed(trial.qpos, trial.fps) < measure.REST_SPEED
        still &= (trial.up > measure.UPRIGHT) & trial.contact.any(-1) & trial.alive
        rest = phases(still, round(LEAST * trial.fps))
        trim = round(SETTLED * trial.fps)
        rest = Phases(rest.episode, rest.start + trim, rest.end - trim)
        mask = np.zeros_like(still)
        for e, a, b in zip(rest.episode, rest.start, rest.end, strict=True):
            mask[a:b, e] = True
        values = measure.jitter(trial.qpos[..., joints], trial.fps, mask)
        report.add(actor.name, condition, "jitter", statistics.mean(values))
        if not len(rest):
            report.skip(f"{actor.name}, {condition}: never at rest for {LEAST:g} s")
            continue
        longest = int(np.argmax(rest.frames))
        e, a, b = rest.episode[longest], rest.start[longest], rest.end[longest]
        b = min(b, a + round(6 * trial.fps))
        axis.plot(np.arange(b - a) / trial.fps, np.degrees(trial.qpos[a:b, e, joints]), color=colour, lw=1)
        axis.set_xlabel("time at rest (s)")
        dress(axis, f"Shoulder angles at rest, {condition}", "degrees")
