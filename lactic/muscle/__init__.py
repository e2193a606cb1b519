"""Muscles: OpenSim legs, Hill's law, and the torques and effort they allow, exact and learned."""

from importlib import import_module
from typing import Any

from lactic.errors import InputError


def compiled(name: str) -> Any:
    """A compiled module of this room, such as `swift`; muscles are not for running uncompiled."""
    try:
        import_module("numba")
        return import_module(f"lactic.muscle.{name}")
    except ImportError as error:
        raise InputError(f"muscles need numba ({error}); pip install 'lactic[muscle]'") from error
