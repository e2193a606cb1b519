"""When a character has fallen, by the rule it was trained with."""

from dataclasses import dataclass

import mujoco
import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.world.cpu import CpuWorld

GRAZING = 0.005
"""A body that may not touch the floor has when its lowest point is below this, m."""


class Soles:
    """The lowest point of every rigid body, as motion.ground finds it in clips, for many simulations at once."""

    def __init__(self, body: Body):
        model = body.model
        solid = (model.geom_contype | model.geom_conaffinity) > 0
        geoms = np.array([g for g in range(model.ngeom) if model.geom_bodyid[g] > 0 and solid[g]])
        owner = model.geom_bodyid[geoms] - 1
        order = np.argsort(owner, kind="stable")
        self._owner, geoms = owner[order], geoms[order]
        self._own = np.unique(self._owner)
        self._firsts = np.searchsorted(self._owner, self._own)
        self._count = model.nbody - 1
        self._offset = model.geom_pos[geoms].astype(np.float32)
        axes = np.asarray(rotation.to_matrix(model.geom_quat[geoms]))
        halves, self._radius = np.zeros((len(geoms), 3, 3)), np.zeros(len(geoms), np.float32)
        kinds = mujoco.mjtGeom
        for k, g in enumerate(geoms):
            size, shape = model.geom_size[g], model.geom_type[g]
            if shape == kinds.mjGEOM_BOX:
                halves[k] = axes[k] * size  # columns: half edges in the body's frame
            elif shape == kinds.mjGEOM_CAPSULE:
                halves[k, :, 2], self._radius[k] = axes[k][:, 2] * size[1], size[0]
            else:
                self._radius[k] = size[0] if shape == kinds.mjGEOM_SPHERE else model.geom_rbound[g]
        self._halves = halves.astype(np.float32)

    def __call__(self, xpos: np.ndarray, xquat: np.ndarray) -> np.ndarray:
        """Lowest points (…, body) of bodies at `xpos` (…, body, 3) turned by `xquat` (…, body, 4)."""
        w, x, y, z = np.moveaxis(np.asarray(xquat, np.float32), -1, 0)
        row = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)[..., self._owner, :]
        low = np.asarray(xpos[..., 2], np.float32)[..., self._owner] + (row * self._offset).sum(-1) - self._radius
        low -= np.abs(np.einsum("...gi,gij->...gj", row, self._halves)).sum(-1)
        result = np.full((*low.shape[:-1], self._count), np.inf, np.float32)
        result[..., self._own] = np.minimum.reduceat(low, self._firsts, axis=-1)
        return result


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
