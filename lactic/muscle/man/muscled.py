"""The muscle man as pictures and recordings take a body: muscles stand where other bodies have joints."""

from dataclasses import fields, replace
from functools import cache, cached_property

import numpy as np

from lactic.body import Body, muscle_man
from lactic.muscle.man.law import Gains
from lactic.muscle.man.musculature import musculature


class MuscledBody(Body):
    """A body whose joints are muscles; nothing that drives joints can use it."""

    @cached_property
    def parent_joints(self) -> tuple[tuple[int, ...], ...]:
        """For each rigid body the muscles with an anchor on it: what colours it when they tire."""
        strands, rows = musculature().strands, []
        for body in range(1, self.model.nbody):
            holds = ((strands.body == body) & (strands.weight > 0)).any(1)
            owners = np.searchsorted(strands.start, np.flatnonzero(holds), side="right") - 1
            rows.append(tuple(np.unique(owners).tolist()))
        return tuple(rows)

    def weakest(self, spent: np.ndarray) -> np.ndarray:
        """Of values (…, muscle) the mean of each rigid body's muscles, by their force: the worst of thirty says
        little."""
        force = self.torque_limit
        columns = [np.average(spent[..., list(k)], axis=-1, weights=force[list(k)]) for k in self.parent_joints]
        return np.stack(columns, -1)


def muscled(pinned: bool = False) -> Body:
    """The muscle man with its 284 muscles as joints, in five groups; `pinned` fixes all but its arms."""
    return _made(pinned)


@cache
def _made(pinned: bool) -> Body:
    body, held, gains = muscle_man(pinned), musculature(), Gains()
    count, groups = len(held.names), [""] * len(held.names)
    for name, members in held.groups.items():
        for k in members:
            groups[k] = name
    made = MuscledBody(**{field.name: getattr(body, field.name) for field in fields(body)})
    return replace(
        made,
        joints=held.names,
        groups=tuple(groups),
        regions={name: tuple(held.names[k] for k in members) for name, members in held.groups.items()},
        stiffness=np.full(count, gains.stiffness),
        damping=np.full(count, gains.damping),
        torque_limit=held.strands.force.copy(),
        unit="N",
    )
