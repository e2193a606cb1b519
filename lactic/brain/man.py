"""What a brain of the muscle man says of its muscles, whatever drives them."""

from typing import Any

import numpy as np

from lactic import fatigue
from lactic.body import muscle_man
from lactic.brain.file import BrainInfo
from lactic.fatigue import Fitness
from lactic.muscle.man.law import Gains
from lactic.muscle.man.musculature import musculature


def man_info(name: str, fitness: Fitness, control_rate: float, **more: Any) -> BrainInfo:
    """The description of such a brain: muscles in place of joints, their springs, forces and rates; and `more`."""
    muscles, gains = musculature(), Gains()
    count = len(muscles.names)
    rates = np.asarray(fatigue.rates(fitness, ["whole body"] * count)).tolist()
    return BrainInfo(
        name=name,
        body=muscle_man().name,
        joints=muscles.names,
        control_rate=control_rate,
        physics_rate=round(1 / muscle_man().model.opt.timestep),
        stiffness=(gains.stiffness,) * count,
        damping=(gains.damping,) * count,
        torque_limit=tuple(muscles.strands.force.tolist()),
        fitness=fitness.name,
        rates=tuple(map(tuple, rates)),
        host="muscle-man",
        **more,
    )
