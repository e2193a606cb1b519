"""How well brains follow the motions of a library: what the tables and figures of tired_actor hold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lactic import rotation
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.trial import OFF, body_of
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library
from lactic.play.player import Player
from lactic.play.tracked import LOST, Tracked
from lactic.strength import pd_torque

SPLITS = ("train", "test")
PEOPLE = (*SPLITS, "extra")
"""Splits of what people did."""
METRICS = ("success", "mpjpe_g_mm", "mpjpe_l_mm", "acceleration_mm", "velocity_mm")
"""Share of motions followed to their end; then, of these, errors of positions in the world and from the root, and of
their second and first differences from frame to frame, as tired_actor and PHC count them."""
COLLECTED = 256
"""Motions that torque limits are collected on, however many are followed then: more motions, larger torques."""
BATCH = 32
"""Motions followed side by side: of like lengths, as all wait for the longest."""
BRIEF = 10.0
"""Seconds of each motion that are enough where brains are compared or torques are collected."""
TIRING = body_of(2.0, 0.05, 1.0)
"""What the paper's characters tire by."""
WEAK = 0.2
"""Share of all torque limits that a body without fatigue has, as a baseline: MF is 80 % and stays, and the brain sees
it."""
WALKS, LOWEST = (0.5, 1.8), 0.7
"""Speeds of walks, m/s, and how low the pelvis comes at most, m."""
AHEAD, MOSTLY = 0.7, 0.6
"""Share of the velocity that goes where the pelvis faces, and of the time that a walk is one."""
Each = Callable[[Tracked, list[int], np.ndarray], None]
"""What is done after every control step: with the driver, the numbers of its motions, and which are still followed."""


@dataclass
class Followed:
    """What came of following some motions, a number each."""

    success: np.ndarray
    errors: np.ndarray
    """(motion, four), mm; of what was followed before it was lost."""
    parts: np.ndarray
    """(motion, 2, body), mm: of each rigid body, in the world and from the root."""

    def rows(self, report: Report, subject: str, condition: str, paper: tuple[float | None, ...] = ()) -> None:
        """Add them to a report, beside the paper's numbers."""
        printed = {name: value for name, value in zip(METRICS, paper, strict=False)}
        self.share(report, subject, condition, printed.get(METRICS[0]))
        done = self.success
        if done.any():
            for name, column in zip(METRICS[1:], self.errors[done].T, strict=True):
                report.add(subject, condition, name, statistics.mean(column), printed.get(name))

    def share(self, report: Report, subject: str, condition: str, paper: float | None = None) -> None:
        """Add how many were followed to their end."""
        done = self.success
        report.add(subject, condition, METRICS[0], statistics.share(int(done.sum()), len(done)), paper)


def followers(bench: Bench, report: Report) -> list[BrainFolder]:
    """The named brains that follow motions; the report says which are left out."""
    found = []
    for folder in bench.folders(report, "actor"):
        if folder.load().info.tracking is None:
            report.skip(f"{folder.name}: it does not follow motions")
        else:
            found.append(folder)
    return found


def clips_of(bench: Bench, split: str, seconds: float = np.inf) -> list[BodyClip]:
    """Motions of a split of library.npz in the folder of clips, so many seconds of each, as many as there are episodes,
    spread over it: clips of one person stand beside each other."""
    library = library_of(bench).choose([split])
    clips = [library.clip(i) for i in spread(len(library), bench.episodes)]
    return [clip.cut(0.0, seconds) if clip.seconds > seconds else clip for clip in clips]


def walks_of(bench: Bench, seconds: float) -> list[BodyClip]:
    """Walks of that length at least, of both splits, cut to it; as many as there are episodes, spread alike."""
    library, found = library_of(bench).choose(SPLITS), []
    for i in np.flatnonzero(library.seconds >= seconds).tolist():
        begin = library.starts[i]
        if _walks(library.qpos[begin : begin + round(seconds * library.fps) + 1], library.fps):
            found.append(i)
    if not found:
        raise InputError(f"library.npz has no walk of {seconds:g} s")
    return [library.clip(found[k]).cut(0.0, seconds) for k in spread(len(found), bench.episodes)]


def _walks(qpos: np.ndarray, fps: float) -> bool:
    """Whether poses go forwards at the speed of a walk, upright, most of the time."""
    velocity = np.diff(qpos[:, :2], axis=0) * fps
    pace, facing = np.linalg.norm(velocity, axis=1), rotation.heading(qpos[:-1, 3:7])
    forwards = velocity[:, 0] * np.cos(facing) + velocity[:, 1] * np.sin(facing) > AHEAD * pace
    walking = forwards & (WALKS[0] < pace) & (pace < WALKS[1])
    return bool(walking.mean() > MOSTLY and qpos[:, 2].min() > LOWEST)


