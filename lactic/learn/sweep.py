"""`lactic sweep`: a recipe trained with every combination of the values that its flags are given."""

import csv
import itertools
import json
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError, needs
from lactic.files import whole_file, write_whole
from lactic.jobs import answers

USAGE = "lactic sweep RECIPE --any.setting VALUE VALUE … --iterations N [--out FOLDER] [--cluster ADDRESS]"
HELP = f"""usage: {USAGE}

Train a recipe once for every combination of the values given (needs lactic[train]).

  lactic sweep pace --learn.gamma 0.99 0.995 --seed 0 1 2 --minutes 5 --clips clips

Flags are those of `lactic train`, and each may have several values. A sweep ends: it needs --minutes or --iterations.
Each run is a folder in --out (default runs/RECIPE-sweep), and sweep.csv there has a row for each. Runs of different
seeds are summed up by mean and deviation. Stopped, the same command goes on where it was.

By default processes on this machine train side by side, one for each GPU or, without one, for each core.
  --cluster ADDRESS   a Ray cluster trains instead, such as auto or HOST:6379 (needs lactic[scale])
"""
DONE = "result.json"
"""What a run of a sweep leaves at its end: the words of its command and its last means."""
SHOWN = ("reward", "episode", "fell", "speed", "capacity", "hold", "off", "loss")
"""Means that a person sees, where there are such."""


@dataclass(frozen=True)
class Sweep:
    """What a command line asks for."""

    recipe: str
    flags: dict[str, list[str]]
    """Values by flag, as they were given."""
    out: Path
    cluster: str | None = None

    @property
    def several(self) -> list[str]:
        """Flags with more than one value."""
        return [flag for flag, values in self.flags.items() if len(values) > 1]

    def runs(self) -> dict[str, list[str]]:
        """The words of `lactic train` for each run, by its name."""
        short = [flag.removeprefix("--").split(".")[-1] for flag in self.several]
        names = short if len(set(short)) == len(short) else [flag.removeprefix("--") for flag in self.several]
        once = [word for flag, values in self.flags.items() if len(values) < 2 for word in (flag, *values)]
        found = {}
        for values in itertools.product(*(self.flags[flag] for flag in self.several)):
            parts = [f"{name}={value}" for name, value in zip(names, values, strict=True)]
            words = [word for pair in zip(self.several, values, strict=True) for word in pair]
            found[",".join(parts).replace("/", "-").replace(" ", "")] = [self.recipe, *once, *words]
        return found


def read(words: Sequence[str]) -> Sweep:
    """Understand a command line; the recipe comes first."""
    if not words or words[0].startswith("-"):
        raise InputError(f"sweep: name a recipe first: {USAGE}")
    flags: dict[str, list[str]] = {}
    for word in words[1:]:
        if word.startswith("--"):
            if word in flags:
                raise InputError(f"sweep: {word} stands twice; give its values one after another: {word} VALUE VALUE")
            values = flags[word] = []
        elif not flags:
            raise InputError(f"sweep: '{word}' belongs to no flag: {USAGE}")
        else:
            values.append(word)
    out = _one_value(flags, "--out") or f"runs/{Path(words[0]).stem}-sweep"
    made = Sweep(words[0], flags, Path(out), _one_value(flags, "--cluster"))
    for flag in ("--resume", "--agent"):
        if flag in flags:
            raise InputError(f"sweep: {flag} is for one run; a sweep that was stopped goes on by itself")
    if not made.several:
        raise InputError("sweep: no flag has several values, so there is one run: use `lactic train`")
    if not {"--minutes", "--iterations"} & set(flags):
        raise InputError("sweep: say when a run ends, by --minutes or --iterations")
    return made


def _one_value(flags: dict[str, list[str]], flag: str) -> str | None:
    values = flags.pop(flag, None)
    if values is not None and len(values) != 1:
        raise InputError(f"sweep: {flag} takes one value")
    return values[0] if values else None


