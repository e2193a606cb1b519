"""What `lactic strength check` does: hold a model's leg against what must be true, and say what it can give."""

import importlib.util
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.muscle import hill
from lactic.muscle.compact import LEG, compact
from lactic.muscle.exact import correction, effort
from lactic.muscle.leg import Leg
from lactic.muscle.osim import Osim, read_osim
from lactic.muscle.samples import JIANG2019

NEAR = 1e-9  # m, for lengths and moment arms
NEAR_SLOPE = 1e-7  # m, for moment arms beside differences of lengths
ALIKE = 1e-6  # m, between the legs
DIRECTIONS = {
    "hip_flexion": ("hip flexion", "hip extension"),
    "hip_adduction": ("hip adduction", "hip abduction"),
    "hip_rotation": ("hip rotation in", "hip rotation out"),
    "knee_angle": ("knee extension", "knee flexion"),
    "ankle_angle": ("ankle dorsiflexion", "ankle plantarflexion"),
}
Row = dict[str, Any]


def check(path: str | Path, side: str = "r", samples: int = 1000, seed: int = 0) -> list[Row]:
    """Rows of what was checked, what was found, and whether it holds (ok, differs, noted or skipped)."""
    if samples < 10:
        raise InputError(f"samples: {samples} are too few to check anything; give 10 or more")
    model = read_osim(path)
    limb, rng = compact(model, side), np.random.default_rng(seed)
    q, qd = JIANG2019.states(samples, rng)
    q = q.clip(*limb.geometry.range.T)  # beyond its range a coordinate means little
    said = f"{len(model.bodies)} bodies, {len(model.coordinates)} coordinates, {len(model.muscles)} muscles"
    return [
        _row("model", f"{model.name}: {said}, {model.mass:.2f} kg", "ok"),
        _row("muscles of the leg", f"{len(limb.muscles)} cross {', '.join(limb.coordinates)}", "ok"),
        _slopes(limb, q),
        _against_opensim(model, limb, side, q[: min(20, samples)]),
        _mirrored(model, q),
        *_fibres(limb, q),
        *_strength(limb, q),
        *_exact(limb, limb.pull(q, qd), JIANG2019.torques(samples, rng), rng),
    ]


def _row(name: str, found: str, verdict: str) -> Row:
    return {"check": name, "verdict": verdict, "found": found}


def _slopes(limb: Leg, q: np.ndarray) -> Row:
    """By differences, away from where poses are held and where conditional points come or go."""
    step, g = 1e-6, limb.geometry
    low, high = g.range.T
    q = q.clip(low + 2 * step, high - 2 * step)
    jumps = np.abs(q[:, g.condition, None] - g.condition_range).min((1, 2), initial=1.0) < 2 * step
    q = q[~jumps]
    arms = limb.arms(q)[1]
    sides = ([limb.arms(q + sign * along)[0] for sign in (1, -1)] for along in step * np.eye(q.shape[1]))
    slopes = np.stack([(ahead - behind) / (2 * step) for ahead, behind in sides], 1)
    worst = float(np.abs(arms + slopes).max())
    return _row("moment arms", f"slope of the lengths to {worst:.1g} m on {len(q)} poses", _verdict(worst < NEAR_SLOPE))


def _against_opensim(model: Osim, limb: Leg, side: str, q: np.ndarray) -> Row:
    if importlib.util.find_spec("opensim") is None:
        return _row("against OpenSim", "the package opensim is not installed", "skipped")
    import opensim

    opensim.Logger.setLevelString("Off")
    theirs = opensim.Model(str(model.file))
    state = theirs.initSystem()
    axes = [theirs.updCoordinateSet().get(f"{name}_{side}") for name in limb.coordinates]
    paths = [theirs.getMuscles().get(f"{name}_{side}").getGeometryPath() for name in limb.muscles]
    (lengths, arms), worst = limb.arms(q), 0.0
    for i in range(len(q)):
        for axis, angle in zip(axes, q[i], strict=True):
            axis.setValue(state, float(angle), False)
        theirs.realizePosition(state)
        worst = max(worst, np.abs(lengths[i] - [path.getLength(state) for path in paths]).max())
        for k, axis in enumerate(axes):
            worst = max(worst, np.abs(arms[i, k] - [path.computeMomentArm(state, axis) for path in paths]).max())
    found = f"lengths and moment arms equal to {worst:.1g} m on {len(q)} poses, OpenSim {opensim.GetVersion()[:3]}"
    return _row("against OpenSim", found, _verdict(worst < NEAR))


