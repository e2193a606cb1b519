"""Walks and runs of the test split done again and again while the body tires: what each ends in, MF over time, and what
a motion that waits gives."""

from dataclasses import dataclass

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab import pictures, statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import clips_of, followers
from lactic.motion import looping
from lactic.motion.body_clip import BodyClip
from lactic.play.player import Player
from lactic.play.tracked import Tracked

TITLE = "walks and runs of the test split, repeated until the body has tired"
NOTE = """
This is not in the paper. Its reviewers asked for MF over time and for rest where following is relaxed. Motions run as
the brain lets them (`waits`), or as recorded (`strict`, as in the paper). One that is lost counts as lost even if the
body gets up again. `clock` is the motion's pace beside its own; `paused` is the share of the time in which it runs at
less than a tenth; both are means until the motion is lost. `strength_won` is how much mean strength rises in these
pauses, a minute. Curves are means over those that still go on.
"""
TARGETS = {("walks and runs, waits", "lasts_or_stops"): (0.9, None)}
SECONDS = 60.0
RUNS = 2.0
"""Mean m/s over the floor of clips that are runs; those that travel at all are taken."""
MOST = 64
FASTEST = 1.2
STOPPED, OVER = 0.1, 5.0
"""Of the motion's own pace, in the mean of the last so many seconds: it has stopped."""
GROUPS = {"hips": "hip", "knees": "knee", "ankles": "ankle", "trunk": "abdomen", "arms": "shoulder elbow"}
"""Joints whose MF is drawn, by words of their names."""


@dataclass
class Ends:
    """What came of repeated motions: (clip,) or (frame, clip, …)."""

    lost: np.ndarray
    """Second at which each was lost, infinite where it was not."""
    stopped: np.ndarray
    """Which ended in a stop."""
    left: np.ndarray
    """Mean strength at the end."""
    clock: np.ndarray
    """(frame, clip)."""
    spent: np.ndarray
    """MF, (frame, clip, joint)."""
    rate: float

    @property
    def going(self) -> np.ndarray:
        """Which are not lost yet, (frame, clip)."""
        return (np.arange(len(self.clock)) / self.rate)[:, None] < self.lost

    def mean_clock(self) -> np.ndarray:
        """(clip,), until each is lost."""
        return np.nanmean(np.where(self.going, self.clock, np.nan), axis=0)

    def paused(self) -> np.ndarray:
        """Share of the time that each motion stands, until it is lost, (clip,)."""
        return (self.going & (self.clock < STOPPED)).sum(0) / self.going.sum(0)

    def won(self) -> np.ndarray:
        """Mean strength won in pauses, a minute of all the time until each is lost, (clip,)."""
        rise = -np.diff(self.spent.mean(2), axis=0)
        there = self.going[1:] & (self.clock[1:] < STOPPED)
        return (rise * there).sum(0) / (self.going.sum(0) / self.rate / 60.0)


def chosen(clips: list[BodyClip]) -> list[BodyClip]:
    """Those that travel, the first so many; every second time over mirrored, where there are too few."""
    going = [clip for clip in clips if looping.speed(clip) >= looping.TRAVELS]
    return [*going, *(clip.mirror() for clip in going)][:MOST]


def ends(folder: BrainFolder, clips: list[BodyClip], seconds: float = SECONDS, strict: bool = False) -> Ends:
    """Repeat each of some clips for so long, as the brain lets them run or strictly."""
    brain = folder.load(2)
    player = Player(brain, None, len(clips), 2)
    rate = player.info.control_rate
    driver = Tracked(player, *(looping.lasting(clip, FASTEST * seconds) for clip in clips), strict=strict)
    lost, pace = np.full(len(clips), np.inf), np.ones(len(clips))
    frames = round(seconds * rate)
    clock = np.zeros((frames, len(clips)), np.float32)
    spent = np.zeros((frames, *player.fatigue.shape[:2]), np.float32)
    for frame in range(frames):
        driver.step()
        now = (driver.fallen() | driver.down) & np.isinf(lost)  # one that gets up again has fallen too
        lost[now] = player.second
        pace += (driver.clock - pace) / (OVER * rate)
        clock[frame], spent[frame] = driver.clock, player.fatigue[..., 2]
    stopped = np.isinf(lost) & (pace < STOPPED)
    return Ends(lost, stopped, 1.0 - player.fatigue[..., 2].mean(1), clock, spent, rate)


