"""Characters, built with MjSpec from tables."""

from collections.abc import Callable

from lactic.body.ant import ant
from lactic.body.body import Body
from lactic.body.fitted import named, person
from lactic.body.humanoid import humanoid
from lactic.body.muscle_man import muscle_man
from lactic.body.own import is_own, own
from lactic.errors import InputError

NAMES = ("humanoid", "person", "ant")
BUILDERS: dict[str, Callable[[], Body]] = {"humanoid": humanoid, "ant": ant}
"""Bodies by name; those of persons are made on the way."""


def get(name: str, pinned: bool = False) -> Body:
    """The body of that name; `person-1.80-85` and fitted files are names too. `pinned` welds a pelvis to the world."""
    if pinned and name == "humanoid":
        return humanoid(pinned=True)
    if name in BUILDERS and not pinned:
        return BUILDERS[name]()
    if name == "muscle-man":
        raise InputError("muscle-man has no driven joints; give another body, or drive it by `lactic.muscle.man`")
    if is_own(name) and not pinned:
        return own(name)
    if named(name) is None:
        others = "person-HEIGHT-MASS such as person-1.80-85, files of `lactic bodies fit`, MJCF and URDF files"
        raise InputError(f"unknown body '{name}'; there are: {', '.join(NAMES)}, {others}")
    return person(name, pinned)


__all__ = ["BUILDERS", "NAMES", "Body", "ant", "get", "humanoid", "muscle_man", "person"]
