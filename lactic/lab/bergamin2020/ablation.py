"""Fig. 5.5 and 5.16: what a state, set of actions, filter or update rate is worth, from brains trained with each."""

from typing import Any

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, brains, database
from lactic.lab.pictures import BLACK, BLUE, dress, panels
from lactic.lab.report import Report
from lactic.play.driver import Collector
from lactic.play.steer import pad_named
from lactic.play.steered import crowd_of
from lactic.steer.matching import Database
from lactic.task.steering.settings import SteerSettings

TITLE = "designs of the controller, compared"
SECONDS = 60.0


def design(folder: BrainFolder) -> str:
    """What a brain was trained with, in words: its differences from the recipe's design."""
    task: dict[str, Any] = folder.params().get("task") or {}
    steer: dict[str, Any] = task.get("steer") or {}
    parts = []
    if steer.get("state", "errors") != "errors":
        parts.append(f"state {steer['state']}")
    if not steer.get("feels"):
        parts.append("does not feel its body")
    if steer.get("all_joints"):
        parts.append("all joints")
    if abs(steer.get("smoothing", SteerSettings.smoothing) - SteerSettings.smoothing) > 1e-9:
        parts.append(f"smoothing {steer['smoothing']:.2g} s")
    if abs(task.get("control_rate", 30.0) - 30.0) > 1e-9:
        parts.append(f"{task['control_rate']:g} decisions a second")
    if len(steer.get("terms", range(4))) < 4:
        parts.append("paid for " + " and ".join(steer["terms"]))
    if steer.get("impact"):
        parts.append("blows in training")
    return ", ".join(parts) or "as designed"


def make(bench: Bench, report: Report) -> None:
    """Reward, falls and jitter of each brain given, under the same artificial users."""
    frames = database(bench, report)
    found = brains(bench, report, wanted=True)
    kinds = ("reward", "falls_per_5_minutes", "acceleration")
    axes = panels(report, 1, len(kinds), height=0.4 * len(found) + 0.8, sharey=True)
    for place, folder in enumerate(found):
        reward, falls, rough = measure(folder, frames, min(bench.episodes, MOST), bench.seed)
        what = design(folder)
        report.add(folder.name, what, "million_samples", folder.load().info.samples / 1e6)
        for axis, kind, values in zip(axes[0], kinds, (reward, falls * 300 / SECONDS, rough), strict=True):
            mean = statistics.mean(values)
            report.add(folder.name, what, kind, mean)
            reach = [[mean.value - mean.low], [mean.high - mean.value]]
            axis.barh(place, mean.value, xerr=reach, color=BLUE, ecolor=BLACK)
    names = ("mean reward", "falls in 5 minutes", "joint acceleration (rad/s², RMS)")
    for axis, name in zip(axes[0], names, strict=True):
        dress(axis, name, "")
    axes[0, 0].set_yticks(np.arange(len(found)), [design(folder) for folder in found])
    axes[0, 0].invert_yaxis()


def measure(folder: BrainFolder, frames: Database, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean reward, falls and RMS joint acceleration of characters, (character,) each."""
    from lactic.task.steering.follow import Score  # needs torch

    user = pad_named("user", frames, seed, count)
    crowd = crowd_of(folder, frames, user, count)
    score, world, rate = Score(frames.body), crowd.player.world, crowd.player.info.control_rate
    pose = crowd.kinematic.pose
    after = {
        "reward": lambda: score(world.qpos, world.qvel, pose.qpos, pose.qvel),
        "later": lambda: world.qvel[:, 6:],
    }
    kept = Collector(crowd, round(SECONDS * rate), {"sooner": lambda: world.qvel[:, 6:]}, after, get_up=True)
    found = kept.run()
    rough = np.mean(((found["later"] - found["sooner"]) * rate) ** 2, axis=(0, 2))
    return found["reward"].mean(0), kept.fell.sum(0), np.sqrt(rough)