def make(bench: Bench, report: Report) -> None:
    """Each brain on walks and on runs, at its own fitness: how many last or stop, and when the others are lost."""
    clips = chosen(clips_of(bench, "test"))
    fast = np.array([looping.speed(clip) >= RUNS for clip in clips])
    drawn: list[tuple[str, Ends]] = []
    for folder in followers(bench, report):
        for way in ("waits", "strict"):
            found = ends(folder, clips, strict=way == "strict")
            drawn.append((f"{folder.name}, {way}", found))
            for kind, which in (("walks and runs", fast | True), ("walks", ~fast), ("runs", fast)):
                if which.any():
                    _rows(report, folder.name, f"{kind}, {way}", found, which)
            count = int(np.isinf(found.lost).sum())
            bench.say(f"{folder.name}, {way}: {count} of {len(clips)} last {SECONDS:.0f} s or stop")
    _picture(report, drawn, clips[0])


def _rows(report: Report, subject: str, condition: str, found: Ends, which: np.ndarray) -> None:
    count, well = int(which.sum()), np.isinf(found.lost[which])
    report.add(subject, condition, "lasts_or_stops", statistics.share(int(well.sum()), count))
    report.add(subject, condition, "stops", statistics.share(int(found.stopped[which].sum()), count))
    if not well.all():
        report.add(subject, condition, "lost_after_s", statistics.mean(found.lost[which][~well]))
    if well.any():
        report.add(subject, condition, "strength_left", statistics.mean(found.left[which][well]))
    if "waits" in condition:
        report.add(subject, condition, "clock", statistics.mean(found.mean_clock()[which]))
        report.add(subject, condition, "paused", statistics.mean(found.paused()[which]))
        report.add(subject, condition, "strength_won", statistics.mean(found.won()[which]))


def _picture(report: Report, drawn: list[tuple[str, Ends]], clip: BodyClip) -> None:
    """How many go on, the clock, and MF of groups of joints, over time."""
    axes = pictures.panels(report, 2 + len(drawn), height=2.0, x="s", sharex=True)[:, 0]
    groups = {
        name: [k for k, joint in enumerate(clip.body.joints) if any(word in joint for word in words.split())]
        for name, words in GROUPS.items()
    }
    for (name, found), colour in zip(drawn, pictures.COLOURS, strict=False):
        second = np.arange(len(found.clock)) / found.rate
        axes[0].plot(second, found.going.mean(1), color=colour, label=name)
        clock = _mean(found.clock, found.going)
        wide = round(found.rate)
        axes[1].plot(second[wide - 1 :], np.convolve(clock, np.full(wide, 1 / wide), "valid"), color=colour)
    pictures.dress(axes[0], "Not lost yet", "share")
    pictures.dress(axes[1], "Pace of the motion beside its own, mean of a second", "ratio", legend=False)
    for axis, (name, found) in zip(axes[2:], drawn, strict=True):
        second = np.arange(len(found.clock)) / found.rate
        for (group, joints), colour in zip(groups.items(), pictures.COLOURS, strict=False):
            axis.plot(second, _mean(found.spent[..., joints].mean(2), found.going), color=colour, label=group)
        pictures.dress(axis, f"MF: {name}", "share")
        axis.set_ylim(-0.02, 1.02)
    axes[0].set_ylim(-0.04, 1.04)
    axes[1].set_ylim(-0.04, 1.24)


def _mean(values: np.ndarray, going: np.ndarray) -> np.ndarray:
    """Mean over those that go on, (frame,); NaN where none does."""
    count = going.sum(1)
    return np.where(count > 0, (values * going).sum(1) / np.maximum(count, 1), np.nan)
