"""Sec. 4.2: walking and running learnt without motion data, in figures beside a person's."""

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab import legs
from lactic.lab.bench import Bench
from lactic.lab.legs import Legs
from lactic.lab.report import Report
from lactic.lab.statistics import Estimate, mean, share

TITLE = "gait learnt without motion data, beside a person's"
BRAINS = ("walk-lrle", "walk-box", "run-lrle", "run-box")
SECONDS = 20.0
RUNNING = 2.0
"""m/s from which people run."""
PEAKS = {
    "hip_extension": (0, -1.0),
    "hip_flexion": (0, 1.0),
    "knee_extension": (3, 1.0),
    "knee_flexion": (3, -1.0),
    "ankle_plantarflexion": (4, -1.0),
}
"""Metric of a torque peak: the leg's coordinate, and the sign that makes it positive."""
HUMAN: dict[str, dict[str, tuple[float, float]]] = {
    "walking": {
        "hip_extension": (0.62, 0.81),
        "hip_flexion": (0.55, 0.64),
        "knee_extension": (0.48, 0.50),
        "knee_flexion": (0.81, 0.86),
        "ankle_plantarflexion": (1.46, 1.76),
        "cadence": (97, 97),
        "ground_peak": (1.13, 1.13),
        "cost_of_transport": (2.9, 2.9),
    },
    "running": {
        "hip_extension": (2.03, 2.51),
        "hip_flexion": (1.60, 1.75),
        "knee_extension": (3.43, 4.94),
        "knee_flexion": (0.93, 0.93),
        "ankle_plantarflexion": (1.96, 2.31),
        "cadence": (171, 171),
        "ground_peak": (2.43, 2.50),
        "cost_of_transport": (4.5, 4.5),
    },
}
"""Torques, cadence and ground force: one subject walking (72.6 kg) and one running at about 4 m/s (65.9 kg), ranges
over both legs. Cost of transport: ACSM's equations at 1.41 and 2.82 m/s, rest included."""


def make(bench: Bench, report: Report) -> None:
    """Play each brain for 20 s, and measure what came after it had settled."""
    seen = set()
    for folder in brains(bench, report):
        found = legs.ride(folder, SECONDS, bench.episodes, bench.seed, bench.threads)
        report.add(folder.name, condition := kind_of(folder), "survival", share(found.stood, found.episodes))
        if not found.stood:
            report.skip(f"{folder.name}: every episode fell within {SECONDS:g} s, so there is no gait to measure")
            continue
        seen.add(condition)
        for metric, values in figures(found).items():
            report.add(folder.name, condition, metric, mean(values))
    for condition in sorted(seen):
        for metric, (low, high) in HUMAN[condition].items():
            report.add("person", condition, metric, Estimate((low + high) / 2, low, high, 1))


def figures(found: Legs) -> dict[str, np.ndarray]:
    """Every metric of the gait, (episode,)."""
    share_of_time, lacking = found.beyond()
    spent = found.metabolic if found.metabolic is not None else np.full(found.stood, np.nan)
    metres = np.where(found.distance > 0.5, found.distance, np.nan)
    return {
        "speed_along": found.distance / found.seconds,
        "cadence": found.cadence(),
        "duty": found.duty(),
        **{metric: found.peak(*place) for metric, place in PEAKS.items()},
        "ground_peak": found.ground_peak(),
        "leg_work": np.where(np.isnan(metres), np.nan, found.work()),
        "cost_of_transport": (spent / found.mass + legs.REST * found.seconds) / metres,
        "infeasible_time": share_of_time,
        "infeasible_torque": lacking,
    }


def kind_of(folder: BrainFolder) -> str:
    """Walking or running, by the speed a brain was made for."""
    asked = ((folder.params().get("task") or {}).get("stride") or {}).get("speed") or [0.0]
    return "running" if max(asked) > RUNNING else "walking"


def brains(bench: Bench, report: Report) -> list[BrainFolder]:
    """Those that were named, else those of the paper's policies that ship; the report says what is missing."""
    try:
        import numba  # noqa: F401
    except ImportError as error:
        report.skip(f"exact muscles need numba ({error}); pip install 'lactic[muscle]'")
        return []
    advice = "; train it (docs/strides.md) and name its folder"
    return bench.folders(report, *BRAINS, advice=advice)
