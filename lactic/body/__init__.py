"""Characters, built with MjSpec from tables."""

from collections.abc import Callable

from lactic.body.ant import ant
from lactic.body.body import Body
from lactic.body.fitted import named, person
from lactic.body.humanoid import humanoid
from lactic.errors import InputError

_BUILDERS: dict[str, Callable[[], Body]] = {"humanoid": humanoid, "person": person, "ant": ant}
NAMES = tuple(_BUILDERS)


def get(name: str) -> Body:
    """The body of that name; `person-1.80-85` and fitted files are names too."""
    if name in _BUILDERS:
        return _BUILDERS[name]()
    if named(name) is None:
        others = "person-HEIGHT-MASS such as person-1.80-85, and files of `lactic bodies fit`"
        raise InputError(f"unknown body '{name}'; there are: {', '.join(NAMES)}, {others}")
    return person(name)


__all__ = ["NAMES", "Body", "ant", "get", "humanoid", "person"]
