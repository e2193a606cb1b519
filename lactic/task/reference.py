"""Clips as tables: states to start from, and pairs of features for the discriminator."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from lactic import body as bodies
from lactic.body import Body
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.knees import straightened
from lactic.motion.standing import NAME as STAND
from lactic.motion.standing import standing
from lactic.task.observe import Observer
from lactic.task.settings import StyleTaskSettings

T = TypeVar("T", bound="Starts")


@dataclass
class Starts:
    """States that episodes may start in, as tables on a device: a row a state."""

    qpos: Tensor
    qvel: Tensor
    features: Tensor
    """What is seen of each."""

    def draw(self, uniform: Tensor) -> Tensor:
        """Indices of start states for numbers in [0, 1)."""
        return (uniform * len(self.qpos)).long().clamp(max=len(self.qpos) - 1)

    def examples(self, count: int = 16) -> dict[str, list[list[float]]]:
        """A few start states as plain numbers, drawn at even odds: for hosts that have no clip."""
        rows = self.draw((torch.arange(count, device=self.qpos.device) + 0.5) / count)
        numbers = {"qpos": self.qpos[rows], "qvel": self.qvel[rows]}
        return {name: [[round(x, 5) for x in row] for row in table.tolist()] for name, table in numbers.items()}

    def to(self: T, device: torch.device) -> T:
        """The tables on a device."""
        held = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return replace(self, **{name: table.to(device) for name, table in held.items() if hasattr(table, "to")})


@dataclass
class Reference(Starts):
    """Start states and their features, with cumulative weights to draw them by; pairs (P, 2·features) to imitate."""

    odds: Tensor
    """Cumulative share of each start state, and of each pair."""
    pairs: Tensor
    speed: float = 0.0
    """Mean speed of the root over the floor, m/s."""
    fastest: float = 0.0
    """The same of the fastest clip."""
    turn: Tensor = field(default_factory=lambda: torch.zeros(3))
    """Axis, in the root's frame, about which the clip that turns over most does so, over its fastest spin there, s."""

    def draw(self, uniform: Tensor) -> Tensor:
        """Indices of start states or pairs for numbers in [0, 1)."""
        return torch.searchsorted(self.odds, uniform).clamp(max=len(self.odds) - 1)

    def shown(self, rows: Tensor) -> Tensor:
        """Pairs to imitate, by number."""
        return self.pairs.index_select(0, rows)


def from_clips(clips: Mapping[BodyClip, float], observer: Observer, control_rate: float, substeps: int) -> Reference:
    """Tables of the clips at the physics rate: pairs lie one control step apart, at every phase of it."""
    parts: list[tuple[Tensor, ...]] = []
    fastest, most, turn = 0.0, 0.0, torch.zeros(3)
    for clip, share in clips.items():
        fine = clip.resample(control_rate * substeps)
        cycle = fine.frames - 1 if fine.cyclic else fine.frames
        last = cycle if fine.cyclic else cycle - substeps
        if last < 1:
            raise InputError(f"clip '{clip.name}': {clip.seconds:.2f} s is shorter than two control steps")
        places, _ = fine.positions()
        qpos, qvel, xpos = (torch.tensor(x, dtype=torch.float32) for x in (fine.qpos, fine.qvel(), places))
        seen = observer.features(qpos, qvel, xpos)
        first = torch.arange(last)
        pairs = torch.cat([seen[first], seen[(first + substeps) % cycle]], dim=1)
        qpos[:, :2] = 0.0
        fastest = max(fastest, float(qvel[:last, :2].norm(dim=1).mean()))
        spin = qvel[:last, 3:6]
        if (turned := float(spin.mean(0).norm()) * clip.seconds) > most:
            axis = spin.mean(0) / spin.mean(0).norm()
            most, turn = turned, axis / (spin @ axis).max()
        parts.append((qpos[:last], qvel[:last], seen[:last], pairs, torch.full((last,), share / last)))
    qpos, qvel, seen, pairs, weight = (torch.cat(column) for column in zip(*parts, strict=True))
    odds = torch.cumsum(weight.double() / weight.double().sum(), 0).float()
    speed = float((qvel[:, :2].norm(dim=1) * weight).sum() / weight.sum())
    return Reference(qpos, qvel, seen, odds, pairs, speed, fastest, turn)


def from_rest(
    body: Body, count: int = 256, spread: float = 0.1, turn: float = np.pi, forward: float = 0.0
) -> Reference:
    """Start states about the rest pose, for bodies without clips: joints and speeds disturbed a little.

    Headings lie within ± `turn` of the x axis; speeds along it are added, up to `forward`.
    """
    draw, qpos = np.random.default_rng(0), np.tile(body.rest, (count, 1))
    heading = draw.uniform(-turn, turn, count)
    qpos[:, 3], qpos[:, 6] = np.cos(heading / 2), np.sin(heading / 2)
    qpos[:, 7:] = np.clip(qpos[:, 7:] + draw.uniform(-spread, spread, qpos[:, 7:].shape), *body.range.T)
    qvel = draw.uniform(-spread, spread, (count, body.model.nv))
    if forward:
        qvel[:, 0] += draw.uniform(0.0, forward, count)
    return from_states(torch.tensor(qpos, dtype=torch.float32), torch.tensor(qvel, dtype=torch.float32), body)


def from_states(qpos: Tensor, qvel: Tensor, body: Body) -> Reference:
    """States of a motion in no order, each as likely as any other."""
    at, _ = BodyClip(body.name, 1.0, qpos.double().numpy()).positions()
    seen = Observer(body).features(qpos, qvel, torch.tensor(at, dtype=torch.float32))
    odds = torch.cumsum(torch.full((len(qpos),), 1.0 / len(qpos), dtype=torch.float64), 0).float()
    speed, mean = float(qvel[:, :2].norm(dim=1).mean()), qvel[:, 3:6].mean(0)
    along = qvel[:, 3:6] @ (axis := mean / mean.norm().clamp(min=1e-6))
    turn = axis / along.max().clamp(min=1e-6)
    return Reference(qpos, qvel, seen, odds, torch.cat([seen, seen], dim=1), speed, speed, turn)


def find_clips(
    shares: Mapping[str, float], folder: Path, body: str, mirror: bool = False, straighten: bool = False
) -> dict[BodyClip, float]:
    """Load `<folder>/<name>.npz` for every name, and with `mirror` their reflections; `stand` needs no file."""
    found: dict[BodyClip, float] = {}
    for name, share in shares.items():
        path = folder / f"{name}.npz"
        if path.is_file():
            clip = BodyClip.load(path)
        elif name == STAND:
            clip = standing(bodies.get(body))
        else:
            there = ", ".join(sorted(p.stem for p in folder.glob("*.npz"))) or "none"
            raise InputError(f"{path}: no such clip (clips there: {there}); give another folder of clips")
        if clip.body_name != body:
            raise InputError(f"{path}: a clip of the body '{clip.body_name}', but the task is for '{body}'")
        parts = straightened(clip) if straighten else [clip]
        for part in parts:
            found[part] = float(share) * part.frames / sum(p.frames for p in parts)
            if mirror:
                found[part.mirror()] = found[part]
    if not found:
        raise InputError("task.clips: name at least one clip, such as {run: 1}")
    return found


def clips_of(settings: StyleTaskSettings, folder: Path) -> Reference:
    """Tables of the clips that a task imitates, found in a folder."""
    found = find_clips(settings.clips, folder, settings.body, settings.mirror, settings.straighten)
    return from_clips(found, Observer(bodies.get(settings.body)), settings.control_rate, settings.substeps)
