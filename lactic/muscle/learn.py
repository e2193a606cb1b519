"""What `lactic strength learn` does: exact samples of a leg, networks fitted to them, and how far they can be trusted.

Everything on the way is kept in OUT/unfinished, and the same command goes on from there; the networks, their card and
accuracy.json appear in OUT together at the end.
"""

import json
import shutil
import textwrap
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lactic.errors import InputError
from lactic.files import output_folder, whole_file, write_whole
from lactic.muscle import accuracy
from lactic.muscle.compact import compact
from lactic.muscle.fit import Recipe, fit
from lactic.muscle.learned import FILES, Network, load
from lactic.muscle.leg import Leg
from lactic.muscle.osim import read_osim
from lactic.muscle.samples import JIANG2019, WIDE, Ranges, correction_samples, effort_samples

SAMPLES, PASSES = 1_000_000, 50
PART = 1 << 15  # samples between two lines of progress
NEAR_WEIGHT = 10.0
"""What an error of R near the boundary counts for. Uniform samples lie 150 Nm outside and would drown it."""
NEAR_SHARE, OUTSIDE = 0.75, 30.0
"""Of R's samples those near the boundary, and up to how far outside (Nm): beyond 20, so that 20 is no edge of them."""
TESTS = 60_000
EVERY = 15.0  # s between lines of progress
Say = Callable[[str], None]


@dataclass(frozen=True)
class NetworkLesson:
    """A network to learn: its samples as a share of those asked for, its passes likewise, and its recipe."""

    name: str
    samples: float
    passes: float
    hidden: tuple[int, ...]
    robust: float = 0.0
    batch: int = 1024


LESSONS = (
    NetworkLesson("R", 1.5, 1.2, (360, 180, 80), batch=2048),
    NetworkLesson("E", 0.5, 0.8, (360, 180, 80), robust=0.02, batch=2048),
    NetworkLesson("passive", 0.2, 1.0, (64, 64), robust=0.02),
)


@dataclass(frozen=True)
class Order:
    """What was asked for; an unfinished folder only goes on with the same."""

    model: str
    side: str
    samples: int
    passes: int
    seed: int


def learn(
    model: str | Path,
    out: str | Path,
    side: str = "r",
    samples: int = SAMPLES,
    passes: int = PASSES,
    seed: int = 0,
    threads: int = 1,
    say: Say = print,
) -> list[accuracy.Row]:
    """Learn the networks of an OpenSim leg into the folder `out`; returns how accurate they are."""
    for name, number in (("samples", samples), ("passes", passes), ("threads", threads)):
        if number < 1:
            raise InputError(f"{name} {number}: must be 1 or more")
    limb = compact(read_osim(model), side)
    torch.set_num_threads(threads)
    order = Order(Path(model).stem, side, samples, passes, seed)
    return learn_limb(limb, (JIANG2019, WIDE), Path(out), order, _credits(Path(model)), say)


def learn_limb(
    limb: Leg, ranges: tuple[Ranges, ...], out: Path, order: Order, credits: str = "", say: Say = print
) -> list[accuracy.Row]:
    """The same for any limb, with samples drawn from all `ranges` in turn and tests from the first."""
    work = _begin(out, order)
    due = tuple(lesson for lesson in LESSONS if not (work / f"{lesson.name}.npz").is_file())
    start, clock = time.perf_counter(), _Clock(order, len(limb.coordinates), due, say)
    made: dict[str, Network] = {}
    for lesson in LESSONS:
        if lesson in due:
            x, y, weight = _samples(limb, ranges, lesson, order, work, say)
            recipe = Recipe(lesson.hidden, clock.passes(lesson), lesson.robust, lesson.batch, seed=order.seed)
            net = fit(x, y, recipe, weight, work / f"{lesson.name}.pt", clock.of(lesson))
            about = asdict(order) | {
                "network": lesson.name,
                "coordinates": limb.coordinates,
                "ranges": [asdict(r) for r in ranges],
                "credits": credits,
            }
            Network(net.layers, about).save(work / f"{lesson.name}.npz")
        made[lesson.name] = load(work / f"{lesson.name}.npz")
    say("measuring against exact answers it has not seen")
    rows = list(_measured(limb, made, ranges[0], order))
    minutes = (time.perf_counter() - start) / 60
    write_whole(work / "accuracy.json", json.dumps(rows, indent=1) + "\n")
    write_whole(work / "card.md", card(order, rows, credits))
    for name in (*(f"{n}.npz" for n in FILES), "accuracy.json", "card.md"):
        (work / name).replace(out / name)
    shutil.rmtree(work)
    say(f"{', '.join(FILES)} are in {out}/ after {minutes:.1f} minutes")
    return rows


def _begin(out: Path, order: Order) -> Path:
    work = output_folder(output_folder(out) / "unfinished")
    path, text = work / "order.json", json.dumps(asdict(order))
    if path.is_file() and path.read_text(encoding="utf-8") != text:
        raise InputError(f"{work}: was begun with other settings, {path.read_text()}; go on with them or remove it")
    write_whole(path, text)
    return work


