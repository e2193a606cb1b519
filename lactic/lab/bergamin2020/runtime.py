"""Table 5.2: what a steered character costs, stage by stage, beside a bare physics step measured in the same run."""

import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import brains, database
from lactic.lab.pictures import BLUE, GREEN, dress, panel
from lactic.lab.report import Report
from lactic.play.steer import pad_named
from lactic.play.steered import crowd_of
from lactic.steer.gamepad import ArtificialUser

TITLE = "processor time of a steered character"
PAPER = {"kinematic control": 40.0, "state": 40.0, "policy": 60.0, "physics": 200.0}  # µs a frame
TOTAL = {"total": sum(PAPER.values())}
ROUNDS, SECONDS = 20, 2.0
FEW_ROUNDS = 4
MANY, CORES = 50, 2


class Timed:
    """A function that counts the processor time spent in it."""

    def __init__(self, work: Callable[..., Any]):
        self.work, self.spent = work, 0.0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Do the work."""
        began = time.process_time_ns()
        found = self.work(*arguments, **options)
        self.spent += (time.process_time_ns() - began) * 1e-9
        return found


def make(bench: Bench, report: Report) -> None:
    """One character and fifty, rounds of simulation and of bare steps in turn; medians over the rounds."""
    frames = database(bench, report)
    found = brains(bench, report, wanted=True)
    rounds = ROUNDS if bench.episodes >= ROUNDS else FEW_ROUNDS
    axis, places = panel(report, height=3.0), np.arange(len(PAPER))
    for folder in found:
        for count in (1, MANY):
            stages, ratio = measure(folder, frames, count, rounds, bench.seed)
            who = "one character" if count == 1 else f"{count} characters"
            for stage, cost in stages.items():
                report.add(folder.name, f"{who}: {stage}", "microseconds", cost, (PAPER | TOTAL).get(stage))
            report.add(folder.name, who, "ratio_to_mj_step", ratio)
            report.add(folder.name, who, "in_real_time", 1e6 / frames.fps / stages["total"])
            if count == MANY:
                pace = in_real_time(folder, frames, count, rounds, bench.seed)
                report.add(folder.name, f"{who}, {CORES} cores", "seconds_a_second", pace)
            if count == 1:
                axis.bar(places - 0.2, [stages[s] for s in PAPER], 0.4, color=BLUE, label=folder.name)
    axis.bar(places + 0.2, list(PAPER.values()), 0.4, color=GREEN, label="thesis, Xeon E5-1650")
    axis.set_xticks(places, list(PAPER))
    dress(axis, "processor time of one character", "µs a frame")


class Drawn:
    """What the artificial user will do, drawn beforehand: who holds the gamepad is not part of the character."""

    def __init__(self, frames: Any, count: int, seed: int, length: int):
        user = ArtificialUser(count, seed, 1 / frames.fps, crouch="crouch" in frames.tags_present)
        self.pads = np.stack([user.step().copy() for _ in range(length)])
        self.at = -1

    def __call__(self, second: float, roots: np.ndarray) -> np.ndarray:
        """The next gamepads, as a `Pad`."""
        self.at = (self.at + 1) % len(self.pads)
        return self.pads[self.at]


def measure(folder: Any, frames: Any, count: int, rounds: int, seed: int) -> tuple[dict[str, float], float]:
    """Microseconds of each stage for a character and a frame of 1/60 s, and the total over a bare mj_step.

    Rounds of steps as they are, for the total, of bare mj_steps, and of steps whose stages are timed take turns.
    """
    steps = round(SECONDS * folder.load().info.control_rate)
    crowd = crowd_of(folder, frames, Drawn(frames, count, seed, 2 * rounds * steps), count, threads=1)
    model, data = frames.body.model, mujoco.MjData(frames.body.model)
    scale = 1e6 / (steps * crowd.updates * count)
    rows: list[list[float]] = []
    for turn in range(rounds + 1):
        total = _spent(crowd, steps)
        data.qpos[:], data.qvel[:] = crowd.player.world.qpos[0], crowd.player.world.qvel[0]
        data.ctrl[:] = data.qpos[7:]
        began = time.process_time_ns()
        for _ in range(steps):
            mujoco.mj_step(model, data)
        bare = (time.process_time_ns() - began) * 1e-3 / steps
        parts = _stages(crowd, steps)
        if turn:  # the first one compiles, and leaves the start behind
            rows.append([*(part * scale for part in parts.values()), total * scale, bare])
    middle = np.median(np.array(rows), axis=0)
    ratio = float(np.median([row[-2] / row[-1] for row in rows]))
    return dict(zip((*parts, "total", "bare mj_step"), middle.tolist(), strict=True)), ratio


def _spent(crowd: Any, steps: int) -> float:
    """Seconds of processor time that some steps take."""
    whole = Timed(crowd.step)
    for _ in range(steps):
        whole()
        crowd.stand_up()
    return whole.spent


def _stages(crowd: Any, steps: int) -> dict[str, float]:
    """The same for each stage of a step."""
    places = {
        "kinematic control": (crowd, "go_on"),
        "state": (crowd, "tell"),
        "policy": (crowd.player, "think"),
        "physics": (crowd.player, "act"),
    }
    timed = {stage: Timed(getattr(owner, name)) for stage, (owner, name) in places.items()}
    for stage, (owner, name) in places.items():
        vars(owner)[name] = timed[stage]  # an instance's own functions come before its class's
    _spent(crowd, steps)
    for owner, name in places.values():
        del vars(owner)[name]
    return {stage: work.spent for stage, work in timed.items()}


def in_real_time(folder: Any, frames: Any, count: int, rounds: int, seed: int) -> float:
    """Simulated seconds for each second of the wall clock, gamepads and falls included; the median over the rounds."""
    user = pad_named("user", frames, seed, count)
    crowd = crowd_of(folder, frames, user, count, threads=CORES)
    steps, paces = round(SECONDS * crowd.player.info.control_rate), []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        for _ in range(steps):
            crowd.step()
            crowd.stand_up()
        paces.append(steps * crowd.player.dt / (time.perf_counter() - began))
    return float(np.median(paces[1:]))
