"""What a body looks like: the visible geoms of its MuJoCo model, posed."""

from dataclasses import dataclass, replace

import mujoco
import numpy as np

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 2, 3, 4, 5, 6  # mujoco.mjtGeom


@dataclass(frozen=True)
class Shapes:
    """A posed body: per geom its type, centre (n,3), axes (n,3,3) as columns, half extents (n,3) and body number."""

    geom_type: np.ndarray
    centre: np.ndarray
    axes: np.ndarray
    size: np.ndarray
    body: np.ndarray
    links: tuple[tuple[int, int], ...]
    """Pairs of shapes that flow into each other."""
    crossed: frozenset[tuple[int, int]]
    """Links between bodies at an angle, as a shoulder: a hanging arm must not grow into the rest of the chest."""
    shades: int | None = None
    """How many of the shapes, from the first, keep light away; all where None."""

    def moved(self, offset: np.ndarray) -> "Shapes":
        """The same pose elsewhere."""
        return replace(self, centre=self.centre + offset)

    def capsules(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each shape that keeps light away as a capsule: two ends (n,3) and a radius (n,)."""
        centre, axes, size = self.centre[: self.shades], self.axes[: self.shades], self.size[: self.shades]
        rows, long = np.arange(len(size)), np.argmax(size, axis=1)
        radius = (size.sum(1) - size[rows, long]) / 2
        reach = axes[rows, :, long] * np.maximum(size[rows, long] - radius, 0)[:, None]
        return centre - reach, centre + reach, radius


class Figure:
    """The visible geoms of a model's moving bodies, ready to be posed."""

    def __init__(self, model: mujoco.MjModel):
        self.model, self.data = model, mujoco.MjData(model)
        self.seen = np.flatnonzero((model.geom_bodyid > 0) & (model.geom_group < 3) & (model.geom_rgba[:, 3] > 0))
        geom_type, given = model.geom_type[self.seen], model.geom_size[self.seen]
        radius, half = given[:, 0], given[:, 1]
        size = given.copy()  # boxes and ellipsoids; below, size[i] becomes the half extent along axis i for all
        size[geom_type == SPHERE] = radius[geom_type == SPHERE, None]
        size[geom_type == CAPSULE] = np.stack([radius, radius, radius + half], 1)[geom_type == CAPSULE]
        size[geom_type == CYLINDER] = np.stack([radius, radius, np.maximum(radius, half)], 1)[geom_type == CYLINDER]
        mesh = geom_type > BOX  # drawn as the ellipsoid of its bounds
        bounds = model.geom_aabb[self.seen]
        size[mesh] = bounds[mesh, 3:]
        self.shift = np.where(mesh[:, None], bounds[:, :3], 0.0)
        self.geom_type = np.where(
            geom_type == CYLINDER, CAPSULE, np.where(mesh | (geom_type == SPHERE), ELLIPSOID, geom_type)
        )
        self.size, self.body = size, model.geom_bodyid[self.seen] - 1
        self.links: tuple[tuple[int, int], ...] = ()
        self.crossed: frozenset[tuple[int, int]] = frozenset()
        rest = self.posed(model.qpos0)
        self.links = self._links(rest)
        spines = rest.axes[:, :, 2]
        self.crossed = frozenset(
            (i, j) for i, j in self.links if self.body[i] != self.body[j] and abs(spines[i] @ spines[j]) < 0.7
        )

    def posed(self, qpos: np.ndarray) -> Shapes:
        """The shapes at `qpos`."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        axes = self.data.geom_xmat[self.seen].reshape(-1, 3, 3)
        centre = self.data.geom_xpos[self.seen] + np.einsum("nij,nj->ni", axes, self.shift)
        return Shapes(self.geom_type, centre, axes, self.size, self.body, self.links, self.crossed)

    def _links(self, rest: Shapes) -> tuple[tuple[int, int], ...]:
        """Touching shapes of one body, and for each joint the two shapes nearest to it."""
        start, end, radius = rest.capsules()
        links = set()
        for i, j in np.argwhere(np.triu(self.body[:, None] == self.body[None, :], 1)):
            along = np.linspace(0, 1, 9)[:, None]
            gaps = (start[i] + along * (end[i] - start[i]))[:, None] - (start[j] + along * (end[j] - start[j]))[None]
            if np.linalg.norm(gaps, axis=-1).min() < radius[i] + radius[j]:
                links.add((int(i), int(j)))
        for child in range(1, self.model.nbody - 1):
            pair = []
            for body in (child, self.model.body_parentid[child + 1] - 1):
                own = np.flatnonzero(self.body == body)
                if len(own):
                    spine = end[own] - start[own]
                    reach = self.data.xpos[child + 1] - start[own]
                    t = (reach * spine).sum(1) / np.maximum((spine * spine).sum(1), 1e-9)
                    gap = reach - np.clip(t, 0, 1)[:, None] * spine
                    pair.append(int(own[np.argmin(np.linalg.norm(gap, axis=1) - radius[own])]))
            if len(pair) == 2:
                links.add((pair[0], pair[1]))
        return tuple(sorted(links))
