"""What a follower was trained with, in words, as its params.yaml says: for items that compare brains."""

from typing import Any

from lactic.brain.catalogue import BrainFolder


def task_of(folder: BrainFolder) -> dict[str, Any]:
    """The settings of its task."""
    return folder.params().get("task") or {}


def motions_of(folder: BrainFolder) -> int:
    """How many motions it was trained on; 0 for all of its split."""
    return int(task_of(folder).get("many") or 0)


def tires(folder: BrainFolder) -> bool:
    """Whether it was trained in a body that tires."""
    return (task_of(folder).get("fatigue") or {}).get("mode", "off") == "limits"


def design(folder: BrainFolder) -> str:
    """Its differences from the recipe's design."""
    task = task_of(folder)
    track, fatigue = task.get("track") or {}, task.get("fatigue") or {}
    parts = [f"{motions_of(folder)} motions"] if motions_of(folder) else []
    if not tires(folder):
        parts.append("no fatigue")
    if float(track.get("torque_weight") or 0.0) > 0:
        parts.append("torque costs")
    if float(track.get("power_weight") or 0.0) > 0:
        parts.append("power costs")
    if float(track.get("even") or 0.0) >= 1:
        parts.append("no mining")
    if fatigue.get("start") == "uniform":
        parts.append("uniform fatigue at first")
    if float(task.get("style_weight") or 0.0) > 0:
        parts.append("style")
    if float(track.get("fallen") or 0.0) > 0:
        parts.append("gets up")
    return ", ".join(parts) or "as designed"
