"""Motions that lead bodies up from the floor, each from a pose of its own: where episodes on the floor start."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.rising import AFTER, Rises, rising
from lactic.task.tracking.motions import Motions
from lactic.world.limp import lying

FALLS = 256
"""Poses on the floor that episodes start in; and as many mirror images."""
TAIL = 2.0
"""Seconds that a body which stands again is led on for."""


def leads(clips: Sequence[BodyClip], table: Motions, rate: float, falls: int = FALLS) -> list[BodyClip]:
    """Motions at the rate of control that each begin with a body that went limp somewhere in the table and lies, go on
    as the nearest stretch of the clips or of their mirror images that rises, and end TAIL seconds after it."""
    found = [stretch.resample(rate) for clip in clips for stretch in rising(clip, AFTER + TAIL)]
    if not found:
        raise InputError("task.track.fallen: no motion of the library rises from the floor")
    rows, body = torch.linspace(0, len(table.qpos) - 1, falls).long(), found[0].body
    poses = BodyClip(body.name, rate, lying(body, table.qpos[rows].numpy(), table.qvel[rows].numpy()))
    both = np.concatenate([poses.qpos, poses.mirror().qpos])
    both[:, :2] = 0.0
    return Rises([*found, *(stretch.mirror() for stretch in found)]).leads(both)


def with_leads(table: Motions, made: Sequence[BodyClip], rate: float, style: bool = False) -> Motions:
    """The tables with those of motions that lead up behind them."""
    joined, other, base = table.behind(made, rate, style)
    return replace(joined, lead=other.first.unique() + base, leading=tuple(clip.name for clip in made))
