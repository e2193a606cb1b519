"""Skills: kicks, hops, cartwheels and backflips over two minutes, with rests, and less of them as strength goes."""

from itertools import pairwise

import numpy as np

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.events import Phases, mean_by_episode
from lactic.lab.performance import falls, survival, typical
from lactic.lab.pictures import BLUE, GREEN, dress, panels, strip
from lactic.lab.report import Report
from lactic.lab.skills import MeasuredSkill, event_values
from lactic.lab.trial import TIRED_SECONDS, Trial, own_fitness

TITLE = "skills that are repeated, rested from, and repeated again"
NAMES = ("kick", "hop", "cartwheel", "backflip")
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Of the body's mean residual capacity."""
WINDOW = 10.0
"""Seconds in which repetitions are counted to compare their number with strength."""
RESTS = 2


def make(bench: Bench, report: Report) -> None:
    """Survival, rests, and height and number of repetitions by strength, at the fitness each brain was made for."""
    shown = []
    for actor in bench.characters(*NAMES):
        folder, skill = actor.transferred, actor.skill
        if folder is None or skill is None:
            report.skip(f"{actor.name}: no brain '{actor.name}'")
            continue
        fitness = own_fitness(folder)
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness))
        found, strength = skill.repetitions(trial), trial.capacity.mean(-1)
        height = heights(trial, skill, found)
        _whole(report, actor.name, fitness.name, trial, found, strength, height)
        _bins(report, actor.name, trial, found, strength, height)
        shown.append((actor.name, trial, found, strength, height))
        report.pictures[actor.name] = strip(trial, typical(trial, found), count=20, travel=False)
    axes = panels(report, len(shown), 2, width=11, height=2.4)
    for (left, right), (name, trial, found, strength, height) in zip(axes, shown, strict=True):
        left.plot(strength[found.start, found.episode], height, ".", color=BLUE, ms=2, alpha=0.3)
        left.set_xlabel("strength left")
        dress(left, f"{name}: height of each repetition", "m")
        middle, rate = 0.5 * (np.array(BINS[1:]) + BINS[:-1]), [rate_in(trial, found, strength, k) for k in _each_bin()]
        right.plot(middle, [e.value for e in rate], "o-", color=GREEN)
        right.vlines(middle, [e.low for e in rate], [e.high for e in rate], color=GREEN, lw=2)
        right.set_xlabel("strength left")
        dress(right, f"{name}: repetitions", "a minute")


def heights(trial: Trial, skill: MeasuredSkill, found: Phases) -> np.ndarray:
    """How high each repetition goes, m: its own measure, or that of the lowest point (backflips) or of a foot."""
    own = event_values(found).get("height")
    if own is not None:
        return np.asarray(own)
    high = trial.lowest if skill.name == "backflip" else trial.foot_height().max(-1)
    return found.most(high)


def rests_followed(rest: Phases, strength: np.ndarray, repetition: Phases) -> Phases:
    """Rests in which strength (frame, episode) rises, with a repetition before the next rest of the same episode."""
    gain = strength[rest.end - 1, rest.episode] - strength[rest.start, rest.episode]
    followed = np.zeros(len(rest), bool)
    for k in range(len(rest)):
        last = k + 1 == len(rest) or rest.episode[k + 1] != rest.episode[k]
        until = np.inf if last else rest.start[k + 1]
        own = repetition.start[repetition.episode == rest.episode[k]]
        followed[k] = ((own >= rest.end[k] - 1) & (own < until)).any()
    return rest.where((gain > 0) & followed)


def _whole(
    report: Report,
    subject: str,
    condition: str,
    trial: Trial,
    found: Phases,
    strength: np.ndarray,
    height: np.ndarray,
) -> None:
    report.add(subject, condition, "survival", survival(trial.stood))
    falls(report, subject, condition, trial)
    rested = rests_followed(measure.rests(trial), strength, found).count(trial.episodes)
    enough = int((rested >= RESTS).sum())
    report.add(subject, condition, "two_rests", statistics.share(enough, trial.episodes))
    report.add(subject, condition, "rests_that_help", statistics.mean(rested))
    minutes = trial.alive.sum(0) / trial.fps / 60
    report.add(subject, condition, "repetitions_per_minute", statistics.ratio(found.count(trial.episodes), minutes))
    link = statistics.correlation(height, strength[found.start, found.episode], found.episode)
    report.add(subject, condition, "height_follows_strength", link)
    report.add(subject, condition, "rate_follows_strength", rate_link(trial, found, strength))


def rate_link(trial: Trial, found: Phases, strength: np.ndarray) -> statistics.Estimate:
    """Correlation over stretches of ten seconds of the number of repetitions with the mean strength."""
    wide = round(WINDOW * trial.fps)
    counts, means, episodes = [], [], []
    for a in range(0, len(trial) - wide + 1, wide):
        inside = (found.start >= a) & (found.start < a + wide)
        up = np.flatnonzero(trial.fell_at >= a + wide)
        counts.append(found.where(inside).count(trial.episodes)[up])
        means.append(strength[a : a + wide].mean(0)[up])
        episodes.append(up)
    if not counts:
        return statistics.Estimate(np.nan, np.nan, np.nan, 0)
    x, y = np.concatenate(counts).astype(float), np.concatenate(means).astype(float)
    return statistics.correlation(x, y, np.concatenate(episodes))


def _each_bin() -> list[tuple[float, float]]:
    return list(pairwise(BINS))


def rate_in(trial: Trial, found: Phases, strength: np.ndarray, bounds: tuple[float, float]) -> statistics.Estimate:
    """Repetitions begun in a minute with a strength between two bounds; the upper one belongs to the next bin."""
    inside = (strength >= bounds[0]) & ((strength < bounds[1]) | (bounds[1] == 1.0)) & trial.alive
    begun = found.where(inside[found.start, found.episode]).count(trial.episodes)
    return statistics.ratio(begun, inside.sum(0) / trial.fps / 60)


def _bins(report: Report, subject: str, trial: Trial, found: Phases, strength: np.ndarray, height: np.ndarray) -> None:
    at = strength[found.start, found.episode]
    for low, high in _each_bin():
        condition = f"strength {100 * low:g} to {100 * high:g} %"
        report.add(subject, condition, "repetitions_per_minute", rate_in(trial, found, strength, (low, high)))
        chosen = (at >= low) & ((at < high) | (high == 1.0))
        values = mean_by_episode(found.episode, height, trial.episodes, chosen)
        report.add(subject, condition, "height", statistics.mean(values))
