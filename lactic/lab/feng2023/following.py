"""Following: 10 s windows of clips without a fall, how far the bodies are off, and a skill again and again.

A clip that is shorter than 10 s is followed to its end, and counted apart. A fall is a head that is 0.5 m higher or
lower than the clip's.
"""

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.feng2023.motions import followers
from lactic.lab.feng2023.players import ride
from lactic.lab.pictures import BLUE, dress, panels
from lactic.lab.report import Report
from lactic.motion.man import ManLibrary
from lactic.play.man import FollowingMan, MusclePlayer

TITLE = "clips followed by 284 muscles"
WINDOW = 10.0  # s
TIMES = 20
"""How often a skill is done in a row."""
TARGETS = {
    ("train", "windows_without_a_fall"): (0.95, None),
    ("test", "windows_without_a_fall"): (0.85, None),
    ("in a row", "times"): (float(TIMES), None),
}


def make(bench: Bench, report: Report) -> None:
    """Rows of every brain that follows clips."""
    shown = []
    for folder, library in followers(bench, report):
        for split in dict.fromkeys(library.splits):
            shown.append((f"{folder.name}, {split}", _windows(bench, report, folder, library, split)))
        chosen = library.choose(splits=("train",))
        if np.diff(chosen.starts).max() < WINDOW * library.fps:  # one skill
            _row(bench, report, folder, chosen)
    axes = panels(report, len(shown), width=7, height=2.4, x="s")
    for axis, (name, seconds) in zip(axes[:, 0], shown, strict=True):
        axis.hist(seconds, bins=np.arange(0.0, WINDOW + 0.5, 0.5), color=BLUE)
        dress(axis, f"{name}: how long windows were followed", "windows", legend=False)


def windows(library: ManLibrary, split: str, most: int, seed: int) -> list[np.ndarray]:
    """Windows of 10 s, or whole shorter clips, of a split; `most` of them by chance."""
    length, found = round(WINDOW * library.fps), []
    for k, own in enumerate(library.splits):
        poses = library.poses(k)
        if own == split:
            firsts = range(0, max(len(poses) - length, 1), length)
            found += [poses[first : first + length + 1] for first in firsts]
    if len(found) > most:
        found = [found[k] for k in np.random.default_rng(seed).choice(len(found), most, replace=False)]
    return found


def _windows(bench: Bench, report: Report, folder: BrainFolder, library: ManLibrary, split: str) -> np.ndarray:
    chosen = windows(library, split, bench.episodes, bench.seed)
    player = MusclePlayer(folder.load(), None, len(chosen), threads=bench.threads)
    driver = FollowingMan(player, *chosen)
    lengths = np.array([len(poses) - 1 for poses in chosen])
    off, steps = np.zeros(len(chosen)), np.zeros(len(chosen))
    well = np.ones(len(chosen), bool)

    def look(k: int) -> None:
        nonlocal well
        well &= ~driver.fallen() | (k >= lengths)  # what comes after its end counts for nothing
        on = well & (k < lengths)
        off[on] += driver.error()[on]
        steps[on] += 1

    made = ride(bench, f"{folder.name}, {split}", driver, lengths.max() / player.info.control_rate, look=look)
    long = lengths >= round(WINDOW * made.fps)
    for condition, own in ((split, long), (f"{split}, shorter clips", ~long)):
        if own.any():
            share = statistics.share(int(well[own].sum()), int(own.sum()))
            report.add(folder.name, condition, "windows_without_a_fall", share)
            report.add(folder.name, condition, "body_error_m", statistics.ratio(off[own], steps[own]))
            report.add(folder.name, condition, "followed_s", statistics.mean(steps[own] / made.fps))
    return steps / made.fps


def _row(bench: Bench, report: Report, folder: BrainFolder, library: ManLibrary) -> None:
    """Each clip of a skill again and again, from wherever the character is then."""
    clips = [library.poses(k) for k in range(len(library))]
    player = MusclePlayer(folder.load(), None, len(clips), threads=bench.threads)
    driver = FollowingMan(player, *clips)
    done, well = np.zeros(len(clips)), np.ones(len(clips), bool)

    def look(k: int) -> None:
        nonlocal well
        well &= ~driver.fallen()
        over = driver.finished
        done[over & well & (done < TIMES)] += 1
        driver.frame[over] = driver.first[over]

    longest = max(len(poses) - 1 for poses in clips) / player.info.control_rate
    ride(bench, f"{folder.name}, in a row", driver, TIMES * longest, look=look)
    for name, times in zip(library.names, done, strict=True):
        report.add(folder.name, f"in a row: {name}", "times", float(times), quiet=True)
    report.add(folder.name, "in a row", "times", float(done.max()))
