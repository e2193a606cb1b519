"""Strength from muscles."""

from pathlib import Path

import tyro

from lactic.cli.terminal import AsJson, Model, Side, table
from lactic.errors import needs

app = tyro.extras.SubcommandApp()


@app.command
def check(model: Model, side: Side = "r", samples: int = 1000, seed: int = 0, as_json: AsJson = False) -> None:
    """Check the muscles of an OpenSim model's leg and say what torques they can give (needs lactic[muscle]).

    Args:
        samples: random states to check on.
        seed: of the random states.
    """
    from lactic.muscle import check as job

    table(job.check(model, side, samples, seed), as_json)


@app.command
def learn(
    model: Model,
    out: Path,
    side: Side = "r",
    samples: int = 1_000_000,
    passes: int = 50,
    seed: int = 0,
    threads: int = 1,
) -> None:
    """Learn a leg's torque limits and effort into small networks (needs lactic[train,muscle]).

    Stopped by Ctrl-C, it goes on from the last whole pass when the same command is given again.

    Args:
        out: folder for R.npz, E.npz, passive.npz, card.md and accuracy.json.
        samples: exact answers to learn R from; the others take a share of it.
        passes: through the samples, likewise.
        seed: of samples and first weights.
        threads: of the processor.
    """
    needs("torch", "train,muscle")
    from lactic.muscle import learn as job

    table(job.learn(model, out, side, samples, passes, seed, threads, lambda line: print(line, flush=True)))


@app.command
def show(out: Path = Path("out/strength"), networks: Path | None = None) -> None:
    """Draw what the ankle can give and what hip torque costs, learned beside exact (jiang2019, Fig. 7 and 8).

    Args:
        out: folder for ankle.png and hip.png.
        networks: folder that `lactic strength learn` made; by default the shipped networks.
    """
    from lactic.muscle.learned import SHIPPED
    from lactic.picture.legs import show as draw

    for path in draw(out, networks if networks is not None else SHIPPED):
        print(path)
