"""When a character has fallen, by the rule it was trained with."""

from dataclasses import dataclass

import numpy as np

from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.motion.ground import Soles
from lactic.world.cpu import CpuWorld

LYING = 1.0
"""Seconds on the floor that a recording shows before it ends."""
GRAZING = 0.005
"""A body that may not touch the floor has when its lowest point is below this, m."""


@dataclass(frozen=True)
class FallRule:
    """Which bodies, by place, may not sink below a height, m, and which may not touch the floor."""

    bodies: tuple[int, ...] = ()
    height: float = 0.0
    barred: tuple[int, ...] = ()
    soles: Soles | None = None

    @classmethod
    def of(cls, folder: BrainFolder, body: Body) -> "FallRule":
        """The rule in task.fall of a brain's params.yaml, for a body."""
        path = folder.path / "params.yaml"
        try:
            fall = (folder.params().get("task") or {}).get("fall") or {}
            names, bodies, allowed = body.bodies, tuple(fall.get("bodies") or ()), fall.get("may_touch")
            height, listed = float(fall.get("height", 0.0)), tuple(allowed or ())
            if not fall.keys() <= {"bodies", "height", "may_touch"}:
                raise ValueError("another name")
        except (AttributeError, TypeError, ValueError, OverflowError) as error:
            raise InputError(
                f"{path}: task.fall needs 'bodies' and 'may_touch', lists of names, and 'height'"
            ) from error
        unknown = [name for name in (*bodies, *listed) if name not in names]
        if unknown:
            raise InputError(f"{path}: task.fall names the body '{unknown[0]}'; there are: {', '.join(names)}")
        barred = () if allowed is None else tuple(k for k, name in enumerate(names) if name not in allowed)
        low = tuple(names.index(name) for name in bodies)
        return cls(low, height, barred, Soles(body) if barred else None)

    def fallen(self, world: CpuWorld) -> np.ndarray:
        """Which characters of a world are down, or lost their state, (character,)."""
        fallen = np.any(world.xpos[:, self.bodies, 2] < self.height, axis=1) | world.faulted
        if self.soles is not None:
            fallen |= np.any(self.soles(world.xpos, world.xquat)[:, self.barred] < GRAZING, axis=1)
        return fallen
