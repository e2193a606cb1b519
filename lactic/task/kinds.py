"""The settings of all tasks by the name that `task.kind` gives them; older files. Needs no torch."""

from dataclasses import fields
from typing import Any

from lactic.errors import InputError
from lactic.task.settings import AntTaskSettings, ImitateTaskSettings, PaceTaskSettings, TaskSettings
from lactic.task.stride_settings import StrideTaskSettings
from lactic.task.tracking.settings import TrackTaskSettings

KINDS: dict[str, type[TaskSettings]] = {
    "imitate": ImitateTaskSettings,
    "pace": PaceTaskSettings,
    "ant": AntTaskSettings,
    "stride": StrideTaskSettings,
    "track": TrackTaskSettings,
}
"""The settings of each kind of task."""


def chosen(values: dict[str, Any], source: str) -> tuple[type[TaskSettings], dict[str, Any]]:
    """The settings that `kind` names, and the values that are theirs; an older file holds the settings of all tasks."""
    kind = values.get("kind", "imitate")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{source}: task.kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if {"steer", "stride"} <= set(values):
        own = {entry.name for entry in fields(KINDS[kind])}
        values = {name: value for name, value in values.items() if name in own}
    return KINDS[kind], values
