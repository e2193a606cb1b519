"""Making a library of muscle-man clips from motion files, as a list of trials says."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml

from lactic.errors import InputError
from lactic.motion.clip import Clip
from lactic.motion.man.clips import ManLibrary, cycled, velocities
from lactic.motion.man.retarget import onto_man
from lactic.motion.reading import read_text

FINE = 3
"""Frames in one of the library's while cycles are sought: a stride is seldom a whole number of 20ths of a second."""
FASTEST = 30.0
"""rad/s; a joint that turns faster than that for a frame has jumped from one way round to the other."""
LENGTH = 11.0  # s that a cyclic clip goes on


@dataclass(frozen=True)
class ClipList:
    """Which clips a library holds."""

    whole: tuple[str, ...] = ()
    """Clips as they are; with nothing in `whole` and `cycle`, every file."""
    cycle: tuple[str, ...] = ()
    """Clips of which one cycle goes on and on."""
    splits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Those that are not for training, by what they are for."""
    fps: dict[str, float] = field(default_factory=dict)
    """True frame rates of files that tell a wrong one."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every clip that is named."""
        return (*self.whole, *self.cycle)


def lists() -> list[str]:
    """Names of the lists that ship."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.yaml"))


def read_list(name: str | Path | None) -> ClipList:
    """A YAML file with the fields of `ClipList`, or a list that ships, by name; None takes every file."""
    if name is None:
        return ClipList()
    path = Path(__file__).parent / f"{name}.yaml" if str(name) in lists() else Path(name)
    if not path.is_file():
        raise InputError(f"{name}: no such list of clips; there are: {', '.join(lists())}")
    try:
        held = yaml.load(read_text(path), Loader=yaml.BaseLoader) or {}  # 90_05 is a name, no number
        rows = {key: tuple(map(str, held.pop(key, ()))) for key in ("whole", "cycle")}
        splits = {str(key): tuple(map(str, names)) for key, names in held.pop("splits", {}).items()}
        fps = {str(key): float(value) for key, value in held.pop("fps", {}).items()}
    except (yaml.YAMLError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: not a list of clips ({str(error).splitlines()[0]})") from error
    if held:
        raise InputError(f"{path}: unknown entry '{next(iter(held))}'; there are: whole, cycle, splits, fps")
    return ClipList(**rows, splits=splits, fps=fps)


def build(
    clips: Iterable[Clip],
    wanted: ClipList,
    fps: float = 20.0,
    mirror: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> ManLibrary:
    """The clips on the muscle man, each with its mirror image where asked for."""
    made, splits = {}, {}
    of = {name: split for split, names in wanted.splits.items() for name in names}
    for clip in clips:
        split = of.get(clip.name, "train")
        both = (clip, clip.mirror()) if mirror and split == "train" else (clip,)
        for one in both:
            try:
                fine = onto_man(one, FINE * fps)
            except InputError as error:
                say(f"left out: {error}")
                break
            if clip.name in wanted.cycle:
                fine = cycled(fine, FINE * fps, LENGTH)
            if len(fine) < 2 * FINE:
                say(f"left out: clip '{clip.name}': a single pose, no motion")
                break
            if np.abs(velocities(fine[::FINE], fps)[:, 6:]).max() > FASTEST:
                say(f"left out: clip '{clip.name}': a joint jumps")
                break
            made[one.name], splits[one.name] = fine[::FINE], split
    if not made:
        raise InputError("no clip could be used")
    return ManLibrary.of(fps, made, splits)
