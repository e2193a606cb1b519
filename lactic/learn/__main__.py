"""`python3 -m lactic.learn params.yaml --minutes 8 --out DIR`: training without the CLI library."""

import argparse
import sys

from lactic.errors import InputError
from lactic.learn import config


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m lactic.learn", description="Train a character from clips.")
    parser.add_argument("params", help="a YAML file, or a recipe: " + ", ".join(config.recipes()))
    parser.add_argument("--minutes", type=float, help="stop after so many minutes of training")
    parser.add_argument("--iterations", type=int, help="stop at this iteration")
    parser.add_argument("--worlds", type=int, help="simulations side by side")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--device", help="auto, cuda, cpu or warp-cpu")
    parser.add_argument("--out", help="folder of the run (default runs/NAME)")
    parser.add_argument("--clips", help="folder of the clips (default: the cache folder)")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--from", dest="expert", metavar="RUN", help="start from the networks of another run")
    parser.add_argument("--stage", choices=("expert", "transfer"), default="expert", help="transfer: strength runs out")
    parser.add_argument("--agent", choices=("policy", "zero", "random"), default="policy", help="only policy learns")
    parser.add_argument("--light", action="store_true", help="checkpoints without worlds and replay")
    parser.add_argument("--no-graphs", dest="graphs", action="store_false", help="no CUDA graphs")
    parser.add_argument("--profile", action="store_true", help="say where the time goes in detail")
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="KEY=VALUE", help="such as task.episode=1000")
    return parser


def main(words: list[str] | None = None) -> int:
    """Train, or export a run's brain."""
    words = sys.argv[1:] if words is None else words
    try:
        return _export(words[1:]) if words[:1] == ["export"] else _train(words)
    except InputError as error:
        print(f"lactic: {error}", file=sys.stderr)
        return 2


def _train(words: list[str]) -> int:
    given = _parser().parse_args(words)
    from lactic.learn.run import start

    start(**vars(given))
    return 0


def _export(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m lactic.learn export", description="Write a run's brain.onnx.")
    parser.add_argument("run", help="the folder of a run")
    parser.add_argument("--out", required=True, help="folder for brain.onnx and params.yaml")
    parser.add_argument("--bits", type=int, default=32, help="of a large weight: 32, 16 or 8")
    parser.add_argument("--tired", help="the folder of another run, to do as when the legs are tired")
    given = parser.parse_args(words)
    from lactic.learn.export import export_run

    path = export_run(given.run, given.out, given.bits, given.tired)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
