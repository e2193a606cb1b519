"""The bench an item works at: characters found, trials run once and remembered, clips if there are any."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import lactic
from lactic.body import humanoid
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.lab.episodes import EPISODES, Ask
from lactic.lab.report import Report
from lactic.lab.skills import SKILLS, MeasuredSkill
from lactic.lab.trial import TIRING, Trial, own_fitness, run
from lactic.motion.body_clip import BodyClip
from lactic.motion.fetch import cache_folder
from lactic.motion.read import read
from lactic.motion.retarget import retarget
from lactic.play.progress import progress_bar

CYCLES = ("run", "walk")
"""Fetched clips that are closed to a cycle; the others begin and end standing."""
STANDING = ("idle", "stand")
"""How names of clips without a skill begin."""
ABLATIONS = "ablations"
"""Folder, beside the characters, of those that lack something."""
REMEMBERED = 3 << 30
"""Bytes of trials kept for other items of the same call."""
Made = TypeVar("Made")


@dataclass(frozen=True)
class BrainFamily:
    """A skill's brains: NAME plays tired, NAME-expert is what it was before; others are NAME-SUFFIX."""

    name: str
    home: Path | None = None
    """Folder its brains lie in; None for the shipped ones."""

    @property
    def skill(self) -> MeasuredSkill | None:
        """What it does, from its params.yaml or its name."""
        said = [str(folder.params().get("name")) for folder in (self.transferred, self.expert) if folder is not None]
        for name in (*said, self.name, self.name.split("-")[0]):
            if name in SKILLS:
                return SKILLS[name]
        return None

    @property
    def transferred(self) -> BrainFolder | None:
        """The brain after the transfer."""
        return self.variant("")

    @property
    def expert(self) -> BrainFolder | None:
        """The brain before it."""
        return self.variant("-expert")

    @property
    def fitness(self) -> Fitness:
        """What its body tires by: the fitness that the transferred brain was made for, or the paper's."""
        return TIRING if self.transferred is None else own_fitness(self.transferred)

    def variant(self, suffix: str) -> BrainFolder | None:
        """The brain NAME+suffix, if it exists; ablations lie in a folder of their own, out of everybody else's way."""
        home = self.home or catalogue.SHIPPED
        for folder in (home / (self.name + suffix), home / ABLATIONS / (self.name + suffix)):
            if (folder / "brain.onnx").is_file():
                return BrainFolder(folder.resolve())
        return None


def character(name: str) -> BrainFamily:
    """The character a person named: a shipped one or a folder, with or without the suffix -expert."""
    path = catalogue.find(name).path
    base = path.name.removesuffix("-expert")
    return BrainFamily(base, None if path.parent == catalogue.SHIPPED.resolve() else path.parent)


def clip_folder(given: Path | None) -> Path | None:
    """Where retargeted clips are: as given, or in the cache folder."""
    if given is not None:
        if not given.is_dir():
            raise InputError(f"clips {given}: no such folder")
        return given
    return cache_folder() if any(cache_folder().glob("*.npz")) else None


