"""Pictures of what a leg can give and what it costs, after jiang2019's Fig. 7 (ankle) and Fig. 8 (hip).

Learned answers are drawn beside exact ones where numba is installed. All coordinates and velocities that are not named
are 0, and so are all torques but one.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lactic.errors import InputError
from lactic.files import output_folder, save_figure
from lactic.muscle.exact import correction, effort
from lactic.muscle.hill import Pull
from lactic.muscle.learned import SHIPPED, LearnedLeg
from lactic.muscle.leg import shipped_leg
from lactic.picture.plots import BLUE, RED, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HIP, ADDUCTION, _, KNEE, ANKLE = range(5)
SLACK = 3.0
"""Nm of |R| that still counts as feasible, since a network is never exactly 0 (jiang2019, Sec. 3.5.1)."""
MOST = 400.0  # Nm
HIP_TORQUE = 80.0  # Nm, as in Fig. 8
POINTS = 41


@dataclass(frozen=True)
class Answers:
    """Learned and exact values over poses; what cannot be given is not a number."""

    name: str
    x: np.ndarray  # rad
    learned: np.ndarray
    exact: np.ndarray | None


def ankle(folder: Path = SHIPPED) -> dict[str, list[Answers]]:
    """Largest torques of the ankle alone, Nm, by ankle angle and by knee angle (Fig. 7)."""
    found: dict[str, list[Answers]] = {}
    for panel, coordinate, angles in (
        ("ankle angle", ANKLE, np.linspace(-0.9, 0.9, POINTS)),
        ("knee angle", KNEE, np.linspace(-2.0, 0.0, POINTS)),
    ):
        q = np.zeros((POINTS, 5))
        q[:, coordinate] = angles
        found[panel] = [
            Answers(name, angles, _learned_limit(folder, q, ANKLE, sign), _exact_limit(q, ANKLE, sign))
            for name, sign in (("plantarflexion", -1.0), ("dorsiflexion", 1.0))
        ]
    return found


def hip(folder: Path = SHIPPED) -> dict[str, list[Answers]]:
    """Effort, N, of 80 Nm of hip extension as hip and knee flex, and of hip flexion by adduction (Fig. 8)."""
    bend = np.linspace(0.0, 1.2, POINTS)
    squat, stiff, aside = (np.zeros((POINTS, 5)) for _ in range(3))
    squat[:, HIP], squat[:, KNEE] = bend, -bend
    stiff[:, HIP] = bend
    aside[:, ADDUCTION] = np.linspace(-0.6, 0.6, POINTS)
    return {
        "hip flexion": [
            _effort(folder, "extension, knee bent as far as the hip", bend, squat, -HIP_TORQUE),
            _effort(folder, "extension, knee straight", bend, stiff, -HIP_TORQUE),
        ],
        "hip adduction": [_effort(folder, "flexion", aside[:, ADDUCTION], aside, HIP_TORQUE)],
    }


def _learned_limit(folder: Path, q: np.ndarray, coordinate: int, sign: float) -> np.ndarray:
    """The first torque beyond which |R| leaves the slack."""
    steps = np.arange(0.0, MOST + 1)
    torque = np.zeros((len(q), len(steps), 5))
    torque[:, :, coordinate] = sign * steps
    pose = np.broadcast_to(q[:, None], torque.shape)
    beyond = np.abs(LearnedLeg(folder).correction(pose, np.zeros_like(pose), torque)).max(2) > SLACK
    first = np.where(beyond.any(1), beyond.argmax(1), len(steps)) - 1
    return np.where(first >= 0, steps[np.maximum(first, 0)], np.nan)


def _exact_limit(q: np.ndarray, coordinate: int, sign: float) -> np.ndarray | None:
    """By bisection, as feasible torques are a convex set; not a number where even 0 is infeasible."""
    pulls = _still(q)
    if pulls is None:
        return None
    low, high = np.zeros(len(q)), np.full(len(q), MOST)

    def feasible(size: np.ndarray) -> np.ndarray:
        torque = np.zeros_like(q)
        torque[:, coordinate] = sign * size
        return correction(pulls, torque).feasible

    possible = feasible(low)
    for _ in range(12):  # to 0.1 Nm
        middle = (low + high) / 2
        good = feasible(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return np.where(possible, low, np.nan)


def _effort(folder: Path, name: str, x: np.ndarray, q: np.ndarray, torque: float) -> Answers:
    wanted = np.zeros_like(q)
    wanted[:, HIP] = torque
    leg, still = LearnedLeg(folder), np.zeros_like(q)
    feasible = np.abs(leg.correction(q, still, wanted)).max(1) <= SLACK  # beyond, E means nothing
    learned = np.where(feasible, leg.effort(q, still, wanted), np.nan)
    pulls = _still(q)
    rate = np.array(np.inf) if pulls is None else effort(pulls, wanted, shipped_leg().force).rate
    return Answers(name, x, learned, None if pulls is None else np.where(np.isfinite(rate), rate, np.nan))


def _still(q: np.ndarray) -> Pull | None:
    """What the shipped leg can give in poses at rest; None without numba."""
    try:
        return shipped_leg().pull(q, np.zeros_like(q))
    except InputError:
        return None


def show(out: str | Path, folder: str | Path = SHIPPED) -> list[Path]:
    """Write ankle.png and hip.png; a folder of networks may be one's own (exact lines are gait2392's)."""
    folder = Path(folder)
    if not (folder / "R.npz").is_file():
        raise InputError(f"networks {folder}: no R.npz in it; `lactic strength learn` makes such a folder")
    pictures = {"ankle.png": ankle_figure(ankle(folder)), "hip.png": hip_figure(hip(folder))}
    target, written = output_folder(out), []
    for name, figure in pictures.items():
        save_figure(target / name, figure, 130)
        written.append(target / name)
    return written


def ankle_figure(curves: dict[str, list[Answers]]) -> "Figure":
    """Fig. 7."""
    return _figure(
        (curves["ankle angle"], "Ankle alone, by its own angle", "ankle angle (°), toes up: right", "Nm"),
        (curves["knee angle"], "Ankle alone, by the knee's angle", "knee angle (°), bent: left", "Nm"),
    )


def hip_figure(curves: dict[str, list[Answers]]) -> "Figure":
    """Fig. 8."""
    title, unit = f"Effort of {HIP_TORQUE:g} Nm of hip", "N of maximal force at work"
    return _figure(
        (curves["hip flexion"], f"{title} extension", "hip flexion (°)", unit),
        (curves["hip adduction"], f"{title} flexion", "hip adduction (°)", unit),
    )


def _figure(*panels: tuple[list[Answers], str, str, str]) -> "Figure":
    """Panels side by side, each of curves, a title, what is below and a unit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.8), layout="constrained")
    for axes, (curves, title, below, unit) in zip(figure.subplots(1, len(panels)), panels, strict=True):
        for curve, colour in zip(curves, (BLUE, RED), strict=False):
            if curve.exact is not None:
                axes.plot(np.degrees(curve.x), curve.exact, color=colour, lw=4, alpha=0.3, label=f"{curve.name}, exact")
            axes.plot(np.degrees(curve.x), curve.learned, color=colour, lw=1.6, label=f"{curve.name}, learned")
        dress(axes, title, unit, legend=False)
        axes.set_xlabel(below)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=8.5)
    return figure
