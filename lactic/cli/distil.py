"""The verb `lactic distil`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from lactic.errors import needs


@dataclass(frozen=True, kw_only=True)
class Distil:
    """Teach a smaller network what a trained one does, for smaller and faster characters (needs lactic[train])."""

    run: tyro.conf.Positional[str]
    """the folder of a run, or a character (name or folder)."""
    out: Path
    """folder of the new run, for `lactic export` and `lactic train --from`."""
    hidden: tuple[int, ...] = (512, 256)
    """sizes of the new policy's layers."""
    targets: Literal["all", "root", "ends"] = "all"
    """what it is told of a motion: whole poses; or the places of the root, or of root, hands and feet (ends) alone."""
    later: tuple[int, ...] | None = None
    """frames ahead at which it is told poses (by default as the trained one is) or places (by default 15 30 60 90)."""
    held: bool = False
    """the places stay until their time has come, and do not move on with the motion: for far targets."""
    even: bool = False
    """it learns the mean of what the trained one does and of its mirror image: for steps that are uneven."""
    split: str | None = None
    """parts of the library that it learns in, with commas between them, for followers of motions."""
    strict: bool = False
    """it learns to follow motions that wait for nobody, and nothing else."""
    also: tuple[str, ...] = ()
    """further teachers: RUN:SPLIT for motions of a split that wait for nobody, RUN:floor for bodies that get up."""
    practice: str | None = None
    """a recipe or YAML file whose task it practises, with the noise that this has; else those of the trained one."""
    begin: str | None = None
    """a run or a character with the pupil's layers, which sees what the pupil sees: it begins as that, and not anew."""
    clips: Path | None = None
    """folder of the clips it was trained from."""
    rounds: int = 500
    """of practice and correction."""
    minutes: float | None = None
    """how long to teach, in place of rounds."""
    worlds: int = 128
    """simulations side by side."""
    device: str = "cpu"
    """cpu, cuda or warp-cpu."""


def run(wanted: Distil) -> None:
    """Teach, and say where the pupil is."""
    needs("torch", "train")
    from lactic.learn.distil import distil

    options = dict(vars(wanted))
    print(f"saved in {distil(options.pop('run'), options.pop('out'), **options)}")