@dataclass
class Bench:
    """What items share: settings, trials, clips, and a voice."""

    out: Path
    episodes: int = EPISODES
    brains: tuple[str, ...] = ()
    clips: Path | None = None
    seed: int = 0
    threads: int = 0
    database: Path | None = None
    """Motion-matching database, for characters that are steered."""
    motions: tuple[str, ...] = ()
    """Motion files or brains named after the item, for items that compare them."""
    say: Callable[[str], None] = print
    _trials: dict[tuple[str, str], Trial] = field(default_factory=dict)

    def characters(self, *names: str) -> list[BrainFamily]:
        """Those that were named whose skill is among `names` (any skill the item knows), else `names` themselves."""
        if not self.brains:
            return [BrainFamily(name) for name in names]
        given = [character(name) for name in self.brains]
        return [c for c in given if c.name in names or (c.skill is not None and c.skill.name in names)]

    def folders(self, report: Report, *usual: str, advice: str = "") -> list[BrainFolder]:
        """The brains that were named, else the usual ones; the report says which there are not, with advice."""
        found = []
        for name in self.brains or usual:
            try:
                found.append(catalogue.find(name))
            except InputError:
                report.skip(f"no brain '{name}'{advice}")
        return found

    def performers(self, report: Report, *names: str) -> Iterator[tuple[str, BrainFolder, MeasuredSkill]]:
        """Name, tired brain and skill of those characters; the report says which brains there are not."""
        for actor in self.characters(*names):
            if actor.transferred is None or actor.skill is None:
                report.skip(f"{actor.name}: no brain '{actor.name}'")
            else:
                yield actor.name, actor.transferred, actor.skill

    def settings(self) -> dict[str, Any]:
        """What the numbers depend on."""
        return {"episodes": self.episodes, "seed": self.seed, "version": lactic.__version__}

    def watch(self, title: str, work: Callable[[Callable[[float], None]], Made]) -> Made:
        """Do work that tells the share done, with a bar while it lasts and a line when it is over."""
        began = time.perf_counter()
        with progress_bar() as progress:
            task = progress.add_task(title, total=1.0)
            made = work(lambda share: progress.update(task, completed=share))
        self.say(f"{title}, in {time.perf_counter() - began:.0f} s")
        return made

    def trial(self, folder: BrainFolder, ask: Ask) -> Trial:
        """The trial of a brain, run now or before."""
        key = (str(folder.path), repr(ask))
        if key not in self._trials:
            how = f", {ask.spent[0][0]} spent" if ask.spent else ""
            title = f"{folder.name}, {ask.fitness.name}{how}: {ask.episodes} × {ask.seconds:g} s"
            made = self.watch(title, lambda progress: run(folder, ask, self.threads, progress))
            if made.faults:
                self.say(f"  {made.faults} simulations blew up and count as falls")
            self._trials[key] = made
            while len(self._trials) > 1 and sum(t.bytes for t in self._trials.values()) > REMEMBERED:
                del self._trials[next(iter(self._trials))]
        return self._trials[key]

    def trials(
        self, report: Report, actor: BrainFamily, conditions: Iterable[tuple[str, str, Fitness, float]]
    ) -> Iterator[tuple[str, Trial]]:
        """Trials of a character's brains by condition, from (condition, suffix of the brain, fitness, seconds)."""
        for condition, suffix, fitness, seconds in conditions:
            folder = actor.variant(suffix)
            if folder is None:
                report.skip(f"{actor.name}, {condition}: no brain '{actor.name}{suffix}'")
            else:
                yield condition, self.trial(folder, self.ask(seconds, fitness))

    def ask(self, seconds: float, fitness: Any, **more: Any) -> Ask:
        """A trial with the bench's episodes and seed."""
        return Ask(seconds, fitness, **({"episodes": self.episodes, "seed": self.seed} | more))

    def clip(self, name: str) -> BodyClip | None:
        """A retargeted clip NAME.npz, or one that `lactic clips fetch` brought, if there is either."""
        folder = clip_folder(self.clips)
        if folder is not None and (folder / f"{name}.npz").is_file():
            return BodyClip.load(folder / f"{name}.npz")
        fetched = sorted(cache_folder().glob(f"*/humanoid3d_{name}.txt")) if self.clips is None else []
        return _retargeted(fetched[0]) if fetched else None

    def main_clip(self, folder: BrainFolder, skill: MeasuredSkill) -> BodyClip | None:
        """The clip of the skill itself: of those it was trained on, standing left out, the one of largest share."""
        shares = {name: share for name, share in _clips(folder).items() if not name.startswith(STANDING)}
        return self.clip(max(shares, key=lambda name: shares[name]) if shares else skill.clip)

    def reference(self, folder: BrainFolder, skill: MeasuredSkill) -> np.ndarray | None:
        """Joint angles (frame, joint) of the skill's clip, and of its mirror image where that was trained on too.

        Clips of standing are left out: a character that does nothing would be near to them.
        """
        clip = self.main_clip(folder, skill)
        if clip is None:
            return None
        mirrored = (folder.params().get("task") or {}).get("mirror")
        return np.concatenate([part.qpos[:, 7:] for part in ((clip, clip.mirror()) if mirrored else (clip,))])


@cache
def _retargeted(path: Path) -> BodyClip:
    """A fetched clip on the humanoid, as it is used in training."""
    clip, _ = retarget(read(path), humanoid(), fps=30.0, close=path.stem.removeprefix("humanoid3d_") in CYCLES)
    return clip


def _clips(folder: BrainFolder) -> dict[str, float]:
    """Names and shares of the clips a brain was trained on."""
    clips = (folder.params().get("task") or {}).get("clips") or {}
    return dict.fromkeys(clips, 1.0) if isinstance(clips, list) else {str(k): float(v) for k, v in clips.items()}