def _samples(
    limb: Leg, ranges: tuple[Ranges, ...], lesson: NetworkLesson, order: Order, work: Path, say: Say
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Inputs, labels and weights; made once and kept."""
    path = work / f"{lesson.name}-samples.npz"
    if not path.is_file():
        count, parts, start, told = max(int(order.samples * lesson.samples), 1), [], time.perf_counter(), 0.0
        for k, first in enumerate(range(0, count, PART)):
            size, seed = min(PART, count - first), order.seed * 1_000_003 + 7919 * LESSONS.index(lesson) + k
            parts.append(_draw(limb, lesson.name, size, seed, ranges[k % len(ranges)]))
            spent, done = time.perf_counter() - start, first + size
            if spent > told + EVERY or done == count:
                told = spent
                left = _clock(spent / done * (count - done))
                say(f"{lesson.name}: {done:,} of {count:,} samples, {left} left for them")
        x, y, near = (np.concatenate(column) for column in zip(*parts, strict=True))
        with whole_file(path) as temporary:
            np.savez(temporary, x=x, y=y, near=near)
    with np.load(path) as kept:
        weight = np.where(kept["near"], NEAR_WEIGHT, 1.0) if lesson.name == "R" else None
        return kept["x"], kept["y"], weight


def _draw(limb: Leg, name: str, count: int, seed: int, ranges: Ranges) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if name == "passive":
        q, torque = _passive(limb, count, seed, ranges)
        return q.astype(np.float32), torque.astype(np.float32), np.zeros(count, bool)
    if name == "R":
        found = correction_samples(limb, count, NEAR_SHARE, seed, ranges, outside=OUTSIDE)
    else:
        found = effort_samples(limb, count, near=0.3, between=0.4, seed=seed, ranges=ranges)
    return found.inputs.astype(np.float32), found.label.reshape(count, -1).astype(np.float32), found.near


def _passive(limb: Leg, count: int, seed: int, ranges: Ranges) -> tuple[np.ndarray, np.ndarray]:
    q, qd = ranges.states(count, np.random.default_rng(seed))
    return q, limb.pull(q, qd).passive


def _measured(limb: Leg, made: dict[str, Network], ranges: Ranges, order: Order) -> Iterator[accuracy.Row]:
    """Rows about fresh samples, as many as a tenth of those learned from or fewer."""
    count, seed = max(min(TESTS, order.samples // 10), 100), 2**31 + order.seed
    given: dict[str, Any] = {"seed": seed, "ranges": ranges}
    yield from accuracy.correction_rows(made["R"], correction_samples(limb, count, **given))
    yield from accuracy.effort_rows(made["E"], effort_samples(limb, count, **given))
    yield from accuracy.passive_rows(made["passive"], *_passive(limb, count, seed, ranges))


def card(order: Order, rows: list[accuracy.Row], credits: str) -> str:
    """What the networks are, where they come from and how accurate they are."""
    files = (
        f"- `{lesson.name}.npz`: {FILES[lesson.name]}; ELU, hidden layers {'-'.join(map(str, lesson.hidden))}."
        for lesson in LESSONS
    )
    lines = [
        f"# Networks of a leg: {', '.join(FILES)}",
        "",
        f"Made by `lactic strength learn {order.model}.osim`: side {order.side}, samples {order.samples}, "
        f"passes {order.passes}, seed {order.seed}.",
        "Read by `lactic/muscle/learned.py`.",
        "",
        *files,
        *_item(
            "Inputs: q, q̇, τ in rad, rad/s and Nm, with OpenSim's signs. Where a model's legs are mirror images, as "
            "`lactic strength check` tells, the same numbers mean mirrored poses and one set serves both legs."
        ),
        *_item(f"Source: {order.model}.osim. {credits}".rstrip()),
        *_item("These weights are derived from that model and changed; its licence asks for the credit above."),
        "",
        "| network | test samples | accuracy | median error | 95th percentile |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        share = "" if row["accuracy"] is None else f"{row['accuracy']:.1%}"
        unit = "N" if row["network"] == "E" else "Nm"
        lines.append(
            f"| {row['network']} | {row['samples']:,} {row['where']} | {share} | {row['median']:.3g} {unit} | "
            f"{row['p95']:.3g} {unit} |"
        )
    return "\n".join(lines) + "\n"


def _item(text: str) -> list[str]:
    return textwrap.wrap(f"- {text}", 118, subsequent_indent="  ", break_on_hyphens=False)


def _credits(path: Path) -> str:
    found = ET.parse(path).find(".//credits")  # the file has been read whole before
    text = " ".join((found.text or "").split()) if found is not None else ""
    return text.replace("CCBY", "CC BY")  # as gait2392 spells its licence


class _Clock:
    """Lines of progress with the time that all networks still need."""

    def __init__(self, order: Order, coordinates: int, due: tuple[NetworkLesson, ...], say: Say) -> None:
        self.order, self.coordinates, self.due, self.say = order, coordinates, due, say
        self.spent, self.done, self.told = 0.0, 0.0, 0.0

    def passes(self, lesson: NetworkLesson) -> int:
        return max(round(self.order.passes * lesson.passes), 1)

    def work(self, lesson: NetworkLesson) -> float:
        """Of one pass, in multiplications."""
        sizes = (3 * self.coordinates, *lesson.hidden, self.coordinates)
        return lesson.samples * sum(a * b for a, b in pairwise(sizes))

    def of(self, lesson: NetworkLesson) -> Callable[[int, float], None]:
        """What to call after each pass of a lesson."""
        later = sum(self.work(other) * self.passes(other) for other in self.due[self.due.index(lesson) + 1 :])
        before = time.perf_counter()

        def passed(count: int, loss: float) -> None:
            nonlocal before
            now = time.perf_counter()
            self.spent, self.done, before = self.spent + now - before, self.done + self.work(lesson), now
            left = later + self.work(lesson) * (self.passes(lesson) - count)
            if now > self.told + EVERY or count == self.passes(lesson):
                self.told = now
                self.say(
                    f"{lesson.name}: pass {count} of {self.passes(lesson)}, loss {loss:.4g}, about "
                    f"{_clock(self.spent / self.done * left)} left for all networks"
                )

        return passed


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
