"""The verbs of `lactic strength`."""

from pathlib import Path
from typing import Annotated, Literal

import tyro

from lactic.errors import InputError
from lactic.listing import table

AsJson = Annotated[bool, tyro.conf.FlagCreatePairsOff]


def check(
    model: tyro.conf.Positional[Path], side: Literal["r", "l"] = "r", samples: int = 1000, seed: int = 0,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:  # fmt: skip
    """Check the muscles of an OpenSim model's leg and say what torques they can give (needs lactic[train,muscle]).

    Args:
        model: an .osim file such as gait2392.
        side: which leg.
        samples: random states to check on.
        seed: of the random states.
        as_json: print JSON.
    """
    try:
        from lactic.strength import check as job
    except ImportError as error:
        raise InputError(f"lactic strength needs torch ({error}); pip install 'lactic[train,muscle]'") from error

    table(job.check(model, side, samples, seed), as_json)


def run(words: list[str]) -> None:
    """Run a verb."""
    tyro.extras.subcommand_cli_from_dict(
        {"check": check}, args=words or ["--help"], prog="lactic strength", description="Strength from muscles.")
