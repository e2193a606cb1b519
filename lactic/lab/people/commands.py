"""Commands: whether a fresh character goes as fast as it is asked, how soon it turns, and falls under a user.

A turn is over when the direction of the velocity, seen over a stride, is within 15° of the new one for the first time.
"""

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.people.course import LightTrial, seen, walkers
from lactic.lab.performance import survival
from lactic.lab.pictures import beside_asked
from lactic.lab.report import Report
from lactic.lab.trial import OFF, own_fitness

TITLE = "speeds asked for, quarter turns, and falls under an artificial user"
SPEEDS = (0.0, 0.8, 1.3, 2.0, 2.7, 3.5)
SETTLE, LOOK = 4.0, 10.0
"""Seconds until a speed counts, and for which it does."""
TURNS = {"walking": 1.3, "running": 3.0}
BEFORE, AFTER = 6.0, 6.0
"""Seconds ahead of a turn and after it."""
STRIDE = 0.7
"""Seconds over which the direction of the velocity is seen."""
NEAR = 15.0
USERS, FRESH_MINUTES, TIRED_MINUTES = 64, 20.0, 5.0

EVERY = (2.0, 5.0)
"""Seconds that a wish lasts, drawn evenly."""
STOP = 0.15
"""Share of the wishes that are to stand."""
PACES = ((0.8, 1.6), (2.0, 2.7), (2.7, 3.5))
"""m/s of walking, jogging and running, each as likely as the others."""
RUNNING = 2.0
"""m/s; a wish that is faster, or comes after such a one, turns by no more than a quarter."""


def make(bench: Bench, report: Report) -> None:
    """Rows of every brain that takes a velocity."""
    shown = []
    for folder in walkers(bench, report):
        shown.append((folder.name, [_speed(bench, report, folder, asked) for asked in SPEEDS]))
        for condition, asked in TURNS.items():
            _turn(bench, report, folder, condition, asked)
        _user(bench, report, folder)
    beside_asked(report, SPEEDS, shown)


def _speed(bench: Bench, report: Report, folder: BrainFolder, asked: float) -> statistics.Estimate:
    ask = bench.ask(SETTLE + LOOK, OFF, commands=((0.0, asked, 0.0),), standing=True)
    made = seen(bench, folder, ask, f"{asked:g} m/s")
    condition, found = f"asked {asked:g} m/s", statistics.mean(made.speed(SETTLE, SETTLE + LOOK))
    report.add(folder.name, condition, "survival", survival(made.stood))
    report.add(folder.name, condition, "speed_along", found)
    report.add(folder.name, condition, "off_asked", found.value - asked)
    return found


def _turn(bench: Bench, report: Report, folder: BrainFolder, condition: str, asked: float) -> None:
    """Half of the characters turn left, half right."""
    side = np.where(np.arange(bench.episodes) % 2 == 0, 1.0, -1.0)
    straight, aside = np.array([asked, 0.0]), np.stack([0 * side, asked * side], -1)
    ask = bench.ask(BEFORE + AFTER, OFF, standing=True)
    made = seen(
        bench, folder, ask, f"turn at {asked:g} m/s", command=lambda second: straight if second < BEFORE else aside
    )
    seconds = seconds_to_turn(made, BEFORE, aside)
    up = made.stood
    report.add(folder.name, condition, "survival", survival(made.stood))
    report.add(folder.name, condition, "seconds_to_turn", statistics.mean(seconds))
    report.add(folder.name, condition, "turned", statistics.share(int(np.isfinite(seconds[up]).sum()), int(up.sum())))


def seconds_to_turn(made: LightTrial, at: float, aside: np.ndarray) -> np.ndarray:
    """Seconds from `at` until each goes within 15° of its new way (character, 2), (character,); NaN where it never does
    or has fallen."""
    half = max(1, round(0.5 * STRIDE * made.fps))
    k = np.arange(made.frame(at), len(made.place) - half)
    if not len(k):  # all have fallen before
        return np.full(made.episodes, np.nan)
    moved = (made.place[k + half] - made.place[k - half]).astype(float)
    long = np.linalg.norm(moved, axis=-1) * np.linalg.norm(aside, axis=-1)
    along = (moved * aside).sum(-1)
    near = along > np.cos(np.radians(NEAR)) * np.maximum(long, 1e-9)
    return np.where(near.any(0) & made.stood, near.argmax(0) / made.fps, np.nan)


def _user(bench: Bench, report: Report, folder: BrainFolder) -> None:
    own = own_fitness(folder)
    count = min(bench.episodes, USERS)
    for condition, fitness, minutes in (("user, fresh", OFF, FRESH_MINUTES), ("user, tired", own, TIRED_MINUTES)):
        ask = bench.ask(60 * minutes, fitness, standing=True, episodes=count)
        user = VelocityUser(count, bench.seed)
        made = seen(bench, folder, ask, condition, command=user, get_up=True)
        report.add(folder.name, condition, "falls_in_all", float(made.falls.sum()))
        rate = statistics.ratio(made.falls, np.full(count, minutes))
        report.add(folder.name, condition, "falls_a_minute", rate)
        report.add(folder.name, condition, "never_fell", survival(made.stood))
        report.add(folder.name, condition, "legs_strength", statistics.mean(made.strength.mean(0)))


class VelocityUser:
    """Velocities (character, 2) over time, drawn for each character by itself."""

    def __init__(self, count: int, seed: int = 0):
        self._random = np.random.default_rng(seed)
        self._speed, self._until = np.zeros(count), np.zeros(count)
        self._way = np.zeros(count)

    def __call__(self, second: float) -> np.ndarray:
        """What is asked for at a second; seconds must not go back."""
        due = np.flatnonzero(second >= self._until - 1e-9)
        if len(due):
            draw = self._random
            bounds = np.array(PACES)[draw.integers(len(PACES), size=len(due))]
            speed = np.where(draw.random(len(due)) < STOP, 0.0, draw.uniform(bounds[:, 0], bounds[:, 1]))
            fast = np.maximum(speed, self._speed[due]) > RUNNING
            self._way[due] += draw.uniform(-1, 1, len(due)) * np.where(fast, np.pi / 2, np.pi)
            self._speed[due] = speed
            self._until[due] = second + draw.uniform(*EVERY, len(due))
        return self._speed[:, None] * np.stack([np.cos(self._way), np.sin(self._way)], -1)
