"""The verbs of `lactic strength`."""

from pathlib import Path
from typing import Annotated, Literal

import tyro

from lactic.errors import InputError
from lactic.listing import table

AsJson = Annotated[bool, tyro.conf.FlagCreatePairsOff]


def check(
    model: tyro.conf.Positional[Path],
    side: Literal["r", "l"] = "r",
    samples: int = 1000,
    seed: int = 0,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Check the muscles of an OpenSim model's leg and say what torques they can give (needs lactic[muscle]).

    Args:
        model: an .osim file such as gait2392.
        side: which leg.
        samples: random states to check on.
        seed: of the random states.
        as_json: print JSON.
    """
    from lactic.muscle import check as job

    table(job.check(model, side, samples, seed), as_json)


def learn(
    model: tyro.conf.Positional[Path],
    out: Path,
    side: Literal["r", "l"] = "r",
    samples: int = 1_000_000,
    passes: int = 50,
    seed: int = 0,
    threads: int = 1,
) -> None:
    """Learn a leg's torque limits and effort into small networks (needs lactic[train,muscle]).

    Stopped by Ctrl-C, it goes on from the last whole pass when the same command is given again.

    Args:
        model: an .osim file such as gait2392.
        out: folder for R.npz, E.npz, E_tilde.npz, passive.npz, card.md and accuracy.json.
        side: which leg.
        samples: exact answers to learn R from; the others take a share of it.
        passes: through the samples, likewise.
        seed: of samples and first weights.
        threads: of the processor.
    """
    try:
        from lactic.muscle import learn as job
    except ImportError as error:
        raise InputError(f"lactic strength needs torch ({error}); pip install 'lactic[train,muscle]'") from error

    table(job.learn(model, out, side, samples, passes, seed, threads, lambda line: print(line, flush=True)), False)


def show(out: Path = Path("out/strength"), networks: Path | None = None) -> None:
    """Draw what the ankle can give and what hip torque costs, learned beside exact (jiang2019, Fig. 7 and 8).

    Args:
        out: folder for ankle.png and hip.png.
        networks: folder that `lactic strength learn` made; by default the shipped networks.
    """
    from lactic.muscle.learned import SHIPPED
    from lactic.muscle.show import show as draw

    for path in draw(out, networks if networks is not None else SHIPPED):
        print(path)


def run(words: list[str]) -> None:
    """Run a verb."""
    tyro.extras.subcommand_cli_from_dict(
        {"check": check, "learn": learn, "show": show},
        args=words or ["--help"],
        prog="lactic strength",
        description="Strength from muscles.",
    )
