"""Load: what a runner's body tires by, the torque that it gave or what the PD formula asks for (cheema2023, Eq. 11).

A fresh runner is played once, and both loads are counted along its motion: so what differs is the counting alone.
"""

from typing import Any

import numpy as np

from lactic import body as bodies
from lactic import fatigue
from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.episodes import Episodes
from lactic.lab.people.course import DEFAULT, PACE, leg_joints
from lactic.lab.performance import survival
from lactic.lab.pictures import BLUE, RED, dress, panels
from lactic.lab.report import ANY, Report
from lactic.lab.trial import OFF, own_fitness
from lactic.play.velocity import takes_velocity
from lactic.strength import load
from lactic.world import CpuWorld

TITLE = "endurance of a runner by the torque given and by the torque intended"
TARGETS = {(ANY, "largest_difference"): (None, 1e-5)}
SECONDS, RUNNERS = 120.0, 16
HALF = 0.5
WAYS = ("applied", "intended")
STEPS = 60
"""Control steps in which the worlds' torques are compared."""
SMALL = 1e-3
"""Share of a joint's strength below which differences are taken of that share: zero has no shares."""


def make(bench: Bench, report: Report) -> None:
    """Seconds until the legs have half their strength, loads by joint group, and whether both worlds tell torque."""
    shown = []
    for folder in bench.folders(report, DEFAULT):
        shown.append((folder.name, _runner(bench, report, folder)))
    _worlds(report)
    if not shown:
        return
    axes = panels(report, len(shown), height=2.6, sharex=True, x="time (s)")
    for axis, (name, (fps, strength)) in zip(axes[:, 0], shown, strict=True):
        for way, curve, colour in zip(WAYS, strength, (BLUE, RED), strict=True):
            axis.plot(np.arange(len(curve)) / fps, 100 * curve.mean(1), color=colour, lw=1.8, label=way)
        axis.set_ylim(0, 104)
        dress(axis, f"{name}: strength of the legs of a runner that does not slow", "%")


def _runner(bench: Bench, report: Report, folder: BrainFolder) -> tuple[float, np.ndarray]:
    """Rows of one runner; returns the frame rate and the legs' strength (way, frame, runner)."""
    steered = takes_velocity(folder.load().info)
    asked: dict[str, Any] = {"commands": ((0.0, PACE, 0.0),), "standing": True} if steered else {}
    count = min(bench.episodes, RUNNERS)
    episodes = Episodes(folder, bench.ask(SECONDS, OFF, episodes=count, **asked), bench.threads)
    body, info, own = episodes.body, episodes.info, own_fitness(folder)
    rates, legs, limit = fatigue.rates(own, body.groups), leg_joints(body), np.array(info.torque_limit)
    state = np.zeros((2, count, len(body.joints), 3))
    state[..., 1] = 1.0
    total, alive = np.zeros((2, count, len(body.joints))), np.zeros(count)
    strength = np.ones((2, episodes.frames, count))
    done = 0
    for k in episodes:
        done = k + 1
        loads = np.stack([load(torque, limit) for torque in torques(episodes)])
        up = episodes.fell_at > k
        total[:, up] += loads[:, up]
        alive += up
        for way in range(2):
            state[way] = fatigue.step(state[way], loads[way], rates, 1 / info.control_rate)
        strength[:, k] = 1 - state[:, :, legs, 2].mean(-1)
    strength = strength[:, :done]
    report.add(folder.name, own.name, "survival", survival(episodes.fell_at == episodes.frames))
    for name, curve in zip(WAYS, strength, strict=True):
        below = curve < HALF
        first = np.where(below.any(0), below.argmax(0), len(curve))
        reached = below.any(0) & (first < episodes.fell_at)
        seconds = np.where(reached, first / info.control_rate, np.nan)
        report.add(folder.name, name, "seconds_to_half", statistics.mean(seconds))
    groups = np.array(body.groups)
    for group in dict.fromkeys(body.groups):
        applied, intended = total[:, :, groups == group].mean(-1)
        for name, sums in ((WAYS[0], applied), (WAYS[1], intended)):
            report.add(folder.name, f"{group}, {name}", "load_share", statistics.ratio(sums, alive))
        report.add(folder.name, group, "load_ratio", statistics.ratio(intended, applied))
    applied, intended = total.mean(-1)
    report.add(folder.name, "whole body", "load_ratio", statistics.ratio(intended, applied))
    return info.control_rate, strength


def torques(episodes: Episodes) -> tuple[np.ndarray, np.ndarray]:
    """One control step: |torque| given, mean over its physics steps, and what the PD formula asks for at its start."""
    player, world = episodes.player, episodes.world
    angles, rates = world.qpos[:, 7:].copy(), world.qvel[:, 6:].copy()
    outputs = player.think(episodes.ask())
    intended = outputs["stiffness"] * (outputs["targets"] - angles) - outputs["damping"] * rates
    given = np.zeros_like(intended)
    for k in range(player.info.substeps):
        player.act(1, again=k > 0)
        given += np.abs(world.force)
    return given / player.info.substeps, intended


def _worlds(report: Report) -> None:
    """Compare each world's torque with the mean over single physics steps."""
    body = bodies.get("humanoid")
    kinds: dict[str, Any] = {"CPU": lambda: CpuWorld(body, 4, threads=1)}
    try:
        from lactic.world.gpu import WarpWorld

        kinds["Warp"] = lambda: WarpWorld(body, 4, device="cpu")
    except ImportError:
        report.skip("the world on Warp: lactic[train] is not installed")
    for name, make_world in kinds.items():
        report.add(f"world on {name}", "torque", "largest_difference", difference(make_world(), make_world()))


def difference(whole: Any, single: Any) -> float:
    """Largest relative difference of `torque` after control steps of four, and the mean |force| of four single ones."""
    body = whole.body
    rng, worst, substeps = np.random.default_rng(0), 0.0, 4
    for _ in range(STEPS):
        aim = rng.normal(0.0, 0.5, (whole.count, len(body.joints)))
        law = (np.broadcast_to(part, aim.shape) for part in (aim, body.stiffness, body.damping, body.torque_limit))
        given = [np.array(part) for part in law]
        for world in (whole, single):
            world.drive(*(_like(part, world.qpos) for part in given))
        whole.step(substeps)
        mean = np.zeros(aim.shape)
        for _ in range(substeps):
            single.step(1)
            mean += np.abs(np.asarray(single.force, float)) / substeps
        told = np.asarray(whole.torque, float)
        worst = max(worst, float((np.abs(told - mean) / np.maximum(mean, SMALL * body.torque_limit)).max()))
    return worst


def _like(values: np.ndarray, array: Any) -> Any:
    """Values as the kind of array that a world has."""
    return values if isinstance(array, np.ndarray) else array.new_tensor(values)
