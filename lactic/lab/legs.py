"""What a character's legs do in every physics step: torques, ground forces, what muscles could not give, and its cost.

Torques and angles have OpenSim's coordinates and signs (hip flexion, adduction, rotation, knee extension, ankle
dorsiflexion), right leg first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab.episodes import Ask, commands
from lactic.lab.events import phases, smooth
from lactic.lab.trial import OFF
from lactic.muscle.exact import correction
from lactic.muscle.leg import shipped_leg
from lactic.muscle.limit import hinges
from lactic.play.driver import Asked
from lactic.play.fall import FallRule
from lactic.play.player import Player, Strength
from lactic.play.start import start_states

SETTLE = 4.0
"""Seconds from the start that are not looked at."""
SWING = 0.1
"""Seconds a foot must have been in the air for its landing to be a step."""
TOUCHING = 20.0
"""N on a foot that touches the ground: the usual threshold of force plates."""
PLATE = 0.025
"""Seconds over which ground forces are averaged, as measured ones are filtered."""
JUDGED = 20_000
"""Torques of a leg that are judged by exact muscles, spread evenly over all steps."""
FEASIBLE = 3.0
"""Nm; torques within this of what muscles can give count as feasible, as in the paper."""
REST = 1.2
"""W/kg of a body at rest: 3.5 ml of oxygen a minute and kg."""


@dataclass
class Legs:
    """Episodes in physics steps, time first; only those that never fell."""

    fps: float
    mass: float
    angle: np.ndarray
    """(step, episode, leg, coordinate), rad."""
    speed: np.ndarray
    torque: np.ndarray
    """Given by the engine's actuators, Nm."""
    ground: np.ndarray
    """Upward force of the ground on each foot, (step, episode, foot), N, right foot first."""
    root: np.ndarray
    """Place of the root (step, episode, 2), m."""
    stood: int = 0
    """Episodes that lasted."""
    episodes: int = 0
    """Episodes that were tried."""
    metabolic: np.ndarray | None = None
    """J that leg muscles spent in each episode's steps."""

    @property
    def seconds(self) -> float:
        """How long each is."""
        return len(self.torque) / self.fps

    @property
    def distance(self) -> np.ndarray:
        """Metres along the x axis, (episode,)."""
        return self.root[-1, :, 0] - self.root[0, :, 0]

    def landings(self) -> list[list[np.ndarray]]:
        """Steps at which a foot lands after a swing, by episode and foot."""
        found = [[np.zeros(0, int)] * 2 for _ in range(self.ground.shape[1])]
        for foot in range(2):
            air = phases(self.ground[..., foot] < TOUCHING, max(1, round(SWING * self.fps)), gap=1)
            whole = air.where((air.start > 0) & (air.end < len(self.ground)))
            for episode, own in enumerate(found):
                own[foot] = whole.end[whole.episode == episode]
        return found

    def strides(self) -> list[tuple[int, int, int, int]]:
        """From a foot's landing to its next: (episode, foot, first step, step after the last)."""
        return [
            (episode, foot, int(a), int(b))
            for episode, feet in enumerate(self.landings())
            for foot, at in enumerate(feet)
            for a, b in pairwise(at)
        ]

    def per_episode(self, of: Callable[[int, int, int, int], float]) -> np.ndarray:
        """Mean over an episode's strides of a quantity, (episode,); NaN where there are none."""
        values: list[list[float]] = [[] for _ in range(self.ground.shape[1])]
        for stride in self.strides():
            values[stride[0]].append(of(*stride))
        return np.array([np.mean(own) if own else np.nan for own in values])

    def peak(self, coordinate: int, sign: float) -> np.ndarray:
        """Mean over strides of the largest torque in a direction, Nm/kg, (episode,)."""
        return self.per_episode(lambda e, f, a, b: (sign * self.torque[a:b, e, f, coordinate]).max() / self.mass)

    def ground_peak(self) -> np.ndarray:
        """Mean over strides of the largest vertical force on a foot, in body weights, (episode,)."""
        felt = smooth(self.ground, round(PLATE * self.fps)) / (9.81 * self.mass)
        return self.per_episode(lambda e, f, a, b: felt[a:b, e, f].max())

    def cadence(self) -> np.ndarray:
        """Steps a minute, (episode,): two in a foot's stride."""
        return 120.0 * self.fps / self.per_episode(lambda e, f, a, b: b - a)

    def duty(self) -> np.ndarray:
        """Share of a stride that its foot is on the ground: above a half walking, below it running."""
        return self.per_episode(lambda e, f, a, b: float((self.ground[a:b, e, f] >= TOUCHING).mean()))

    def curve(self, coordinate: int, points: int = 101) -> np.ndarray:
        """Torque over the stride from landing to landing, (stride, point), Nm/kg."""
        rows = [
            np.interp(np.linspace(a, b - 1, points), np.arange(a, b), self.torque[a:b, e, f, coordinate])
            for e, f, a, b in self.strides()
        ]
        return np.array(rows).reshape(-1, points) / self.mass

    def work(self) -> np.ndarray:
        """Positive work of the leg joints for each kg and metre, J/kg/m, (episode,)."""
        power = np.maximum(self.torque * self.speed, 0.0).sum((2, 3))
        return power.sum(0) / self.fps / (self.mass * np.maximum(self.distance, 1e-6))

    def beyond(self) -> tuple[np.ndarray, np.ndarray]:
        """What exact muscles could not have given of the torques given: share of time and mean Nm, (episode,)."""
        count = max(1, JUDGED // max(2 * self.torque.shape[1], 1))
        rows = np.unique(np.linspace(0, len(self.torque) - 1, count).astype(int))
        shape = self.angle[rows].shape
        q, qd, torque = (x[rows].reshape(-1, shape[-1]) for x in (self.angle, self.speed, self.torque))
        lacking = np.linalg.norm(correction(shipped_leg().pull(q, qd), torque).torque, axis=1).reshape(shape[:3])
        return (lacking > FEASIBLE).mean((0, 2)), lacking.mean((0, 2))


class Gauge:
    """Stands between a player and its muscles, and notes every physics step."""

    def __init__(self, player: Player, steps: int):
        self.player, self.inner, self.at = player, player.muscles, 0
        body, count = player.body, player.world.count
        index, self._sign = hinges(body, shipped_leg())
        self._legs, self._feet = index.reshape(-1), [body.bodies.index(f"{s}_foot") for s in ("right", "left")]
        self.angle, self.speed, self.torque = (np.zeros((steps, count, 2, 5), np.float32) for _ in range(3))
        self.ground, self.root = (np.zeros((steps, count, 2), np.float32) for _ in range(2))
        self._open = False
        player.muscles = self

    def drive(self, *law: Any) -> None:
        """Hand on the PD law."""
        self.inner.drive(*law)

    def __call__(self, world: Any) -> None:
        """Ahead of a physics step: note the state, and what the step before gave."""
        self.close()
        shape = self.angle.shape[1:]
        self.angle[self.at] = world.qpos[:, 7 + self._legs].reshape(shape) * self._sign
        self.speed[self.at] = world.qvel[:, 6 + self._legs].reshape(shape) * self._sign
        self.root[self.at] = world.qpos[:, :2]
        self._open = True
        self.inner(world)

    def close(self) -> None:
        """Note what the last physics step gave."""
        if self._open:
            world, shape = self.player.world, self.angle.shape[1:]
            self.torque[self.at] = world.force[:, self._legs].reshape(shape) * self._sign
            self.ground[self.at] = world.ground[:, self._feet, 2]
            self.at, self._open = self.at + 1, False


@lru_cache(maxsize=4)
def ride(folder: BrainFolder, seconds: float, episodes: int, seed: int, threads: int = 0) -> Legs:
    """Play a brain at full strength, its legs bounded as in training and judged by exact muscles."""
    brain = folder.load(threads or 1)
    info = brain.info
    own: Strength = "muscle" if info.host == "muscle" else "judge"
    player = Player(brain, OFF, episodes, threads, own, contacts=True)
    start = start_states(folder, player.body, episodes, seed)
    told = commands(folder, info, Ask(seconds, OFF, seed=seed), start[0])
    driver = Asked(player, lambda: told(player.second), FallRule.of(folder, player.body), start)
    frames, first = round(seconds * info.control_rate), round(SETTLE * info.control_rate)
    gauge, fell = Gauge(player, frames * info.substeps), np.zeros(episodes, bool)
    spent = np.zeros((2, episodes))
    for k in range(frames):
        if k == min(first, frames - 1):
            spent[0] = [gauge.inner.report(w)["metabolic_J"] for w in range(episodes)]
        driver.step()
        fell |= driver.fallen()
        if fell.all():
            break
    gauge.close()
    spent[1] = [gauge.inner.report(w)["metabolic_J"] for w in range(episodes)]
    part = slice(min(first, frames - 1) * info.substeps, gauge.at), ~fell
    return Legs(
        info.physics_rate,
        float(player.body.model.body_mass.sum()),
        gauge.angle[part],
        gauge.speed[part],
        gauge.torque[part],
        gauge.ground[part],
        gauge.root[part],
        int((~fell).sum()),
        episodes,
        (spent[1] - spent[0])[~fell],
    )
