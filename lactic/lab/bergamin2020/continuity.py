"""Sec. 3.2.2 and 3.3: transitions without a jump, feet that stand where they stand, under the artificial user."""

import numpy as np

from lactic import rotation
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import database
from lactic.lab.pictures import BLUE, RED, dress, panel
from lactic.lab.report import Report
from lactic.motion import sampling
from lactic.steer.gamepad import ArtificialUser
from lactic.steer.holding import CLIP, LOCKED
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.matching import Database
from lactic.steer.playback import play, switch

TITLE = "transitions and contacts of the kinematic character under the artificial user"
SECONDS, MOST = 60.0, 60
"""Of each character, and characters at most: an hour in all."""


class Slides:
    """How far the ball of a foot gets, while it is locked, from where that began: as shown, and as without the lock.

    With `whole`, in the contacts of the clips that play instead: locked or not yet, let go and locked again.
    """

    def __init__(self, crowd: KinematicCharacters, whole: bool = False) -> None:
        self.crowd, self.whole = crowd, whole
        self.found: list[np.ndarray] = []
        """(2,) m of each contact that is over."""
        self._start = np.full((crowd.count, 2, 2, 2), np.nan)
        self._most = np.zeros((crowd.count, 2, 2))

    def look(self) -> None:
        """Take the pose of this step into account."""
        crowd, pose = self.crowd, self.crowd.pose
        for k in range(2):
            tip = crowd.limbs.tip[k]
            point = np.broadcast_to(crowd.limbs.point[k], (crowd.count, 3))
            shown = pose.positions[:, tip] + rotation.rotate(pose.rotations[:, tip], point)
            both = np.stack([shown[:, :2], crowd.state.hold_points[:, k, CLIP, :2]], axis=1)
            locked, begun = crowd.state.hold[:, k] == LOCKED, np.isfinite(self._start[:, k, 0, 0])
            if self.whole:
                locked = crowd.frames.contacts[crowd.state.frame, k]
            self._start[locked & ~begun, k] = both[locked & ~begun]
            apart = np.linalg.norm(both - self._start[:, k], axis=2)
            self._most[locked, k] = np.maximum(self._most[locked, k], apart[locked])
            over = begun & ~locked
            self.found.extend(self._most[over, k])
            self._start[over, k], self._most[over, k] = np.nan, 0.0


def jumps(crowd: KinematicCharacters, seed: int) -> tuple[float, float]:
    """The largest change of position and velocity of any body if every character now goes on from a random frame."""
    at, speed = crowd.pose.positions.copy(), crowd.pose.velocities.copy()
    frames = np.random.default_rng(seed).integers(crowd.database.frames, size=crowd.count)
    for i in range(crowd.count):
        switch(crowd.frames, crowd.state, i, int(frames[i]))
        play(crowd.steering, crowd.tree, crowd.limbs, crowd.frames, crowd.state, i, 0.0)
    return float(np.abs(crowd.pose.positions - at).max()), float(np.abs(crowd.pose.velocities - speed).max())


def own_pop(held: Database) -> float:
    """The largest pop of the clips themselves: what no transition is to blame for."""
    worst = 0.0
    for start, end in zip(held.clip_start[:-1], held.clip_start[1:], strict=True):
        at = held.positions[start:end].astype(float)
        speed = sampling.rate(at, held.fps)
        apart = np.diff(at, axis=0) - (speed[1:] + speed[:-1]) / (2 * held.fps)
        worst = max(worst, float(np.linalg.norm(apart, axis=2).max()))
    return worst


def make(bench: Bench, report: Report) -> None:
    """An hour of the artificial user, a minute each: pops, slides, transitions; and transitions to anywhere."""
    held = database(bench, report)
    count = min(bench.episodes, MOST)
    crowd, user = KinematicCharacters(held, count), ArtificialUser(count, bench.seed)
    slides, whole, worst, locked, contact = Slides(crowd), Slides(crowd, whole=True), 0.0, 0, 0
    at, speed = crowd.pose.positions.copy(), crowd.pose.velocities.copy()
    steps = round(SECONDS * held.fps)
    for _ in range(steps):
        pose = crowd.step(user.step())
        slides.look()
        whole.look()
        apart = np.linalg.norm(pose.positions - at - (pose.velocities + speed) * (crowd.dt / 2), axis=2).max()
        worst = max(worst, float(apart)) if np.isfinite(apart) else np.inf
        standing = crowd.frames.contacts[crowd.state.frame]
        contact += int(standing.sum())
        locked += int((crowd.state.hold[:, :2] == LOCKED)[standing].sum())
        at, speed = pose.positions.copy(), pose.velocities.copy()
    shown, free = np.array(slides.found).T * 1000
    report.add("kinematic", "artificial user", "minutes", count * SECONDS / 60)
    report.add("kinematic", "artificial user", "transitions_per_second", float(crowd.transitions.mean()) / SECONDS)
    report.add("kinematic", "artificial user", "largest_pop", worst)
    report.add("clips", "as they are", "largest_pop", own_pop(held))
    report.add("kinematic", "locked contacts", "slide", statistics.mean(shown))
    report.add("kinematic", "locked contacts, without locks", "slide", statistics.mean(free))
    conditions = "contacts of the clips", "contacts of the clips, without locks"
    for condition, values in zip(conditions, np.array(whole.found).T, strict=True):
        report.add("kinematic", condition, "slide", statistics.mean(values * 1000))
    report.add("kinematic", "artificial user", "locked_share", locked / max(contact, 1))
    found = [jumps(crowd, bench.seed + k) for k in range(20)]
    report.add("kinematic", "transition to a random frame", "place_jump", max(jump[0] for jump in found))
    report.add("kinematic", "transition to a random frame", "speed_jump", max(jump[1] for jump in found))
    axis = panel(report, height=3.0, x="mm")
    edges = np.linspace(0, 100, 51)
    for values, name, colour in ((free, "without locks", RED), (shown, "locked", BLUE)):
        axis.hist(np.minimum(values, 99), edges, color=colour, alpha=0.6, label=name)
    dress(axis, "how far the ball of a foot slides in a contact", "contacts")
