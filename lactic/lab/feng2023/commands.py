"""Speed and heading: whether it goes as fast as it is asked, how soon it turns, and falls under an artificial user."""

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.feng2023.players import brains, led, ride
from lactic.lab.people.commands import VelocityUser
from lactic.lab.pictures import beside_asked
from lactic.lab.report import ANY, Report
from lactic.lab.trial import OFF

TITLE = "speeds asked for, quarter turns, and falls under an artificial user"
SPEEDS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
SETTLE, LOOK = 4.0, 6.0
BEFORE, AFTER, PACE, NEAR = 4.0, 5.0, 1.5, 15.0
"""Seconds ahead of a turn and after it; m/s; degrees from the new way at which it is over."""
USERS, MINUTES, FASTEST = 16, 5.0, 3.0
TARGETS = {
    (ANY, "speed_error_m_s"): (None, 0.3),
    ("quarter turn", "seconds_to_turn"): (None, 2.0),
    ("user", "falls_in_5_minutes"): (None, 1.0),
}


def make(bench: Bench, report: Report) -> None:
    """Rows of every brain that is asked for a velocity; fresh bodies that stay so, but under the user."""
    shown = []
    for folder in brains(bench, report, "velocity", "muscle-steer"):
        shown.append((folder.name, _speeds(bench, report, folder)))
        _turn(bench, report, folder)
        _user(bench, report, folder)
    beside_asked(report, SPEEDS, shown)


def _speeds(bench: Bench, report: Report, folder: BrainFolder) -> list[statistics.Estimate]:
    each = max(bench.episodes // len(SPEEDS), 1)
    asked = np.repeat(SPEEDS, each)
    wish = np.stack([asked, 0 * asked], -1)
    made = ride(bench, f"{folder.name}, speeds", led(bench, folder, len(asked), OFF, lambda _: wish), SETTLE + LOOK)
    along, found = made.along(np.array([1.0, 0.0]), SETTLE, SETTLE + LOOK), []
    for speed in SPEEDS:
        own, condition = asked == speed, f"asked {speed:g} m/s"
        found.append(statistics.mean(along[own]))
        report.add(folder.name, condition, "share_up", statistics.share(int(made.up[own].sum()), int(own.sum())))
        report.add(folder.name, condition, "speed_m_s", found[-1])
        report.add(folder.name, condition, "speed_error_m_s", statistics.mean(np.abs(along[own] - speed)))
    return found


def _turn(bench: Bench, report: Report, folder: BrainFolder) -> None:
    """Half of the characters turn left, half right."""
    count = bench.episodes
    side = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    aside = PACE * np.stack([0 * side, side], -1)
    straight = np.tile([PACE, 0.0], (count, 1))
    driver = led(bench, folder, count, OFF, lambda second: straight if second < BEFORE - 1e-6 else aside)
    made = ride(bench, f"{folder.name}, quarter turn", driver, BEFORE + AFTER)
    now = made.velocity()[round(BEFORE * made.fps) :]
    long = np.linalg.norm(now, axis=-1) * PACE
    near = (now * aside).sum(-1) > np.cos(np.radians(NEAR)) * np.maximum(long, 0.2 * PACE)
    seconds = np.where(near.any(0) & made.up, near.argmax(0) / made.fps, np.nan)
    report.add(folder.name, "quarter turn", "share_up", statistics.share(int(made.up.sum()), count))
    report.add(folder.name, "quarter turn", "seconds_to_turn", statistics.mean(seconds))
    report.add(folder.name, "quarter turn", "turned", statistics.share(int(np.isfinite(seconds).sum()), count))


def _user(bench: Bench, report: Report, folder: BrainFolder) -> None:
    count = min(USERS, bench.episodes)
    user = VelocityUser(count, bench.seed)

    def wish(second: float) -> np.ndarray:
        asked = user(second)
        fast = np.linalg.norm(asked, axis=-1, keepdims=True)
        return asked * np.minimum(1.0, FASTEST / np.maximum(fast, 1e-9))  # training asks for no more

    minutes = MINUTES if bench.episodes >= USERS else 1.0
    made = ride(bench, f"{folder.name}, user", led(bench, folder, count, None, wish), 60 * minutes, get_up=True)
    rate = statistics.ratio(made.falls * 5.0, np.full(count, minutes))
    report.add(folder.name, "user", "falls_in_5_minutes", rate)
    report.add(folder.name, "user", "never_fell", statistics.share(int((made.falls == 0).sum()), count))