def spread(count: int, most: int) -> list[int]:
    """At most so many of `count` numbers, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int)).tolist()


def people_of(bench: Bench) -> Library:
    """The part of library.npz that people did: not what a leader of `steer` did."""
    library = library_of(bench)
    return library.choose([split for split in PEOPLE if split in library.splits])


def library_of(bench: Bench) -> Library:
    """library.npz in the folder of clips."""
    if bench.clips is None:
        raise InputError("clips: name the folder that holds library.npz, which `lactic library build` makes")
    return Library.load(bench.clips / "library.npz")


def follow(
    folder: BrainFolder,
    clips: list[BodyClip],
    fitness: Fitness | None,
    spent: float = 0.0,
    *,
    joints: Sequence[str] | None = None,
    each: Each = lambda driver, chosen, live: None,
    strong: np.ndarray | float = 1.0,
) -> Followed:
    """Follow motions strictly, as the paper does, from their first frames until each ends or is lost; `joints` (all
    where None) are fatigued by `spent` at first, and all are `strong` times as strong as the brain's."""
    order = sorted(range(len(clips)), key=lambda i: clips[i].frames)
    success, errors = np.zeros(len(clips), bool), np.zeros((len(clips), 4))
    brain, parts = folder.load(2), np.zeros((len(clips), 2, len(clips[0].body.bodies)))
    for begin in range(0, len(clips), BATCH):
        chosen = order[begin : begin + BATCH]
        player = Player(brain, fitness, len(chosen), 2, strong=strong)
        player.exhaust(player.info.joints if joints is None else joints, spent)
        driver = Tracked(player, *(clips[i] for i in chosen), strict=True)
        success[chosen], errors[chosen], parts[chosen] = _follow(driver, chosen, each)
    return Followed(success, errors, parts)


def paper_strength(bench: Bench, folder: BrainFolder) -> np.ndarray:
    """How many times as strong as the brain's own the joints are whose limits are collected as the paper collects them:
    the largest torques that the PD law asks for while a fresh body follows clips of the train split (Sec. 3.2), left
    and right alike, (joint,)."""
    info, clips = folder.load().info, clips_of(replace(bench, episodes=COLLECTED), "train", BRIEF)
    largest, gains = np.zeros(len(info.joints)), (np.array(info.stiffness), np.array(info.damping))

    def note(driver: Tracked, chosen: list[int], live: np.ndarray) -> None:
        seen, targets = driver.player.feed, driver.player.outputs["targets"]
        asked = pd_torque(targets, 1.0, seen["qpos"][:, 7:], seen["qvel"][:, 6:], *gains)
        np.maximum(largest, np.abs(asked[live]).max(axis=0, initial=0.0), out=largest)

    follow(folder, clips, OFF, each=note)
    both = np.maximum(largest, largest[np.array(clips[0].body.mirror)])
    return both / np.array(info.torque_limit)


def _follow(driver: Tracked, chosen: list[int], each: Each) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count, world = driver.player.world.count, driver.player.world
    lost, total, frames = np.zeros(count, bool), np.zeros((count, 4)), np.zeros(count)
    parts = np.zeros((count, 2, world.xpos.shape[1]))
    before: list[np.ndarray] = []
    while (live := ~(lost | driver.finished)).any():
        driver.step()
        off = world.xpos - driver.moment().xpos
        before = [*before[-2:], off]
        lost |= live & ((np.linalg.norm(off, axis=2).mean(1) > LOST) | world.faulted)
        kinds = [off, off - off[:, :1], _second(before), off - before[-2] if len(before) > 1 else 0 * off]
        sizes = [1000 * np.linalg.norm(kind, axis=2) for kind in kinds]
        total += (live & ~lost)[:, None] * np.stack([size.mean(1) for size in sizes], axis=1)
        parts += (live & ~lost)[:, None, None] * np.stack(sizes[:2], axis=1)
        frames += live & ~lost
        each(driver, chosen, live & ~lost)
    frames = np.maximum(frames, 1)
    return ~lost, total / frames[:, None], parts / frames[:, None, None]


def _second(off: list[np.ndarray]) -> np.ndarray:
    """The second difference of the last three frames."""
    return off[-1] - 2 * off[-2] + off[-3] if len(off) > 2 else 0 * off[-1]
