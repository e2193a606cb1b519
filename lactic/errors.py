"""The one exception a person at the keyboard is meant to read."""

import importlib.util


class InputError(ValueError):
    """Something the user gave is wrong: one line that says what, where and what to do (exit code 2)."""


def needs(module: str, extra: str) -> None:
    """Say in one line what to install where a library is missing."""
    if importlib.util.find_spec(module) is None:
        raise InputError(f"this needs {module}, which is not installed: pip install 'lactic[{extra}]'")
