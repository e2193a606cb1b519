"""A run in a few numbers: which joint failed first, when, and what the closed form says of it."""

from typing import Any

import numpy as np

from lactic import fatigue
from lactic.body import muscle_man
from lactic.fatigue import Fitness
from lactic.muscle.man.musculature import musculature
from lactic.picture.recording import Recording

HELD = 0.02  # a joint that was asked for less than this fraction of its strength holds nothing worth reporting
SHORT = 0.5  # seconds of load that are a step, not something held
ROUNDING = 1e-6  # a muscle may use all that is left to it, and does not fail by that
STEADY = 0.2  # a load that varies by less than this share of itself is held, not swung


def failures(record: Recording, fitness: Fitness, groups: tuple[str, ...]) -> list[dict[str, Any]]:
    """Joints that could no longer hold their load, first to last.

    A joint fails at the first frame whose load exceeds its residual capacity. `endurance_s` is the closed-form
    endurance time at the mean load since the joint first took half of it, where that load was held steadily.
    """
    rates = np.asarray(fatigue.rates(fitness, groups))
    found = []
    for i, joint in enumerate(record.joints):
        beyond = np.flatnonzero(record.load[:, i] > record.capacity[:, i] + ROUNDING)
        if not len(beyond):
            continue
        end = int(beyond[0])
        begin = int(np.argmax(record.load[: end + 1, i] > 0.5 * record.load[end, i]))
        span = record.load[begin : end + 1, i]
        held = float(span.mean())
        if held < HELD:
            continue
        F, R, _, L, _ = rates[i]
        steady = float(span.std()) < STEADY * held
        found.append(
            {
                "joint": joint,
                "failed_at_s": float(record.time[end]),
                "held_s": float(record.time[end] - record.time[begin]),
                "held_load": held,
                "endurance_s": float(fatigue.endurance_time(F, R, held, L))
                if steady and len(span) > SHORT * record.fps
                else None,
            }
        )
    return sorted(found, key=lambda row: row["failed_at_s"])


def tired_muscles(record: Recording, count: int = 10, frame: int = -1) -> list[dict[str, Any]]:
    """Muscles that have lost most of their strength in a frame, by anatomical name; strands count by their force."""
    state, force = record.fatigue[frame], musculature().strands.force
    rows: list[dict[str, Any]] = []
    for name, strands in musculature().whole.items():
        active, _, spent = np.average(state[list(strands)], axis=0, weights=force[list(strands)])
        rows.append({"muscle": name, "MF": float(spent), "MA": float(active)})
    return sorted(rows, key=lambda row: -row["MF"])[:count]


def summarise(record: Recording, fitness: Fitness, groups: tuple[str, ...]) -> dict[str, Any]:
    """What summary.json holds."""
    spent = record.fatigue[..., 2]
    last = spent[-1]
    order = np.argsort(-last)[:5]
    muscles = {"most_tired_muscles": tired_muscles(record)} if record.body == muscle_man().name else {}
    return muscles | {
        "brain": record.brain,
        "body": record.body,
        "seconds": round(float(record.time[-1] + 1 / record.fps), 6),
        "frames": len(record),
        "fps": record.fps,
        "fitness": {name: getattr(fitness, name) for name in ("name", "F", "R", "r", "time_scale", "rule")},
        "capacity_mean_end": float(record.capacity[-1].mean()),
        "capacity_min": float(record.capacity.min()),
        "most_tired": [{"joint": record.joints[i], "MF": float(last[i])} for i in order],
        "takes": [
            {"from_s": float(take.time[0]), "to_s": round(float(take.time[-1] + 1 / record.fps), 6)}
            for take in record.takes()
        ],
        "failures": failures(record, fitness, groups),
        "distance_m": float(np.linalg.norm(record.qpos[-1, :2] - record.qpos[0, :2])),
    }