def sweep(words: Sequence[str], say: Callable[[str], None] = print) -> list[dict[str, Any]]:
    """Train every combination; a row for each run: its values, and its last means or what went wrong."""
    if {"-h", "--help"} & set(words):
        say(HELP)
        return []
    made = read(words)
    needs("torch", "train")
    from lactic.learn.__main__ import settings_of

    runs = made.runs()
    for name, each in runs.items():
        settings_of(each)  # says at once what is wrong
        if (done := _left_by(made.out / name)) and done["words"] != each:
            raise InputError(f"sweep: {made.out / name} was trained by another command; give another --out")
    gpus = _gpus(made)
    spread = len(gpus) > 1 and not made.cluster
    jobs = [
        (each, (made.out / name).absolute(), f"cuda:{k % len(gpus)}" if spread else None)
        for k, (name, each) in enumerate(runs.items())
    ]
    made.out.mkdir(parents=True, exist_ok=True)
    say(f"{len(runs)} runs in {made.out}/")
    got: dict[int, dict[str, Any]] = {}
    for k, means in answers(one, jobs, made.cluster, most=len(gpus) or None, gpus=float(bool(gpus))):
        got[k] = means
        say(f"{len(got)} of {len(runs)}  {list(runs)[k]}  {_line(means)}")
    rows = []
    for k, values in enumerate(itertools.product(*(made.flags[flag] for flag in made.several))):
        rows.append({flag.removeprefix("--"): v for flag, v in zip(made.several, values, strict=True)} | got[k])
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with whole_file(made.out / "sweep.csv") as draft, draft.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, columns)
        table.writeheader()
        table.writerows(rows)
    for line in over_seeds(rows, [flag.removeprefix("--") for flag in made.several]):
        say(line)
    say(f"saved in {made.out / 'sweep.csv'}")
    return rows


def one(words: list[str], folder: Path, device: str | None = None) -> dict[str, Any]:
    """Train one run of a sweep, or go on with it, or read what it left: its last means, or what went wrong.

    It computes with one thread, so that results do not depend on where it runs.
    """
    if done := _left_by(folder):
        return dict(done["means"])
    import torch

    from lactic.learn import checkpoint
    from lactic.learn.__main__ import train

    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    given = [*words, "--out", str(folder)]
    if checkpoint.exists(checkpoint.find(folder)):
        given.append("--resume")
    if device is not None:
        given += ["--device", device]  # the last one counts
    with (folder / "said.txt").open("a", encoding="utf-8", buffering=1) as said:
        try:
            means = train(given, lambda line: print(line, file=said))
        except InputError as error:
            return {"error": str(error)}
        except Exception as error:  # other runs go on
            traceback.print_exc(file=said)
            return {"error": f"{type(error).__name__}: {error}"}
    write_whole(folder / DONE, json.dumps({"words": words, "means": means}))
    return means


def _left_by(folder: Path) -> dict[str, Any] | None:
    path = folder / DONE
    return json.loads(path.read_text()) if path.exists() else None


def over_seeds(rows: list[dict[str, Any]], several: list[str]) -> list[str]:
    """Mean and deviation over seeds for each combination of the other values; nothing where seeds do not differ."""
    if "seed" not in several:
        return []
    others = [name for name in several if name != "seed"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if "error" not in row:
            groups.setdefault(" ".join(f"{name}={row[name]}" for name in others) or "all", []).append(row)
    lines = []
    for name, own in groups.items():
        parts = []
        for mean in (mean for mean in SHOWN if mean in own[0]):
            values = [float(row[mean]) for row in own]
            spread = f" ± {np.std(values, ddof=1):.3g}" if len(values) > 1 else ""
            parts.append(f"{mean} {np.mean(values):.4g}{spread}")
        lines.append(f"{name}: {len(own)} seeds: {', '.join(parts)}")
    return lines


def _line(means: dict[str, Any]) -> str:
    if "error" in means:
        return f"failed: {means['error']}"
    return "  ".join(f"{name} {means[name]:.4g}" for name in SHOWN if name in means)


def _gpus(made: Sweep) -> range:
    """GPUs of this machine that the runs share; of a cluster each run takes one where this machine has some too."""
    import torch

    anywhere = made.flags.get("--device", ["auto"]) in (["auto"], ["cuda"])
    return range(torch.cuda.device_count() if anywhere else 0)
