"""Plain values of a file (YAML, JSON) as typed dataclasses; what does not fit is named by its place."""

import dataclasses
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from lactic.errors import InputError

T = TypeVar("T")
Choose = Callable[[type, Any], tuple[type, Any]]
"""The class that is meant where a class and values are given, and the values for it."""
SHOWN = 60
"""Characters of a value that an error shows."""


def _same(kind: type, values: Any) -> tuple[type, Any]:
    return kind, values


def from_dict(kind: type[T], values: Any, source: str, place: str = "", choose: Choose = _same) -> T:
    """Build the dataclass `kind` from plain values; what does not fit is named by its place in `source`."""
    if not isinstance(values, dict):
        raise InputError(f"{source}: {place or 'the file'} must be a mapping of settings, not {_shown(values)}")
    meant, values = choose(kind, values)
    hints, made = typing.get_type_hints(meant), {}
    for key, value in values.items():
        inner = f"{place}.{key}" if place else str(key)
        if key not in hints:
            raise InputError(f"{source}: unknown setting {_shown(inner)}; there are: {', '.join(hints)}")
        made[key] = _fit(hints[key], value, source, inner, choose)
    always = [f.name for f in dataclasses.fields(meant) if f.default is f.default_factory is dataclasses.MISSING]
    missing = [name for name in always if name not in made]
    if missing:
        raise InputError(f"{source}: {place + '.' if place else ''}{missing[0]} is missing")
    return meant(**made)


def _fit(hint: Any, value: Any, source: str, place: str, choose: Choose) -> Any:
    """`value` as the type `hint`, or an error that names its place."""
    wrong = InputError(f"{source}: {place} must be {_words(hint)}, not {_shown(value)}")
    if hint is Any:
        return value
    if dataclasses.is_dataclass(hint):
        return from_dict(typing.cast(type, hint), value, source, place, choose)
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        only = next(a for a in inside if a is not type(None))
        return None if value is None else _fit(only, value, source, place, choose)
    if origin is Literal:
        value = "off" if value is False and "off" in inside else value  # YAML reads a bare off as false
        if value not in inside:
            raise wrong
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise wrong
        return tuple(_fit(inside[0], v, source, place, choose) for v in value)
    if origin is dict:
        if isinstance(value, list):  # names alone: equal shares
            value = dict.fromkeys(map(str, value), 1.0)
        if not isinstance(value, dict):
            raise wrong
        return {str(k): _fit(inside[1], v, source, f"{place}.{k}", choose) for k, v in value.items()}
    # YAML reads 1e-4 as a word
    if hint is float and isinstance(value, str | int) and not isinstance(value, bool):
        try:
            value = float(value)
        except (ValueError, OverflowError):
            raise wrong from None
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise wrong
    return value


def _words(hint: Any) -> str:
    inside = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return "one of " + ", ".join(map(str, inside))
    if typing.get_origin(hint) is tuple:
        return "a list"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a word"}.get(hint, "a mapping")


def _shown(value: Any) -> str:
    """A value as an error shows it, on one line."""
    said = repr(value)
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}…"
