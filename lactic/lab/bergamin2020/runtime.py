"""Table 5.2: what a steered character costs, stage by stage, beside a bare physics step measured in the same run."""

import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import brains, database, steered
from lactic.lab.pictures import BLUE, GREEN, dress, panels
from lactic.lab.report import Report
from lactic.motion.gamepad import ArtificialUser

TITLE = "processor time of a steered character"
PAPER = {"kinematic control": 40.0, "state": 40.0, "policy": 60.0, "physics": 200.0}  # µs a frame
ROUNDS, SECONDS = 20, 2.0
FEW_ROUNDS = 4
MANY = 50


class Timed:
    """A function that counts the processor time spent in it."""

    def __init__(self, work: Callable[..., Any]):
        self.work, self.spent = work, 0.0

    def __call__(self, *arguments: Any) -> Any:
        """Do the work."""
        began = time.process_time_ns()
        found = self.work(*arguments)
        self.spent += (time.process_time_ns() - began) * 1e-9
        return found


def make(bench: Bench, report: Report) -> None:
    """One character and fifty, rounds of simulation and of bare steps in turn; medians over the rounds."""
    frames = database(bench, report)
    found = brains(bench, report, wanted=True) if frames is not None else []
    if frames is None or not found:
        return
    rounds = ROUNDS if bench.episodes >= ROUNDS else FEW_ROUNDS
    figure, axes = panels(1, height=3.0)
    for folder in found:
        for count in (1, MANY):
            stages, ratio = measure(folder, frames, count, rounds, bench.seed)
            who = "one character" if count == 1 else f"{count} characters"
            for stage, cost in stages.items():
                report.add(folder.name, f"{who}: {stage}", "microseconds", cost, PAPER.get(stage))
            total = sum(stages[stage] for stage in PAPER)
            report.add(folder.name, f"{who}: total", "microseconds", total, sum(PAPER.values()))
            report.add(folder.name, who, "ratio_to_mj_step", ratio)
            report.add(folder.name, who, "in_real_time", 1e6 / frames.fps / total)
            if count == 1:
                places = np.arange(len(PAPER))
                axes[0, 0].bar(places - 0.2, [stages[s] for s in PAPER], 0.4, color=BLUE, label=folder.name)
    axes[0, 0].bar(places + 0.2, list(PAPER.values()), 0.4, color=GREEN, label="thesis, Xeon E5-1650")
    axes[0, 0].set_xticks(places, list(PAPER))
    dress(axes[0, 0], "processor time of one character", "µs a frame")
    report.figure = figure


def measure(folder: Any, frames: Any, count: int, rounds: int, seed: int) -> tuple[dict[str, float], float]:
    """Microseconds of each stage for a character and a frame of 1/60 s, and the total over a bare mj_step."""
    user = Timed(ArtificialUser(count, seed, 1 / frames.fps, crouch="crouch" in frames.tags_present))
    crowd = steered(folder, frames, user, count, threads=1)
    parts = {
        "kinematic control": Timed(crowd.go_on), "state": Timed(crowd.tell), "policy": Timed(crowd.player.think),
        "physics": Timed(crowd.player.act),
    }  # fmt: skip
    held, player = vars(crowd), vars(crowd.player)  # where an instance's own functions come before its class's
    held["go_on"], held["tell"] = parts["kinematic control"], parts["state"]
    player["think"], player["act"] = parts["policy"], parts["physics"]
    model = frames.body.model
    data = mujoco.MjData(model)
    steps = round(SECONDS * crowd.player.info.control_rate)
    for _ in range(steps // 2):  # compiles, and leaves the start behind
        crowd.step()
        crowd.stand_up()
    rows: list[list[float]] = []
    for _ in range(rounds):
        for part in (user, *parts.values()):
            part.spent = 0.0
        for _ in range(steps):
            crowd.step()
            crowd.stand_up()
        data.qpos[:], data.qvel[:] = crowd.player.world.qpos[0], crowd.player.world.qvel[0]
        data.ctrl[:] = data.qpos[7:]
        began = time.process_time_ns()
        for _ in range(steps):
            mujoco.mj_step(model, data)
        bare = (time.process_time_ns() - began) * 1e-3 / steps
        parts["kinematic control"].spent -= user.spent  # who holds the gamepad is not part of the character
        scale = 1e6 / (steps * crowd.updates * count)
        rows.append([*(part.spent * scale for part in parts.values()), bare])
    middle = np.median(np.array(rows), axis=0)
    ratio = float(np.median([sum(row[:-1]) / row[-1] for row in rows]))
    return dict(zip((*parts, "bare mj_step"), middle.tolist(), strict=True)), ratio
