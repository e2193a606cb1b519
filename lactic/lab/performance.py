"""The rows most items need: survival, speed, repetitions, decline with fatigue, rest that helps, likeness to a clip."""

import numpy as np

from lactic.lab import measure, statistics
from lactic.lab.distance import Distance, distance
from lactic.lab.events import Phases, mean_by_episode
from lactic.lab.report import Report
from lactic.lab.skills import MeasuredSkill, event_values, in_third
from lactic.lab.statistics import Estimate
from lactic.lab.take import of_clip
from lactic.lab.trial import Trial
from lactic.motion.body_clip import BodyClip

EVERY = 3
"""Distances look at every so many frames: 10 Hz."""


def survival(stood: np.ndarray) -> Estimate:
    """Share of episodes that stood to the end, from which did, (episode,)."""
    return statistics.share(int(stood.sum()), len(stood))


def falls(report: Report, subject: str, condition: str, trial: Trial) -> np.ndarray:
    """A row of when episodes fell, if any did; returns which, (fallen,)."""
    fell = np.flatnonzero(trial.fell_at < trial.frames)
    if len(fell):
        report.add(subject, condition, "seconds_to_fall", statistics.mean(trial.fell_at[fell] / trial.fps))
    return fell


def alive_minutes(trial: Trial) -> np.ndarray:
    """How long each episode lasted, minutes."""
    return np.minimum(trial.fell_at, trial.frames) / trial.fps / 60


