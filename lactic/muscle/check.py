"""What `lactic strength check` does: hold a model's leg against what must be true, and say what it can give."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lactic.errors import InputError
from lactic.muscle import hill
from lactic.muscle.exact import correction, effort
from lactic.muscle.musculature import LEG, Musculature, leg
from lactic.muscle.osim import Osim, read_osim
from lactic.muscle.samples import JIANG2019

NEAR = 1e-9  # m, for lengths and moment arms
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
    limb, rng = leg(model, side), np.random.default_rng(seed)
    q, qd = JIANG2019.states(samples, rng)
    for i, name in enumerate(limb.coordinates):  # beyond its range a coordinate means little
        q[:, i] = q[:, i].clip(*model.coordinates[name].range)
    rows = [
        _row(
            "model",
            f"{model.name}: {len(model.bodies)} bodies, {len(model.coordinates)} coordinates, "
            f"{len(model.muscles)} muscles, {model.mass:.2f} kg",
            "ok",
        )
    ]
    rows.append(_row("muscles of the leg", f"{len(limb.muscles)} cross {', '.join(limb.coordinates)}", "ok"))
    rows.append(_slopes(limb, q))
    rows.append(_against_opensim(model, limb, q[: min(20, samples)]))
    rows.append(_mirrored(model, q))
    with torch.no_grad():
        state = torch.from_numpy(q), torch.from_numpy(qd)
        rows += _fibres(limb, state[0])
        rows += _strength(limb, state[0])
        pulls = hill.pull(limb, *state)
    rows += _exact(limb, pulls, JIANG2019.torques(samples, rng), rng)
    return rows


def _row(name: str, found: str, verdict: str) -> Row:
    return {"check": name, "verdict": verdict, "found": found}


def _slopes(limb: Musculature, q: np.ndarray) -> Row:
    poses = torch.from_numpy(q)
    arms, worst = limb.arms(poses)[1], 0.0
    for i in range(q.shape[1]):
        along = torch.zeros_like(poses)
        along[:, i] = 1.0
        slope = torch.func.jvp(limb.lengths, (poses,), (along,))[1]
        worst = max(worst, float((arms[:, i] + slope).abs().max()))
    return _row("moment arms", f"slope of the lengths to {worst:.1g} m on {len(q)} poses", _verdict(worst < NEAR))


def _against_opensim(model: Osim, limb: Musculature, q: np.ndarray) -> Row:
    if importlib.util.find_spec("opensim") is None:
        return _row("against OpenSim", "the package opensim is not installed", "skipped")
    import opensim

    opensim.Logger.setLevelString("Off")
    theirs = opensim.Model(str(model.file))
    state = theirs.initSystem()
    axes = [theirs.updCoordinateSet().get(name) for name in limb.coordinates]
    paths = [theirs.getMuscles().get(name).getGeometryPath() for name in limb.names]
    lengths, arms = (x.numpy() for x in limb.arms(torch.from_numpy(q)))
    worst = 0.0
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
    right, left = leg(model, "r"), leg(model, "l")
    if [n.removesuffix("_r") for n in right.names] != [n.removesuffix("_l") for n in left.names]:
        found = f"not the same muscles: {len(right.names)} on the right, {len(left.names)} on the left"
        return _row("mirrored legs", found, "differs")
    poses, values = torch.from_numpy(q), ("force", "fibre", "tendon", "pennation", "speed")
    pairs = list(zip(right.arms(poses), left.arms(poses), strict=True))
    apart = torch.stack([(a - b).abs().amax(tuple(range(a.dim() - 1))) for a, b in pairs])
    same = all(torch.equal(getattr(right, v), getattr(left, v)) for v in values)
    if apart.max() < ALIKE and same:
        return _row("mirrored legs", f"the same to {apart.max():.1g} m, parameters too", "ok")
    names = [right.names[i].removesuffix("_r") for i in (apart.amax(0) >= ALIKE).nonzero().flatten()]
    found = f"{', '.join(names)}: lengths part by up to {1e3 * apart[0].max():.1f} mm, " if names else ""
    found += f"moment arms by {1e3 * apart[1].max():.1f} mm" if names else "muscle parameters part"
    return _row("mirrored legs", found, "differs")


def _fibres(limb: Musculature, poses: torch.Tensor) -> Iterator[Row]:
    along = limb.lengths(poses) - limb.tendon
    slack = (along < 0).double().mean(0)
    worst = int(slack.argmax())
    found = f"{int((slack > 0).sum())} muscles hang slack somewhere"
    yield _row(
        "rigid tendons",
        found + (f", most often {limb.names[worst]} ({slack[worst]:.0%} of poses): they pull 0" if slack.any() else ""),
        "noted",
    )
    stretch = torch.hypot(along.clamp(min=0), limb.fibre * limb.pennation.sin()) / limb.fibre
    bare = hill.passive_length(stretch, cap=float("inf")).amax(0)
    found = f"{int((bare > hill.PASSIVE_CAP).sum())} muscles reach the cap, {hill.PASSIVE_CAP:g} of their maximal force"
    found += f", somewhere; without it {limb.names[int(bare.argmax())]} would reach {bare.max():.1f}"
    yield _row("passive force", found, "noted")


def _strength(limb: Musculature, poses: torch.Tensor) -> Iterator[Row]:
    rest = torch.zeros(1, poses.shape[1], dtype=poses.dtype)
    everywhere = torch.cat([rest, poses])
    active = hill.pull(limb, everywhere, torch.zeros_like(everywhere)).active
    for i, name in enumerate(LEG):
        for sign, direction in zip((1, -1), DIRECTIONS[name], strict=True):
            torque = (sign * active[:, i]).clamp(min=0).sum(1)
            found = f"{torque[0]:.0f} Nm with all coordinates 0, at most {torque.max():.0f} Nm (active, isometric)"
            yield _row(direction, found, "noted")


def _exact(limb: Musculature, pulls: hill.Pull, torque: np.ndarray, rng: np.random.Generator) -> Iterator[Row]:
    fixed = correction(pulls, torque)
    inside = torque - fixed.torque
    again = np.abs(correction(pulls, inside).torque).max()
    given = pulls.torque(torch.from_numpy(fixed.activation)).numpy()
    miss = max(float(again), float(np.abs(given - inside).max()))
    yield _row(
        "correction R",
        f"{fixed.feasible.mean():.1%} of {len(torque)} uniform torques feasible, median R "
        f"{np.median(np.linalg.norm(fixed.torque, axis=1)):.0f} Nm; corrected torques are given to {miss:.1g} Nm",
        _verdict(miss < 1e-6),
    )
    activation = rng.random((len(torque), len(limb.muscles)))
    feasible = pulls.torque(torch.from_numpy(activation)).numpy()
    cost = limb.force.numpy()
    least = effort(pulls, feasible, cost)
    miss = float(np.abs(pulls.torque(torch.from_numpy(least.activation)).numpy() - feasible).max())
    spent = least.rate / (activation @ cost)
    good = miss < 1e-6 and bool((spent <= 1 + 1e-9).all()) and not correction(pulls, feasible).torque.any()
    yield _row(
        "effort E",
        f"torques of random activations given to {miss:.1g} Nm at {spent.mean():.0%} of their effort, and "
        "need no correction",
        _verdict(good),
    )


def _verdict(good: bool) -> str:
    return "ok" if good else "differs"
