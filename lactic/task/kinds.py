"""The settings of all tasks by the name that `task.kind` gives them; older files. Needs no torch."""

from dataclasses import fields
from typing import Any

from lactic.brain.file import half_life
from lactic.errors import InputError
from lactic.task.settings import AntTaskSettings, ImitateTaskSettings, PaceTaskSettings, TaskSettings
from lactic.task.steering.settings import SteerSettings, SteerTaskSettings
from lactic.task.stride_settings import StrideTaskSettings
from lactic.task.tracking.settings import TrackTaskSettings

KINDS: dict[str, type[TaskSettings]] = {
    "imitate": ImitateTaskSettings,
    "pace": PaceTaskSettings,
    "ant": AntTaskSettings,
    "stride": StrideTaskSettings,
    "steer": SteerTaskSettings,
    "track": TrackTaskSettings,
}
"""The settings of each kind of task."""


def chosen(values: dict[str, Any], source: str) -> tuple[type[TaskSettings], dict[str, Any]]:
    """The settings that `kind` names, and the values that are theirs.

    An older file holds the settings of all tasks, and tells smoothing otherwise than by half-lives.
    """
    kind = values.get("kind", "imitate")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{source}: task.kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if {"steer", "stride"} <= set(values):
        own = {entry.name for entry in fields(KINDS[kind])}
        values = {name: value for name, value in values.items() if name in own}
    steer, stride = values.get("steer"), values.get("stride")
    if isinstance(steer, dict) and "filter" in steer:  # the weight of a frame
        steer = {**steer, "smoothing": half_life(steer["filter"], SteerSettings.rate)}
        values = {**values, "steer": {name: value for name, value in steer.items() if name != "filter"}}
    if isinstance(stride, dict) and "mean_over" in stride:  # so many seconds' steps weigh as much as a new one
        rate = values.get("control_rate", TaskSettings.control_rate)
        stride = {**stride, "speed_half_life": half_life(1.0 / (1.0 + rate * stride["mean_over"]), rate)}
        values = {**values, "stride": {name: value for name, value in stride.items() if name != "mean_over"}}
    return KINDS[kind], values
