"""Runtime: processor time of a control step of one character on one core, beside the same steps without muscles."""

import time

import mujoco
import numpy as np

from lactic.body import muscle_man
from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.feng2023.players import ADVICE
from lactic.lab.pictures import BLUE, dress, panel
from lactic.lab.report import Report
from lactic.play.man import MusclePlayer
from lactic.play.man.job import states

TITLE = "processor time of a control step of one muscle man, on one core"
ROUNDS, FEW, STEPS = 20, 3, 20
TARGETS = {("control step", "ms"): (None, 17.0)}


def make(bench: Bench, report: Report) -> None:
    """Brain, physics with muscles, and physics alone from the same states, in turn; medians over rounds."""
    shown: dict[str, float] = {}
    for folder in bench.folders(report, "muscle-vae", "muscle-steer", advice=ADVICE):
        if not folder.load().info.moves_muscles:
            report.skip(f"{folder.name}: no brain of the muscle man")
            continue
        rows = measure(folder, ROUNDS if bench.episodes >= ROUNDS else FEW)
        for condition, values in rows.items():
            report.add(folder.name, condition, "ms", _median(values))
            shown[f"{folder.name}\n{condition}"] = float(np.median(values))
        whole, bare = rows["control step"], rows["physics without muscles"]
        with_muscles = rows["physics and muscles"]
        report.add(folder.name, "physics and muscles", "times_physics_alone", _median(with_muscles / bare))
        report.add(
            folder.name, "control step", "times_real_time", _median(1e3 / folder.load().info.control_rate / whole)
        )
    if shown:
        axis = panel(report, height=3.0)
        axis.bar(range(len(shown)), list(shown.values()), color=BLUE)
        axis.set_xticks(range(len(shown)), list(shown))
        dress(axis, "processor time of one character", "ms a control step", legend=False)


def _median(values: np.ndarray) -> statistics.Estimate:
    """Median over rounds, and the middle 95 % of the medians of drawn rounds."""
    low, high = np.percentile(np.median(values[statistics.draws(len(values))], axis=1), (2.5, 97.5))
    return statistics.Estimate(float(np.median(values)), float(low), float(high), len(values))


def measure(folder: BrainFolder, rounds: int) -> dict[str, np.ndarray]:
    """Milliseconds of the parts of a control step, (round,) each; the first round compiles and is left out."""
    player = MusclePlayer(folder.load(), threads=1)
    start, model = states(folder, player), muscle_man().model
    data, rows = mujoco.MjData(model), []
    for _ in range(rounds + 1):
        player.place(None, *start, rest=True)
        spent = np.zeros(3)
        for _ in range(STEPS):
            data.qpos[:], data.qvel[:] = player.world.qpos[0], player.world.qvel[0]
            marks = [time.process_time_ns()]
            player.think(np.zeros_like(player.command))
            marks.append(time.process_time_ns())
            player.act(player.info.substeps)
            marks.append(time.process_time_ns())
            for _ in range(player.info.substeps):
                mujoco.mj_step(model, data)
            marks.append(time.process_time_ns())
            spent += np.diff(marks)
        rows.append(spent * 1e-6 / STEPS)
    thought, moved, bare = np.array(rows[1:]).T
    return {
        "control step": thought + moved,
        "brain": thought,
        "physics and muscles": moved,
        "physics without muscles": bare,
    }
