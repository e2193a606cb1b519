"""Progress: a line for people, log.jsonl for programs, TensorBoard where it is installed, a table at the end."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from lactic.brain import catalogue
from lactic.learn.clock import Clock
from lactic.learn.trainer import Trainer

ROLLOUT, UPDATE = ("policy", "task"), ("advantages", "update", "statistics")


class Journal:
    """What a run says of itself, into `folder` and to `say`."""

    def __init__(self, folder: Path, say: Callable[[str], None]):
        self.folder, self.say = folder, say
        self.log = (folder / "log.jsonl").open("a", encoding="utf-8")
        self.board: Any = None
        try:
            from torch.utils.tensorboard import SummaryWriter

            self.board = SummaryWriter(str(folder / "tensorboard"))
        except ImportError:
            pass

    def line(self, trainer: Trainer, means: dict[str, float], clock: Clock) -> None:
        """One line of progress."""
        faults = trainer.task.arena.world.check()
        row = {
            "samples": trainer.samples,
            "seconds": clock.before + clock.spent,
            "steps_per_s": clock.speed(),
            "faults": faults,
            **means,
        }
        self.keep(row, means, trainer.samples)
        lost = f"  {faults} lost" if faults else ""
        self.say(progress_line(trainer.samples, clock.speed(), means, clock.left()) + lost)

    def keep(self, row: dict[str, float], means: dict[str, float], samples: int) -> None:
        """A row of the log, and its means for TensorBoard."""
        self.log.write(json.dumps(row) + "\n")
        self.log.flush()
        if self.board is not None:
            for name, value in means.items():
                self.board.add_scalar(name, value, samples)

    def table(self, rows: Sequence[tuple[str, str]]) -> None:
        """The last words of a run."""
        for name, value in [*rows, ("saved in", str(self.folder))]:
            self.say(f"{name:>16}  {value}")
        self.log.close()
        if self.board is not None:
            self.board.close()

    def close(self, trainer: Trainer, clock: Clock, profile: bool) -> None:
        """The table at the end."""
        shares, seconds = trainer.watch.shares(), trainer.watch.seconds
        rollout, update = (sum(shares.get(name, 0.0) for name in names) for names in (ROLLOUT, UPDATE))
        rows = [
            ("samples", f"{trainer.samples / 1e6:.2f} M in {trainer.iteration} iterations"),
            ("time", f"{clock.before + clock.spent:.1f} s"),
            ("speed", f"{clock.speed() / 1e3:.1f} k control steps/s"),
            ("physics", f"{shares.get('physics', 0.0):.0%}"),
            ("policy and task", f"{rollout:.0%}"),
            ("update", f"{update:.0%}"),
        ]
        if profile:
            rows += [(phase, f"{seconds[phase]:.2f} s, {share:.1%}") for phase, share in shares.items()]
            rows.append(("physics alone", f"{clock.taken / max(seconds.get('physics', 0.0), 1e-9) / 1e3:.1f} k/s"))
            if trainer.device.type == "cuda":
                rows.append(("memory", f"{torch.cuda.max_memory_reserved() / 2**30:.1f} GiB, physics not counted"))
        self.table(rows)


def time_needed(recipe: str, speed: float) -> str | None:
    """How long a recipe takes at so many control steps a second, by the brain made of it that ships, if one does."""
    for name in (recipe, f"{recipe}-expert"):
        if name not in catalogue.names():
            continue
        samples = catalogue.find(name).load().info.samples
        hours = samples / speed / 3600
        spent = f"{hours / 24:.1f} days" if hours > 48 else f"{hours:.1f} hours"
        return f"{name}, which ships, took {samples / 1e6:.0f} M control steps: {spent} at the speed of this machine"
    return None


def progress_line(samples: int, speed: float, means: dict[str, float], left: float) -> str:
    """What a person wants to see a few times a minute."""
    parts = [f"{samples / 1e6:8.2f} M", f"{speed / 1e3:6.1f} k/s", f"reward {means['reward']:6.3f}"]
    if "d_agent" in means:
        parts.append(f"D agent {means['d_agent']:.2f} clip {means['d_clip']:.2f}")
    parts += [f"length {means['episode']:5.1f}", f"falls {means['fell']:6.2%}", f"speed {means['speed']:5.2f} m/s"]
    if means.get("help"):
        parts.append(f"help {means['help']:4.0%}")
    if means["capacity"] < 1.0:
        parts.append(f"strength {means['capacity']:4.0%}")
    if left != float("inf"):
        parts.append(f"{int(left) // 60}:{int(left) % 60:02d} left")
    return "  ".join(parts)
