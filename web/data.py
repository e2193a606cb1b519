"""Writes brains, bodies and characters.json into the page's folder; `make site` runs it after build.mjs."""

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.fatigue import PRESETS, Fitness
from lactic.picture.stage import encoded, tinted
from lactic.play.fall import FallRule
from lactic.play.programme import Programme
from lactic.play.start import start_states
from lactic.play.velocity import FASTEST, RUN, WALK, takes_velocity
from lactic.studio.labels import preset_entry
from lactic.studio.skill import opening_fitness, regions, tour

OFFERED = ("pace", "kick", "hop", "cartwheel", "backflip", "hold-arms", "ant")
STARTS = 12
"""States to start from; the first is the one that `lactic play` starts from with seed 0."""
TINTS = 33
"""Colours from fresh to exhausted."""


def character(name: str) -> dict[str, Any]:
    """All that the page must know of a character, its network and its body's shape left out."""
    folder = catalogue.find(name)
    info = folder.load().info
    if info.host != "plain":
        raise SystemExit(f"{name}: needs a host of kind '{info.host}', and the page is plain")
    body, rule = bodies.get(info.body, info.pinned), FallRule.of(folder, bodies.get(info.body))
    programme = tour() if takes_velocity(info) else Programme.read(folder.params(), info)
    starts = [start_states(folder, body, 1, seed) for seed in range(STARTS)]
    fitness = opening_fitness(info.fitness)
    return {
        "name": name,
        "description": info.description,
        "asks": info.asks,
        "command": info.command,
        "joints": info.joints,
        "groups": body.groups,
        "bodies": body.bodies,
        "carriers": body.parent_joints,
        "regions": {key: [body.joints.index(joint) for joint in held] for key, held in regions(body).items()},
        "controlRate": info.control_rate,
        "substeps": info.substeps,
        "fall": {"bodies": rule.bodies, "height": rule.height},
        "fitness": {"preset": fitness.name, "scale": fitness.time_scale},
        "programme": {
            "starts": programme.starts.tolist(),
            "commands": programme.commands.tolist(),
            "real": programme.clock == "real",
            "length": programme.length if np.isfinite(programme.length) else None,
        },
        "starts": [{"qpos": qpos[0].tolist(), "qvel": qvel[0].tolist()} for qpos, qvel in starts],
    }


def preset(fitness: Fitness) -> dict[str, Any]:
    """A fitness as the page reads it: rows of F, R, r, L and the rule, by group of joints, and for all others."""

    def row(rates: Fitness) -> list[float]:
        return [rates.F, rates.R, rates.r, rates.L, float(rates.rule == "rest")]

    rows = {group: row(rates) for group, rates in (fitness.joints or {}).items()}
    opens = opening_fitness(fitness.name).time_scale
    entry = preset_entry(fitness.name).partition(" · ")[2]
    return {"about": entry, "scale": opens, "row": row(fitness), "rows": rows}


def write(out: Path) -> None:
    """Fill the page's folder."""
    for name in OFFERED:
        source = catalogue.find(name).path
        (out / f"{name}.onnx.gz").write_bytes(gzip.compress((source / "brain.onnx").read_bytes(), 9, mtime=0))
        shutil.copyfile(source / "body.xml", out / f"{name}.xml")
    facts = {
        "characters": [character(name) for name in OFFERED],
        "presets": {name: preset(fitness) for name, fitness in PRESETS.items()},
        "tints": encoded(tinted(np.linspace(0, 1, TINTS))).tolist(),
        "speeds": {"walk": WALK, "run": RUN, "fastest": FASTEST},
    }
    (out / "characters.json").write_text(json.dumps(facts, separators=(",", ":")))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
