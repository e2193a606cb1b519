"""The verb `lactic tire`."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from lactic.cli.terminal import KEPT, free_folder
from lactic.play.tire.job import tire
from lactic.play.tire.options import TireOptions


@dataclass(frozen=True, kw_only=True)
class Tire(TireOptions):
    """Tire a motion of your own: a BVH, AMASS, DeepMimic or poselib file in, the tired motion on its skeleton out."""

    clip: tyro.conf.Positional[str]
    """a motion file, or the name of a fetched clip."""
    out: Path | None = None
    """folder for the results; by default out/CLIP-tired, or out/CLIP-tired-2 and so on if that is there already."""


def run(wanted: Tire) -> None:
    """Tire a clip, and say what became of it."""
    from lactic.play.tire.summary import lines

    name = f"{Path(wanted.clip).stem}-tired"
    folder = wanted.out if wanted.out is not None else free_folder(Path("out") / name)
    replaces = (folder / KEPT).exists()
    for line in lines(tire(wanted.clip, folder, wanted)):
        print(line)
    print(f"everything is in {folder}/")
    if replaces:
        print(f"files of an earlier run in {folder}/ were replaced")
