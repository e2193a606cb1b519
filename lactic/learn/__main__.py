"""`python3 -m lactic.learn params.yaml --minutes 8 --out DIR`: training without the CLI library."""

import sys
from collections.abc import Callable
from typing import Any

from lactic.errors import InputError, needs
from lactic.learn import config, flags
from lactic.learn.sweep import sweep
from lactic.learn.vae import command


def parser() -> flags.Parser:
    """Everything that `lactic train` understands."""
    made = flags.Parser(
        prog="lactic train",
        description="Train a character (needs lactic[train]).",
        allow_abbrev=False,
        usage="lactic train RECIPE [--minutes MINUTES] [--from RUN] [--any.setting VALUE] …",
    )
    made.add_argument(
        "params", metavar="recipe", help="a YAML file, or one of: " + ", ".join([*config.recipes(), *command.RECIPES])
    )
    made.add_argument("--minutes", type=float, help="stop after so many minutes of training; without it, at Ctrl-C")
    made.add_argument("--iterations", type=int, help="stop at this iteration")
    made.add_argument("--out", help="folder of the run (default runs/NAME)")
    made.add_argument("--clips", help="folder of the clips (default: the cache folder)")
    made.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    made.add_argument(
        "--from", dest="expert", metavar="RUN", help="start from the networks of a run or a brain (name or folder)"
    )
    made.add_argument("--stage", choices=("expert", "transfer"), default="expert", help="transfer: strength runs out")
    made.add_argument("--agent", choices=("policy", "zero", "random"), default="policy", help="only policy learns")
    made.add_argument("--light", action="store_true", help="checkpoints without worlds and replay")
    made.add_argument("--profile", action="store_true", help="say where the time goes in detail")
    flags.add(made, config.RunSettings)
    return made


def main(words: list[str] | None = None) -> int:
    """Train once or many times."""
    words = sys.argv[1:] if words is None else words
    try:
        if words[:1] == ["sweep"]:
            sweep(words[1:])
        else:
            train(words)
        return 0
    except InputError as error:
        print(f"lactic: {error}", file=sys.stderr)
        return 2


def train(words: list[str], say: Callable[[str], None] = print) -> dict[str, float]:
    """Train as the words of a command line say; returns the last means."""
    if words[:1] and words[0] in command.RECIPES:
        return command.train(words, say)
    given = vars(parser().parse_args(words))
    changes = flags.taken(given)
    needs("torch", "train")
    from lactic.learn.run import start

    return start(**given, changes=changes, say=say)


def settings_of(words: list[str]) -> Any:
    """The settings that the words of a command line ask for; what is wrong with them is one line."""
    if words[:1] and words[0] in command.RECIPES:
        return command.read(words)[2]
    given = vars(parser().parse_args(words))
    return config.changed(config.read(given["params"]), flags.taken(given))


if __name__ == "__main__":
    sys.exit(main())
