"""Runs of MuscleVAE and of its high-level policy, from their settings to their last checkpoint."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lactic.errors import InputError
from lactic.files import fresh_folder
from lactic.learn import checkpoint, config
from lactic.learn.clock import Clock
from lactic.learn.journal import Journal
from lactic.learn.run import train_on
from lactic.learn.vae.expert import ExpertTrainer
from lactic.learn.vae.pupil import PupilTrainer
from lactic.learn.vae.reward import RewardTrainer
from lactic.learn.vae.settings import GuideSettings, VaeSettings
from lactic.learn.vae.steer import SteerTrainer
from lactic.learn.vae.steer_reward import SteerRewardTrainer
from lactic.learn.vae.trainer import VaeTrainer, simulated
from lactic.motion.fetch import cache_folder
from lactic.motion.man import ManLibrary
from lactic.stopping import StopRequest

KINDS: dict[str, type[VaeTrainer]] = {
    "model": VaeTrainer,
    "reward": RewardTrainer,
    "expert": ExpertTrainer,
    "pupil": PupilTrainer,
}
"""How a run learns, by the setting `by`."""
GUIDES: dict[str, type[SteerTrainer] | type[SteerRewardTrainer]] = {"model": SteerTrainer, "reward": SteerRewardTrainer}
"""The same of its high-level policy."""
SHOWN = {
    "hold": "holds {:6.1f} steps",
    "off": "head {:.3f} m off",
    "reward": "pay {:.3f}",
    "loss": "loss {:6.3f}",
    "aim": "off the expert {:.3f}",
    "kl": "KL {:.3f}",
    "mistake": "model {:.3f}",
    "still": "of {:.3f}",
    "fall": "fall {:.3f}",
    "falls": "{:.3f} falls a second",
    "heading": "heading {:.2f} rad",
    "speed": "speed {:.2f} m/s",
}
"""Means that a person sees, and how."""


def clips_of(settings: VaeSettings, clips: str | Path | None) -> ManLibrary:
    """The clips of a run: a path, or a file in the clips folder; those for training unless some are named."""
    path = Path(settings.library)
    if not path.exists():
        path = Path(clips or cache_folder()) / settings.library
    library = ManLibrary.load(path)
    return library.choose(names=settings.only) if settings.only else library.choose(splits=("train",))


def make(settings: VaeSettings | GuideSettings, clips: str | Path | None = None) -> VaeTrainer | SteerTrainer:
    """The trainer of these settings."""
    kinds = GUIDES if isinstance(settings, GuideSettings) else KINDS
    if settings.by not in kinds:
        raise InputError(f"by {settings.by}: must be {', '.join(kinds)}")
    if isinstance(settings, GuideSettings):
        own = config.read_as(VaeSettings, Path(settings.vae) / "params.yaml")
        men, device = simulated(settings, settings.worlds, own.fitness)
        return GUIDES[settings.by](settings, own, clips_of(own, clips), men, device)
    men, device = simulated(settings, settings.worlds, settings.fitness)
    return KINDS[settings.by](settings, clips_of(settings, clips), men, device)


def train(
    settings: VaeSettings | GuideSettings,
    out: str | Path,
    *,
    minutes: float | None = None,
    iterations: int | None = None,
    resume: bool = False,
    clips: str | Path | None = None,
    profile: bool = False,
    say: Callable[[str], None] = print,
) -> dict[str, float]:
    """Train until the time, the iterations or the person says stop; returns the last means."""
    began = time.perf_counter()
    with fresh_folder(out) as folder:
        held = checkpoint.of_run(folder, resume)
        trainer = make(settings, clips)
        if resume:
            trainer.resume(held)
        config.write(settings, folder / "params.yaml")
    say(f"{settings.name}: {settings.worlds} muscle men on {trainer.device}; {trainer.about}")
    journal = Journal(folder, say)
    stop = StopRequest(lambda: say("stopping after this iteration; the checkpoint will be whole"))
    for _ in range(3):  # fills the buffer, loads kernels and captures graphs: not counted in the speed
        if not stop.asked and (iterations is None or trainer.iteration < iterations):
            trainer.iterate()
    say(f"ready after {time.perf_counter() - began:.1f} s")
    trainer.watch.seconds.clear()
    clock = Clock(trainer, minutes, iterations)

    def tell(means: dict[str, float], again: bool) -> None:
        if not again:
            say(_where(trainer, clock))
        _line(journal, trainer, means, clock)

    means = train_on(trainer, clock, stop, settings.save_every, lambda: trainer.save(held), tell)
    shares = trainer.watch.shares()
    rows = [
        ("samples", f"{trainer.samples / 1e6:.2f} M in {trainer.iteration} iterations"),
        ("time", f"{clock.before + clock.spent:.1f} s"),
        *((phase, f"{share:.0%}") for phase, share in shares.items()),
    ]
    if profile:
        rows.append(("where", _where(trainer, clock)))
    journal.table(rows)
    stop.restore()
    return means


def _where(trainer: Any, clock: Clock) -> str:
    """Where the time of an iteration goes."""
    done = max(trainer.iteration - clock.first, 1)
    parts = ", ".join(f"{phase} {1e3 * spent / done:.0f} ms" for phase, spent in trainer.watch.seconds.items())
    ahead = clock.left() / max(clock.spent / done, 1e-9)
    more = f"; about {ahead:.0f} more in the time left" if ahead != float("inf") else ""
    return f"an iteration: {1e3 * clock.spent / done:.0f} ms ({parts}){more}"


def _line(journal: Journal, trainer: Any, means: dict[str, float], clock: Clock) -> None:
    row = {"iteration": trainer.iteration, "samples": trainer.samples, "seconds": clock.before + clock.spent, **means}
    journal.keep(row, means, trainer.samples)
    parts = [f"{trainer.iteration:6d}", f"{trainer.samples / 1e6:7.2f} M"]
    known = {name: value for name, value in means.items() if value == value}  # what nothing was added to is NaN
    parts += [words.format(known[name]) for name, words in SHOWN.items() if name in known]
    left = clock.left()
    if left != float("inf"):
        parts.append(f"{int(left) // 60}:{int(left) % 60:02d} left")
    journal.say("  ".join(parts))