def _mirrored(model: Osim, q: np.ndarray) -> Row:
    if not all(f"{name}_{side}" in model.coordinates for name in LEG for side in "rl"):
        return _row("mirrored legs", "the model has one leg only", "skipped")
    right, left = compact(model, "r"), compact(model, "l")
    if right.muscles != left.muscles:
        found = f"not the same muscles: {len(right.muscles)} on the right, {len(left.muscles)} on the left"
        return _row("mirrored legs", found, "differs")
    lengths, arms = (np.abs(a - b) for a, b in zip(right.arms(q), left.arms(q), strict=True))
    apart = np.maximum(lengths.max(0), arms.max((0, 1)))
    if apart.max() < ALIKE and np.array_equal(right.geometry.muscle, left.geometry.muscle):
        return _row("mirrored legs", f"the same to {apart.max():.1g} m, parameters too", "ok")
    names = [right.muscles[i] for i in np.flatnonzero(apart >= ALIKE)]
    found = f"{', '.join(names)}: lengths part by up to {1e3 * lengths.max():.1f} mm, " if names else ""
    found += f"moment arms by {1e3 * arms.max():.1f} mm" if names else "muscle parameters part"
    return _row("mirrored legs", found, "differs")


def _fibres(limb: Leg, q: np.ndarray) -> Iterator[Row]:
    _, fibre, tendon, pennation, _ = limb.geometry.muscle.T
    along = limb.arms(q)[0] - tendon
    slack = (along < 0).mean(0)
    worst = int(slack.argmax())
    found = f"{int((slack > 0).sum())} muscles hang slack somewhere"
    if slack.any():
        found += f", most often {limb.muscles[worst]} ({slack[worst]:.0%} of poses): they pull 0"
    yield _row("rigid tendons", found, "noted")
    stretch = np.hypot(along.clip(0), fibre * np.sin(pennation)).max(0) / fibre
    bare = np.array([hill.passive_length(x, math.inf) for x in stretch])
    found = f"{int((bare > hill.PASSIVE_CAP).sum())} muscles reach the cap, {hill.PASSIVE_CAP:g} of their maximal force"
    found += f", somewhere; without it {limb.muscles[int(bare.argmax())]} would reach {bare.max():.1f}"
    yield _row("passive force", found, "noted")


def _strength(limb: Leg, q: np.ndarray) -> Iterator[Row]:
    everywhere = np.vstack([np.zeros(q.shape[1]), q])
    active = limb.pull(everywhere, np.zeros_like(everywhere)).active
    for i, name in enumerate(LEG):
        for sign, direction in zip((1, -1), DIRECTIONS[name], strict=True):
            torque = (sign * active[:, i]).clip(0).sum(1)
            found = f"{torque[0]:.0f} Nm with all coordinates 0, at most {torque.max():.0f} Nm (active, isometric)"
            yield _row(direction, found, "noted")


def _exact(limb: Leg, pulls: hill.Pull, torque: np.ndarray, rng: np.random.Generator) -> Iterator[Row]:
    fixed = correction(pulls, torque)
    inside = torque - fixed.torque
    again = np.abs(correction(pulls, inside).torque).max()
    given = pulls.torque(fixed.activation)
    miss = max(float(again), float(np.abs(given - inside).max()))
    yield _row(
        "correction R",
        f"{fixed.feasible.mean():.1%} of {len(torque)} uniform torques feasible, median R "
        f"{np.median(np.linalg.norm(fixed.torque, axis=1)):.0f} Nm; corrected torques are given to {miss:.1g} Nm",
        _verdict(miss < 1e-6),
    )
    activation = rng.random((len(torque), len(limb.muscles)))
    feasible = pulls.torque(activation)
    least = effort(pulls, feasible, limb.force)
    miss = float(np.abs(pulls.torque(least.activation) - feasible).max())
    spent = least.rate / (activation @ limb.force)
    good = miss < 1e-6 and bool((spent <= 1 + 1e-9).all()) and not correction(pulls, feasible).torque.any()
    yield _row(
        "effort E",
        f"torques of random activations given to {miss:.1g} Nm at {spent.mean():.0%} of their effort, and "
        "need no correction",
        _verdict(good),
    )


def _verdict(good: bool) -> str:
    return "ok" if good else "differs"
