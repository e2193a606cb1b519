"""How natural tired following is, measured: distance to people's motion, jerk, foot skate."""

import numpy as np

from lactic.lab import pictures, statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import followers, walks_of
from lactic.lab.tired_actor.walking import LEVELS, SECONDS, walk

TITLE = "naturalness of walks, by fatigue at the start"
NOTE = """
The paper's reviewers asked for an objective measure of naturalness. Here are three, of walks of 6 s that were
followed strictly to their end at the brain's own rates. `frechet` is the distance between what bodies and people did
in joint angles and their speeds, each taken for a normal distribution; `frechet_of_clip` is that of one half of the
clips to the other. Then come jerk over the clip's, and the speed of feet that stand. Walks that were lost do not
count, so the most tired levels show the best of few walks; `success` says how many.
"""
SPEED_SCALE = 0.1
"""Seconds by which speeds of joints are scaled to count beside angles."""
LOW = 0.03
"""Metres above its lowest that an ankle may be for its foot to stand."""


def frechet(a: np.ndarray, b: np.ndarray) -> float:
    """Fréchet distance of two samples (row, feature), each taken for a normal distribution."""
    ca, cb = np.cov(a.T), np.cov(b.T)
    values, vectors = np.linalg.eigh(ca)
    root = (vectors * np.sqrt(values.clip(0.0))) @ vectors.T
    both = np.sqrt(np.linalg.eigvalsh(root @ cb @ root).clip(0.0)).sum()
    apart = a.mean(axis=0) - b.mean(axis=0)
    return float(np.sqrt(max(apart @ apart + np.trace(ca) + np.trace(cb) - 2 * both, 0.0)))


def jerk(xpos: np.ndarray, rate: float) -> float:
    """Mean size of the third derivative of positions (frame, body, 3), m/s³."""
    return float(np.linalg.norm(np.diff(xpos, 3, axis=0), axis=-1).mean() * rate**3)


def skate(feet: np.ndarray, rate: float) -> float:
    """Mean speed over the floor of ankles (frame, foot, 3) while they are low, m/s."""
    low = feet[1:, :, 2] < feet[:, :, 2].min(axis=0) + LOW
    return float((np.linalg.norm(np.diff(feet[..., :2], axis=0), axis=-1)[low]).mean() * rate)


def features(qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Angles of the joints and their speeds, scaled to count alike, (frame, feature)."""
    return np.concatenate([qpos[:, 7:], SPEED_SCALE * qvel[:, 6:]], axis=1)


def make(bench: Bench, report: Report) -> None:
    """Each brain on walks at its own rates, and with constant limits, beside the walks themselves."""
    clips = walks_of(bench, SECONDS)
    body, rate = clips[0].body, clips[0].fps
    feet = [body.bodies.index(name) for name in body.feet]
    for folder in followers(bench, report):
        for name, fitness, spent in LEVELS:
            found, walks = walk(folder, clips, fitness, spent)
            done = [one for one in walks if one.done]
            found.share(report, folder.name, name)
            bench.say(f"{folder.name}, {name}: {len(done)} of {len(clips)} walks followed")
            if not done:
                continue
            own = np.concatenate([features(one.qpos, one.qvel) for one in done])
            aim = np.concatenate([features(one.aim_qpos, one.aim_qvel) for one in done])
            report.add(folder.name, name, "frechet", frechet(own, aim))
            halves = [[features(one.aim_qpos, one.aim_qvel) for one in done[k::2]] for k in (0, 1)]
            if len(done) > 1:
                report.add(folder.name, name, "frechet_of_clip", frechet(*map(np.concatenate, halves)))
            measures = {
                "jerk_ratio": [jerk(one.xpos, rate) / jerk(one.aim_xpos, rate) for one in done],
                "foot_skate": [skate(one.xpos[:, feet], rate) for one in done],
                "foot_skate_of_clip": [skate(one.aim_xpos[:, feet], rate) for one in done],
            }
            for metric, values in measures.items():
                report.add(folder.name, name, metric, statistics.mean(np.array(values)))
    _picture(report)


def _picture(report: Report) -> None:
    """A panel for each measure over the levels, a line for each brain."""
    subjects = list(dict.fromkeys(row.subject for row in report.rows))
    names = [name for name, _, _ in LEVELS]
    titles = {
        "frechet": ("To people's walks\n(dashed: among these)", "Fréchet distance"),
        "jerk_ratio": ("Jerk over the clips'\n", "ratio"),
        "foot_skate": ("Foot skate\n(dashed: the clips')", "m/s"),
    }
    axes = pictures.panels(report, 1, len(titles), height=3.2)[0]
    for axis, (metric, (title, unit)) in zip(axes, titles.items(), strict=True):
        for subject, colour in zip(subjects, pictures.COLOURS, strict=False):
            for shown, style in ((metric, "o-"), (f"{metric}_of_clip", "--")):
                values = [report.value(subject, name, shown) for name in names]
                y = np.array([np.nan if value is None else value for value in values])
                if np.isfinite(y).any():
                    axis.plot(range(len(names)), y, style, color=colour, label=subject if style == "o-" else None)
        axis.set_xticks(range(len(names)), names, rotation=45, ha="right")
        pictures.dress(axis, title, unit, legend=len(subjects) > 1 and axis is axes[-1])
        axis.margins(y=0.1)
        axis.set_ylim(bottom=0.0)
