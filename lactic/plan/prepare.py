"""Making what `lactic plan` rests on from an OpenSim model: the smooth leg, and networks of its limits and effort.

Needs lactic[train,muscle]; the results ship with the package, so planning itself needs neither torch nor the model.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lactic.files import output_folder
from lactic.muscle.compact import limb
from lactic.muscle.exact import correction
from lactic.muscle.fit import Recipe, fit
from lactic.muscle.osim import Osim, read_osim
from lactic.muscle.samples import Ranges, Samples, augmented, correction_samples
from lactic.plan.leg import ANGLES, SmoothLeg, fit_terms, shipped_network

LOW, HIGH = np.array([-1.0, -2.094, -1.1]), np.array([2.094, 0.15, 1.15])
"""Where the smooth leg is fitted, rad; hip and knee end where gait2392's do: beyond, OpenSim's arms are no slopes."""
SAGITTAL = Ranges(
    low=(-0.95, -2.094, -1.05), high=(2.094, 0.12, 1.12), speed=(6.0, 16.0, 16.0), torque=(400.0, 320.0, 320.0)
)
"""Samples of the plane's networks: the paper's poses and speeds; torques up to what these muscles give at most."""
INFEASIBLE = 25.0
"""w of Eq. 13, newtons of effort for each Nm that no muscle can give: about 1 over a moment arm."""


def smooth_leg(model: Osim, side: str = "r") -> SmoothLeg:
    """Fit a leg of an OpenSim model."""
    muscles = limb(model, [f"{name}_{side}" for name in ANGLES])
    angles = np.random.default_rng(0).uniform(LOW, HIGH, (8000, 3))
    lengths, arms = muscles.arms(angles)
    powers, terms, errors = fit_terms(angles, lengths, arms, LOW, HIGH)
    bend = np.linspace(LOW[1], HIGH[1], 200)
    shift = {int(np.argmax(np.abs(a.direction))): a.curve for a in model.joints[f"tibia_{side}"].shifts}
    knee = np.stack([np.polynomial.polynomial.polyfit(bend, shift[axis](bend), 5) for axis in (0, 1)])
    names = np.array([name.removesuffix(f"_{side}") for name in muscles.muscles])
    source = np.array(Path(model.file).name)
    force, fibre, tendon, pennation, speed = muscles.geometry.muscle.T
    return SmoothLeg(names, force, fibre, tendon, pennation, speed, LOW, HIGH, powers, terms, knee, errors, source)


def effort_samples(leg: SmoothLeg, count: int, seed: int) -> Samples:
    """States and torques with Ẽ (Eq. 13): a third near rest, a third of any activations, the rest about the limit."""
    drawn = correction_samples(leg, count, near=0.8, seed=seed, ranges=SAGITTAL)
    rng, parts = np.random.default_rng(seed + 1), []
    for start in range(0, count, 8192):
        part = slice(start, start + 8192)
        pulls = leg.pull(drawn.q[part], drawn.qd[part])
        size = len(pulls.passive)
        level = rng.random((size, 1)) ** 2  # many weak torques: where least effort is sought
        activation = level * rng.random((size, len(leg.names))) ** rng.choice([0.3, 1.0, 4.0], (size, 1))
        inside = pulls.torque(activation)
        torque = np.where(rng.random((size, 1)) < 0.6, inside, drawn.torque[part])
        parts.append((torque, augmented(pulls, torque, leg.force, INFEASIBLE)))
    torque, rate = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Samples(drawn.q, drawn.qd, torque, rate, drawn.near)


def samples_about(leg: SmoothLeg, course: tuple[np.ndarray, ...], count: int, seed: int) -> Samples:
    """States and torques about a plan's (q, q̇, τ), half of them near the boundary: an optimiser finds every flaw."""
    rng = np.random.default_rng(seed)
    picked, wide = rng.integers(0, len(course[0]), count), rng.choice([0.3, 1.0], (count, 1))
    noise = np.array([[0.06] * 3, [0.5, 1.2, 1.2], [8.0] * 3])
    q, qd, torque = (x[picked] + rng.normal(size=(count, 3)) * n * wide for x, n in zip(course, noise, strict=True))
    q = np.clip(q, SAGITTAL.low, SAGITTAL.high)
    pulls = leg.pull(q, qd)
    beyond = correction(pulls, torque).torque
    far = np.maximum(np.linalg.norm(beyond, axis=1, keepdims=True), 1e-9)
    near = rng.random(count) < 0.5
    torque[near] = (torque - beyond + rng.uniform(-12, 12, (count, 1)) * beyond / far)[near]
    return Samples(q, qd, torque, correction(pulls, torque).torque, near)


def make(
    model: str | Path, out: Path, side: str = "r", samples: int = 800_000, passes: int = 30, seed: int = 0
) -> Iterator[str]:
    """Fit the leg of an .osim file and its networks into a folder, and say what was done.

    R is fitted twice: to samples of the whole range, and again with samples about the jump and swing that the first
    one plans, where an optimiser has found whatever it gives too much.
    """
    leg = smooth_leg(read_osim(model), side)
    folder = output_folder(out)
    leg.save(folder / "leg.npz")
    yield f"leg: lengths within {leg.error[:, 1].max() * 1e3:.2f} mm, arms {leg.error[:, 2].mean() * 1e3:.2f} mm RMS"
    spent = effort_samples(leg, samples, seed)
    effort_net = fit(spent.inputs, spent.label[:, None], Recipe((360, 180, 80), passes, robust=0.1, seed=seed))
    effort_net.save(folder / "effort.npz")
    yield f"effort: {samples} samples"
    drawn = [correction_samples(leg, samples, near=0.7, seed=seed, ranges=SAGITTAL)]
    for again in (False, True):
        if again:
            drawn += [samples_about(leg, course, samples // 10, seed + k) for k, course in enumerate(_courses(folder))]
        x, y = np.concatenate([s.inputs for s in drawn]), np.concatenate([s.label for s in drawn])
        weight = 1 / (1 + np.linalg.norm(y, axis=1) / 60) ** 2
        fit(x, y, Recipe((180, 128, 64), passes, robust=0.05, seed=seed), weight).save(folder / "limits.npz")
        shipped_network.cache_clear()
        yield f"limits: {len(x)} samples"


def _courses(folder: Path) -> Iterator[tuple[np.ndarray, ...]]:
    """The leg's part of a planned jump and swing."""
    from lactic.plan.chain import LEG
    from lactic.plan.drive import Drive
    from lactic.plan.outcome import weigh
    from lactic.plan.search import COARSE, best_plan

    for task in ("jump", "swing"):
        found = weigh(best_plan(task, Drive("lr", folder=folder), COARSE[task], fly=False)).course  # type: ignore[arg-type]
        at = [found.joints.index(joint) for joint in LEG]
        yield found.q[:, at], found.v[:, at], found.torque[:, [i - 3 for i in at]]
