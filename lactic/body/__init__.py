"""Characters, built with MjSpec from tables."""

from collections.abc import Callable

from lactic.body.ant import ant
from lactic.body.body import Body
from lactic.body.humanoid import humanoid
from lactic.errors import InputError

_BUILDERS: dict[str, Callable[[], Body]] = {"humanoid": humanoid, "ant": ant}
NAMES = tuple(_BUILDERS)


def get(name: str) -> Body:
    """The body of that name."""
    if name not in _BUILDERS:
        raise InputError(f"unknown body '{name}'; there are: {', '.join(NAMES)}")
    return _BUILDERS[name]()


__all__ = ["NAMES", "Body", "ant", "get", "humanoid"]
