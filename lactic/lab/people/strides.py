"""Strides: from one landing of the right foot to the next, each with what a person sees in a gait."""

from dataclasses import dataclass, fields

import numpy as np

from lactic import rotation
from lactic.lab import measure, statistics
from lactic.lab.measure import LEFT, RIGHT
from lactic.lab.statistics import Estimate
from lactic.lab.take import Take

MOVING = 0.3
"""m/s; slower strides are shuffles on the spot."""
LONGEST = 3.0
"""Seconds; after that it stood meanwhile."""


@dataclass
class Strides:
    """Strides of many episodes, by episode, then time; all arrays are (stride,)."""

    episode: np.ndarray
    start: np.ndarray
    """Frame at which the right foot lands."""
    speed: np.ndarray
    """m/s, from where the root was to where it is."""
    cadence: np.ndarray
    """Steps a minute."""
    step_length: np.ndarray
    """m, half the ground covered."""
    foot_lift: np.ndarray
    """m that a foot's joint rises above its lowest, mean of both feet."""
    peak_knee_flexion: np.ndarray
    """Degrees, the most that a knee is bent, mean of both."""
    arm_swing: np.ndarray
    """Degrees that an upper arm swings to and fro in the plane of the way, mean of both."""
    trunk_lean: np.ndarray
    """Degrees that the trunk leans along the way, mean over time."""
    bounce: np.ndarray
    """m between the root's highest and lowest place."""
    left_time: np.ndarray
    """s from the right foot's landing to the left one's."""
    right_time: np.ndarray
    """s from there to the right one's again."""

    def __len__(self) -> int:
        return len(self.episode)

    def where(self, chosen: np.ndarray) -> "Strides":
        """Those that a mask chooses."""
        return Strides(**{name: values[chosen] for name, values in vars(self).items()})

    def groups(self) -> np.ndarray:
        """What is drawn to find intervals: whole episodes, or single strides where there is but one episode."""
        many = len(np.unique(self.episode)) > 1
        return np.unique(self.episode, return_inverse=True)[1] if many else np.arange(len(self))

    def sums(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Amounts and what they are per, by group, whose ratio is a quantity: its mean, or the asymmetry of steps."""
        group = self.groups()
        if name == ASYMMETRY:
            amount, per = self.left_time - self.right_time, 0.5 * (self.left_time + self.right_time)
        else:
            amount, per = getattr(self, name), np.ones(len(self))
        return np.bincount(group, weights=amount), np.bincount(group, weights=per)

    def mean(self, name: str) -> Estimate:
        """A quantity with its interval."""
        return statistics.ratio(*self.sums(name))


ASYMMETRY = "step_time_asymmetry"
UNITS = {
    "speed": "m/s",
    "cadence": "steps a minute",
    "step_length": "m",
    "foot_lift": "m",
    "peak_knee_flexion": "degrees",
    "arm_swing": "degrees",
    "trunk_lean": "degrees",
    "bounce": "m",
    ASYMMETRY: "(left − right)/mean",
}
QUANTITIES = tuple(UNITS)


def strides(take: Take, since: float = 0.0, until: float = np.inf) -> Strides:
    """All strides that begin and end between two seconds, while the character moves and has not fallen."""
    found = measure.steps(take)
    rows: dict[str, list[float]] = {field.name: [] for field in fields(Strides)}
    # three landings in a row of one episode: right, left, right
    same = (found.episode[2:] == found.episode[:-2]) & (found.foot[2:] == RIGHT)
    own = same & (found.foot[:-2] == RIGHT) & (found.foot[1:-1] == LEFT)
    for k in np.flatnonzero(own):
        a, middle, b = (int(frame) for frame in found.frame[k : k + 3])
        seconds = (b - a) / take.fps
        if a < since * take.fps or b > until * take.fps or seconds > LONGEST:
            continue
        measured = _measured(take, int(found.episode[k]), a, b)
        if measured["speed"] < MOVING:
            continue
        times = {"left_time": (middle - a) / take.fps, "right_time": (b - middle) / take.fps}
        for name, value in (measured | times | {"episode": found.episode[k], "start": a}).items():
            rows[name].append(float(value))
    whole = ("episode", "start")
    return Strides(**{name: np.array(values, int if name in whole else float) for name, values in rows.items()})


def _measured(take: Take, episode: int, a: int, b: int) -> dict[str, float]:
    """What is measured of one stride from frame a to b."""
    names, joints = take.body.bodies, take.body.joints
    root = take.qpos[a : b + 1, episode].astype(float)
    at = take.xpos[a : b + 1, episode].astype(float)
    covered = root[-1, :2] - root[0, :2]
    seconds, length = (b - a) / take.fps, float(np.linalg.norm(covered))
    ahead = covered / max(length, 1e-9)
    if length < 1e-3:
        facing = rotation.heading(root[0, 3:7])
        ahead = np.array([np.cos(facing), np.sin(facing)])

    def place(name: str) -> np.ndarray:
        return at[:, names.index(name)]

    def tilt(line: np.ndarray) -> np.ndarray:
        """Degrees by which a line (frame, 3) that points up leans along the way."""
        return np.degrees(np.arctan2(line[:, :2] @ ahead, line[:, 2]))

    arms = [np.ptp(tilt(place(f"{side}_upper_arm") - place(f"{side}_forearm"))) for side in ("left", "right")]
    knees = [root[:, 7 + joints.index(f"{side}_knee")].max() for side in ("left", "right")]
    return {
        "speed": length / seconds,
        "cadence": 120 / seconds,
        "step_length": length / 2,
        "foot_lift": float(np.mean([np.ptp(place(foot)[:, 2]) for foot in take.body.feet])),
        "peak_knee_flexion": float(np.degrees(np.mean(knees))),
        "arm_swing": float(np.mean(arms)),
        "trunk_lean": float(tilt(place("head") - place("torso")).mean()),
        "bounce": float(np.ptp(root[:, 2])),
    }


def change(before: Strides, after: Strides, name: str) -> Estimate:
    """What of a quantity is different after: in parts of what it was, or plainly for those that may be near zero."""
    return statistics.contrast(before.sums(name), after.sums(name), relative=name not in ("trunk_lean", ASYMMETRY))


def unevenness(found: Strides) -> Estimate:
    """Mean over the episodes of how unlike left and right steps are in time, whichever side is slower."""
    amount, per = found.sums(ASYMMETRY)
    return statistics.mean(np.abs(amount) / np.maximum(per, 1e-9))
