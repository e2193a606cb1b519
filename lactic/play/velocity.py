"""Characters that are asked for a velocity over the floor: by a programme, at one speed, or by sticks."""

import math
from collections.abc import Callable

import numpy as np

from lactic.brain.file import BrainInfo
from lactic.errors import InputError
from lactic.play.player import Player
from lactic.play.programme import GOING, Programme
from lactic.steer.gamepad import LEFT, TRIGGER
from lactic.steer.steering import Steering

WALK, RUN, FASTEST = 1.4, 3.5, 4.0
"""m/s with the stick pushed home, with the trigger pulled too, and at most: training asks for no more."""


def takes_velocity(info: BrainInfo) -> bool:
    """Whether a brain's command is a velocity over the floor, m/s in the world's frame."""
    return info.asks == "velocity"


def velocity_of(pad: np.ndarray) -> np.ndarray:
    """The velocity (2,) that a gamepad (6,) asks for: the left stick says where, the trigger how fast."""
    stick = pad[LEFT]
    if math.hypot(*stick) <= Steering().deadzone:
        return np.zeros(2)
    return stick * (WALK + (RUN - WALK) * pad[TRIGGER])


def asking(
    player: Player, programme: Programme, speed: float | None = None, script: str | None = None, seed: int = 0
) -> Callable[[], np.ndarray]:
    """What to ask for at each step: a speed straight on, what a script's sticks say, or what the programme does."""
    info = player.info
    if speed is not None:
        if info.asks not in GOING:
            raise InputError(f"speed {speed:g}: {info.name} cannot be asked for a speed")
        if not 0 <= speed <= FASTEST:
            raise InputError(f"speed {speed:g}: must be from 0 to {FASTEST:g} m/s")
        if script is not None:
            raise InputError("speed and script: give one of them")
        always = np.array([speed, 0.0][: info.command])
        return lambda: always
    if script is not None and takes_velocity(info):
        from lactic.play.steer import pad_named

        pad = pad_named(script, None, seed)
        return lambda: velocity_of(pad(player.second, player.world.qpos[:, :7])[0])
    scale = player.fitness.time_scale
    return lambda: programme.at(player.second, scale)
