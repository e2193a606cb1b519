"""How natural tired following is, measured: distance to people's motion, jerk, foot skate; amplitude and trailing."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import WEAK, draw, follow, followers, walks_of
from lactic.lab.trial import OFF
from lactic.play.tracked import Tracked

TITLE = "naturalness and amplitude of walks, by fatigue at the start (Fig. 4)"
SECONDS, SPEED_SCALE = 6.0, 0.1
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


def make(bench: Bench, report: Report) -> None:
    """Each brain on walks at its own rates, and with constant limits, beside the walks themselves."""
    levels = [(f"MF {spent:.0%}", None, spent) for spent in (0.0, 0.5, 0.8, 0.9, 0.95)]
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        body = clips[0].body
        feet = [body.bodies.index(name) for name in body.feet]
        for name, fitness, spent in [*levels, (f"{WEAK:.0%} torque", OFF, 1.0 - WEAK)]:
            done: dict[int, list[tuple[np.ndarray, ...]]] = {i: [] for i in range(len(clips))}

            def each(driver: Tracked, chosen: list[int], live: np.ndarray, done=done) -> None:
                world, now = driver.player.world, driver.moment()
                for k in np.flatnonzero(live):
                    own, ref = (np.concatenate([s.qpos[k, 7:], SPEED_SCALE * s.qvel[k, 6:]]) for s in (world, now))
                    done[chosen[k]].append((own, ref, world.xpos[k].copy(), now.xpos[k], now.qvel[k, :2].copy()))

            found = follow(folder, clips, fitness, spent, each=each)
            kept = [i for i in np.flatnonzero(found.success).tolist() if len(done[i]) > 10]
            found.share(report, folder.name, name)
            bench.say(f"{folder.name}, {name}: {len(kept)} of {len(clips)} walks followed")
            if not kept:
                continue
            table = [[np.stack(column) for column in zip(*done[i], strict=True)] for i in kept]
            own, ref = (np.concatenate([row[k] for row in table]) for k in (0, 1))
            report.add(folder.name, name, "frechet", frechet(own, ref))
            joints, rate = len(body.joints), clips[0].fps
            measures = {
                "jerk_ratio": [jerk(row[2], rate) / jerk(row[3], rate) for row in table],
                "skate": [skate(row[2][:, feet], rate) for row in table],
                "skate_of_clip": [skate(row[3][:, feet], rate) for row in table],
                "amplitude": [float(r[0][:, :joints].std(0).sum() / r[1][:, :joints].std(0).sum()) for r in table],
                "trailing_m": [_trailing(*row[2:]) for row in table],
            }
            for metric, values in measures.items():
                report.add(folder.name, name, metric, statistics.mean(np.array(values)))
    draw(report, "amplitude", "Joint angles' deviation over the clip's", "ratio")


def _trailing(own: np.ndarray, ref: np.ndarray, velocity: np.ndarray) -> float:
    """Metres that the root is behind the motion's, along the way it goes."""
    way = velocity / np.maximum(np.linalg.norm(velocity, axis=1, keepdims=True), 0.1)
    return float((way * (ref[:, 0, :2] - own[:, 0, :2])).sum(axis=1).mean())
