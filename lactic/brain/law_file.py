"""The muscle man's law as an ONNX file of its own: MuJoCo and an ONNX runtime are all that a host needs.

python -m lactic.brain.law_file law.onnx

A host runs it in every physics step: body poses in, `xfrc_applied` out, and the muscles' state back in.
"""

import argparse
import json
import sys
from pathlib import Path

import torch

from lactic import fatigue
from lactic.body import muscle_man
from lactic.brain.export import write
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.muscle.man.law import Gains
from lactic.muscle.man.module import MuscleLaw
from lactic.muscle.man.musculature import musculature

FORMAT = 1
"""Version of the inputs, outputs and metadata below."""
INPUTS = ("xpos", "xquat", "action", "length", "rate", "fatigue", "fitness")
OUTPUTS = ("wrench", "length_next", "rate_next", "fatigue_next", "force")


def export_law(path: str | Path, fitness: Fitness, gains: Gains | None = None) -> None:
    """Write the law at the body's own physics rate for any number of worlds; metadata tell the preset's rates."""
    body, muscles, gains = muscle_man(), musculature(), gains or Gains()
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


def main() -> int:
    """Write the file that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="the ONNX file to write")
    parser.add_argument("--fitness", default="feng2023", help="preset whose rates the file tells its host")
    given = parser.parse_args()
    try:
        export_law(given.path, fatigue.preset(given.fitness))
    except (InputError, OSError) as error:
        reason = f"{given.path}: {error.strerror}; give another file" if isinstance(error, OSError) else error
        print(f"lactic: {reason}", file=sys.stderr)
        return 2
    print(f"{given.path}: {given.path.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
