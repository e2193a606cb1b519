"""`lactic train muscle-vae …` and `lactic train muscle-steer …`: the words of their command lines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lactic.errors import InputError, needs
from lactic.learn import config, flags
from lactic.learn.vae.settings import GuideSettings, VaeSettings

RECIPES: dict[str, type[VaeSettings] | type[GuideSettings]] = {
    "muscle-vae": VaeSettings,
    "muscle-expert": VaeSettings,
    "muscle-pupil": VaeSettings,
    "muscle-follow": VaeSettings,
    "muscle-kick": VaeSettings,
    "muscle-steer": GuideSettings,
}
"""Recipes that are trained through a world model, and what their settings are."""


def parser(name: str) -> flags.Parser:
    """Everything that `lactic train NAME` understands."""
    made = flags.Parser(
        prog=f"lactic train {name}", description=f"Train {name} (needs lactic[train]).", allow_abbrev=False
    )
    made.add_argument("recipe", metavar=name)
    made.add_argument("--minutes", type=float, help="stop after so many minutes of training; without it, at Ctrl-C")
    made.add_argument("--iterations", type=int, help="stop at this iteration")
    made.add_argument("--out", help="folder of the run (default runs/NAME)")
    made.add_argument("--clips", dest="folder", help="folder of the clips (default: the cache folder)")
    made.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    made.add_argument("--profile", action="store_true", help="say at the end too where the time of an iteration goes")
    flags.add(made, RECIPES[name])
    return made


def read(words: list[str]) -> tuple[dict[str, Any], Path, VaeSettings | GuideSettings]:
    """What the words of a command line say: its options, the folder of the run, its settings."""
    name = words[0]
    given = vars(parser(name).parse_args(words))
    changes = flags.taken(given)
    folder = Path(given["out"] or f"runs/{name}")
    file = folder / "params.yaml" if given["resume"] else Path(__file__).parent / "recipes" / f"{name}.yaml"
    if not file.is_file():
        raise InputError(f"resume: no {file}; train without it first")
    return given, folder, config.changed(config.read_as(RECIPES[name], file), changes)


def train(words: list[str], say: Callable[[str], None] = print) -> dict[str, float]:
    """Train as the words of a command line say; the first is the recipe. Returns the last means."""
    given, folder, settings = read(words)
    needs("torch", "train")
    from lactic.learn.vae import run

    options = {key: given[key] for key in ("minutes", "iterations", "resume", "profile")}
    return run.train(settings, folder, clips=given["folder"], say=say, **options)
