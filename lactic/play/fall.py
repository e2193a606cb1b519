"""When a character has fallen, by the rule it was trained with."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lactic.errors import InputError

GRAZING = 0.005
"""A body that may not touch the floor has when its lowest point is below this, m."""


@dataclass(frozen=True)
class FallRule:
    """When an episode has failed, from params.yaml's task.fall."""

    bodies: tuple[int, ...]
    height: float
    barred: tuple[int, ...] = ()

    @classmethod
    def of(cls, params: dict[str, Any], names: tuple[str, ...], source: str) -> "FallRule":
        """Read the rule; a character without one never falls."""
        fall = (params.get("task") or {}).get("fall") or {}
        bodies = tuple(fall.get("bodies") or ())
        allowed = fall.get("may_touch")
        unknown = [name for name in (*bodies, *(allowed or ())) if name not in names]
        if unknown:
            raise InputError(f"{source}: task.fall names the body '{unknown[0]}'; there are: {', '.join(names)}")
        barred = () if allowed is None else tuple(k for k, name in enumerate(names) if name not in allowed)
        return cls(tuple(names.index(name) for name in bodies), float(fall.get("height", 0.0)), barred)

    def sunk(self, xpos: np.ndarray) -> np.ndarray:
        """Which worlds have a body lower than it may be, from `xpos` (world, body, 3)."""
        return np.asarray(np.any(xpos[:, self.bodies, 2] < self.height, axis=1))

    def broken(self, xpos: np.ndarray, clearance: np.ndarray) -> np.ndarray:
        """Which worlds are down, from `xpos` (world, body, 3) and `clearance` (world, body)."""
        return np.asarray(self.sunk(xpos) | np.any(clearance[:, self.barred] < GRAZING, axis=1))