def mean_alive(values: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Mean over the frames (frame, episode) that count, (episode,); NaN where none do."""
    frames = alive.sum(0)
    return np.where(frames > 0, (values * alive).sum(0, dtype=float) / np.maximum(frames, 1), np.nan)


def mean_standing(values: np.ndarray, trial: Trial) -> np.ndarray:
    """Mean of values (frame, episode) over each episode, (episode,); NaN where it fell: falls are counted apart."""
    return np.where(trial.stood, values.mean(0, dtype=float), np.nan)


def third(trial: Trial, which: int) -> np.ndarray:
    """Frames of a third of the time asked for, of the episodes that stood to the end, (frame, episode)."""
    inside = 3 * np.arange(len(trial)) // trial.frames == which
    return inside[:, None] & trial.stood


def basics(report: Report, subject: str, condition: str, trial: Trial) -> None:
    """Rows of survival, speed, capacity, sliding feet and jitter."""
    moved = mean_standing(measure.speed(trial.qpos, trial.fps), trial)
    shaken = measure.jitter(trial.qpos[..., 7:], trial.fps, trial.alive)
    report.add(subject, condition, "survival", survival(trial.stood))
    report.add(subject, condition, "fallen", float((~trial.stood).sum()))
    report.add(subject, condition, "speed", statistics.mean(moved))
    report.add(subject, condition, "capacity", statistics.mean(mean_alive(trial.capacity.mean(-1), trial.alive)))
    report.add(subject, condition, "skate", statistics.mean(measure.skate(trial)))
    report.add(subject, condition, "acceleration", statistics.mean(shaken))


def performance(report: Report, subject: str, condition: str, skill: MeasuredSkill, trial: Trial) -> Phases:
    """The basics, and rows of repetitions with what was measured of them; returns the repetitions."""
    basics(report, subject, condition, trial)
    found = skill.repetitions(trial)
    rate = statistics.ratio(found.count(trial.episodes), alive_minutes(trial))
    report.add(subject, condition, "repetitions_per_minute", rate)
    for name in ("height", "length", "jump"):
        if name in event_values(found):
            values = mean_by_episode(found.episode, event_values(found)[name], trial.episodes)
            report.add(subject, condition, name, statistics.mean(values))
    return found


def thirds(trial: Trial, skill: MeasuredSkill, found: Phases) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Each quantity that fatigue may take away, per episode, in the first and in the last third."""
    parts = {"speed": _pair(lambda k: mean_alive(measure.speed(trial.qpos, trial.fps), third(trial, k)))}
    minutes = trial.frames / trial.fps / 180
    stood = np.where(trial.stood, 1.0, np.nan)

    def rate(k: int) -> np.ndarray:
        return stood * found.where(in_third(found, trial.frames, k)).count(trial.episodes) / minutes

    parts["repetitions_per_minute"] = _pair(rate)
    for name, values in event_values(found).items():
        parts[name] = _pair(
            lambda k, v=values: (
                stood * mean_by_episode(found.episode, v, trial.episodes, in_third(found, trial.frames, k))
            )
        )
    if not skill.travels:
        parts.pop("speed")
    return parts


def _pair(of) -> tuple[np.ndarray, np.ndarray]:
    return of(0), of(2)


def with_decline(
    report: Report, subject: str, condition: str, skill: MeasuredSkill, trial: Trial, claimed: bool = False
) -> Phases:
    """Performance, and rows of the first and last third and of the change between them, over episodes that stood.

    `claimed` holds the changes against what the paper says of this skill when tired. Returns the repetitions.
    """
    found = performance(report, subject, condition, skill, trial)
    for name, (first, last) in thirds(trial, skill, found).items():
        way = "lower" if claimed and name in skill.lowered else None
        change(report, subject, condition, name, first, last, way)
    return found


def change(
    report: Report, subject: str, condition: str, name: str, first: np.ndarray, last: np.ndarray, way: str | None
) -> None:
    """Rows of a quantity (episode,) in the first and last third, and of its change; `way` is what the paper finds."""
    report.add(subject, condition, f"{name}_first", statistics.mean(first))
    report.add(subject, condition, f"{name}_last", statistics.mean(last))
    report.add(subject, condition, f"{name}_change", statistics.change(first, last), paper_change=way)


def helpful_rests(report: Report, subject: str, condition: str, trial: Trial, found: Phases) -> Phases:
    """Rows on resting, and on rests that help; returns the latter."""
    rest = measure.rests(trial)
    seconds = np.bincount(rest.episode, weights=rest.frames / trial.fps, minlength=trial.episodes)
    report.add(subject, condition, "rest_share", statistics.ratio(seconds, 60 * alive_minutes(trial)))
    shaken = measure.jitter(trial.qpos[..., 7:], trial.fps, measure.resting(trial))
    report.add(subject, condition, "acceleration_at_rest", statistics.mean(shaken))
    capacity = trial.capacity.mean(-1)
    helped = measure.helpful_rests(rest, capacity, found)
    count = helped.count(trial.episodes)
    report.add(subject, condition, "rests_that_help", statistics.mean(count))
    episodes = statistics.share(int((count > 0).sum()), trial.episodes)
    report.add(subject, condition, "episodes_with_helpful_rest", episodes)
    if len(helped):
        gain = capacity[helped.end - 1, helped.episode] - capacity[helped.start, helped.episode]
        report.add(
            subject, condition, "rest_gain", statistics.mean(mean_by_episode(helped.episode, gain, trial.episodes))
        )
    return helped


def with_rests(
    report: Report, subject: str, condition: str, skill: MeasuredSkill, trial: Trial
) -> tuple[Phases, Phases]:
    """Rows on performance and resting; returns the repetitions and the rests that help."""
    found = performance(report, subject, condition, skill, trial)
    return found, helpful_rests(report, subject, condition, trial, found)


def clip_distance(
    report: Report,
    subject: str,
    condition: str,
    trial: Trial,
    reference: np.ndarray,
    paper: tuple[float, float] | None,
) -> None:
    """Rows of Table 1's measure, averaged over each episode while it counts."""
    frames = slice(None, None, EVERY)
    alive = trial.alive[frames]
    found = distance(trial.qpos[frames, :, 7:], reference, trial.body.range)
    mean, deviation = paper if paper else (None, None)
    report.add(subject, condition, "distance", statistics.mean(mean_alive(found.norm, alive)), mean)
    report.add(subject, condition, "distance_deviation", float(found.norm[alive].std()), deviation)
    for metric, values in (("distance_half_range", found.half_range), ("distance_degrees", found.degrees)):
        report.add(subject, condition, metric, statistics.mean(mean_alive(values, alive)))


def clip_rows(
    report: Report, subject: str, skill: MeasuredSkill, clip: BodyClip, floor: Distance
) -> tuple[float, float]:
    """Rows of the looped clip itself; returns its speed and its repetitions a minute.

    A clip of walking that ends in mid-stride makes steps at its seams that are none: there the time between landings
    within one turn says how many a minute there are.
    """
    take = of_clip(clip, repeats=6)
    cycle = (len(take) - 1) // 6
    found = skill.repetitions(take)
    inner = (found.start >= cycle) & (found.start < 5 * cycle)  # whole events of four whole cycles
    rate = float(inner.sum() / (4 * cycle / take.fps / 60))
    if skill.travels and not clip.cyclic:
        between = measure.steps(of_clip(clip)).seconds
        rate = 60 / float(np.nanmean(between)) if np.isfinite(between).any() else rate
    moved = float(measure.speed(take.qpos, take.fps)[cycle : 5 * cycle].mean())
    report.add(subject, "clip", "speed", moved)
    report.add(subject, "clip", "repetitions_per_minute", rate)
    report.add(subject, "clip", "skate", float(measure.skate(take)[0]))
    report.add(subject, "clip", "acceleration", float(measure.jitter(take.qpos[..., 7:], take.fps, take.alive)[0]))
    for name, values in event_values(found).items():
        if inner.any():
            report.add(subject, "clip", name, float(values[inner].mean()))
    report.add(subject, "clip", "distance", float(floor.norm.mean()))
    return moved, rate


def scaled(estimate: Estimate, by: float) -> Estimate:
    """The estimate divided by a known number."""
    if not by:
        return Estimate(np.nan, np.nan, np.nan, estimate.n)
    return Estimate(estimate.value / by, estimate.low / by, estimate.high / by, estimate.n)


def typical(trial: Trial, found: Phases | None = None) -> int:
    """An episode to show: of those that stood (or lasted longest), the one with the median number of repetitions."""
    eligible = np.flatnonzero(trial.fell_at == trial.fell_at.max())
    if found is None:
        return int(eligible[0])
    count = found.count(trial.episodes)[eligible]
    return int(eligible[np.argsort(count, kind="stable")[len(count) // 2]])
