"""Fig. 6: with and without the policy's multiplier β of stiffness and damping, a body at rest is still or jitters."""

import numpy as np

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.events import Phases, phases
from lactic.lab.performance import performance
from lactic.lab.pictures import FRESH, TIRED, dress, panels
from lactic.lab.report import Report
from lactic.lab.trial import TIRED as TRAINED
from lactic.lab.trial import TIRED_SECONDS

TITLE = "jitter of the shoulders at rest, with and without β"
LEAST, SETTLED = 2.0, 0.5
"""Rests of two seconds count, without the half seconds in which the body comes to rest and starts again."""


def make(bench: Bench, report: Report) -> None:
    """Rows for the backflip, or another skill if only that was trained without β too.

    Rest is judged by the root alone here, or a jittering body would never be at rest.
    """
    actors = [actor for actor in bench.characters("backflip", "hop", "kick", "cartwheel") if actor.tired is not None]
    actor = next((actor for actor in actors if actor.variant("-nobeta") is not None), actors[0] if actors else None)
    if actor is None or actor.tired is None:
        report.skip("backflip: no brain 'backflip'")
        return
    without = actor.variant("-nobeta")
    if without is None:
        report.skip(f"{actor.name}, without β: no brain '{actor.name}-nobeta'")
    shown = [("with β", actor.tired, FRESH)] + ([("without β", without, TIRED)] if without else [])
    figure, axes = panels(len(shown), height=2.2, sharey=True)
    for axis, (condition, folder, colour) in zip(axes[:, 0], shown, strict=True):
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, TRAINED))
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
    report.figure = figure
