"""The muscle man's law as an ONNX file of its own: MuJoCo and an ONNX runtime are all that a host needs.

A host runs it in every physics step: body poses in, `xfrc_applied` out, and the muscles' state back in.
"""

import json
from pathlib import Path

import torch

from lactic import fatigue
from lactic.body import muscle_man
from lactic.brain.export import write
from lactic.fatigue import Fitness
from lactic.muscle.man.law import Gains
from lactic.muscle.man.module import MuscleLaw
from lactic.muscle.man.musculature import musculature

FORMAT = 1
"""Version of the inputs, outputs and metadata below."""
INPUTS = ("xpos", "xquat", "action", "length", "rate", "fatigue", "fitness")
OUTPUTS = ("wrench", "length_next", "rate_next", "fatigue_next", "force")


def export_law(path: str | Path, fitness: Fitness) -> None:
    """Write the law at the body's own physics rate for any number of worlds; metadata tell the preset's rates."""
    body, muscles, gains = muscle_man(), musculature(), Gains()
    count, worlds, bodies = len(muscles.names), 2, len(body.bodies)
    upright = torch.tensor([1.0, 0.0, 0.0, 0.0]).expand(worlds, bodies, 4).clone()
    rates = fatigue.rates(fitness, ["whole body"] * count)
    inputs = (
        torch.zeros(worlds, bodies, 3),
        upright,
        *(torch.zeros(worlds, count) for _ in range(3)),
        fatigue.fresh((worlds, count), torch.zeros(0)),
        torch.tensor(rates, dtype=torch.float32).expand(worlds, -1, -1).clone(),
    )
    note = {
        "format": FORMAT,
        "law": "muscle-man",
        "bodies": body.bodies,
        "muscles": muscles.names,
        "physics_rate": round(1 / body.model.opt.timestep),
        "stiffness": gains.stiffness,
        "damping": gains.damping,
        "fitness": fitness.name,
        "rates": rates.tolist(),
    }
    write(MuscleLaw(body.model.opt.timestep, gains), inputs, INPUTS, OUTPUTS, json.dumps(note), path)
