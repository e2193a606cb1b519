"""Getting up: stretches of motions that rise from the floor, and laying one of them over a body that lies."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lactic import rotation
from lactic.motion.body_clip import BodyClip
from lactic.motion.looping import mixed

LIES, STANDS = 0.33, 0.9
"""Shares of the bodies' mean height at rest: below the first a body lies, above the second it stands."""
LOW = 0.6
"""Share of its height at rest above which no root of a body that lies is."""
LONGEST, BEFORE, AFTER = 4.0, 1.0, 0.3
"""Seconds: from the last moment of lying to standing; and of lying before, and of standing after, that are kept."""
AHEAD = 0.5
"""Metres that a mark is ahead of the root, so that lying on the back and on the face are not alike."""
LEAD = 1.0
"""Seconds in which a body is led from the pose it lies in to that of a rising motion, which waits."""
HURRY = 0.01
"""Metres of distance that a second less to go is worth."""
HELPS = 0.25
"""Metres that a motion by which every body gets up may be further away than one by which none does."""


def rises(height: np.ndarray, rest: float, fps: float) -> list[tuple[int, int]]:
    """Stretches that rise from the floor, where the bodies' mean height is `height` (frame,), and `rest` in the pose at
    rest: the first frame of each, up to BEFORE seconds before it lies no more, and the first that stands."""
    low, high = height < LIES * rest, height > STANDS * rest
    found = []
    for up in np.flatnonzero(high[1:] & ~high[:-1]) + 1:
        lain = np.flatnonzero(low[:up])
        if not len(lain) or up - lain[-1] > LONGEST * fps or high[lain[-1] : up].any():
            continue
        begin = lain[lain > max(np.flatnonzero(~low[: lain[-1]]), default=-1)][0]
        found.append((max(int(begin), int(lain[-1]) - round(BEFORE * fps)), int(up)))
    return found


def rising(clip: BodyClip, after: float = AFTER) -> list[BodyClip]:
    """The stretches of a clip that rise from the floor, and `after` seconds of what comes then: as long as it stands,
    then its pose is held."""
    if clip.qpos[:, 2].min() > LOW * clip.body.rest[2]:
        return []
    rest = float(clip.body.places(clip.body.rest[None])[0][..., 2].mean())
    height = clip.positions()[0][..., 2].mean(axis=1)
    found = []
    for begin, up in rises(height, rest, clip.fps):
        stands = height[up:] > STANDS * rest
        last = up + (len(stands) if stands.all() else int(np.argmin(stands))) - 1
        rows = np.minimum(np.arange(begin, up + round(after * clip.fps) + 1), last)
        found.append(replace(clip, qpos=clip.qpos[rows], cyclic=False))
    return found


def marks(xpos: np.ndarray, xquat: np.ndarray) -> np.ndarray:
    """What poses are compared by, (pose, mark, 3): where the bodies are, and a point ahead of the root."""
    ahead = xpos[:, :1] + AHEAD * rotation.rotate(xquat[:, :1], np.array([1.0, 0.0, 0.0]))
    return np.concatenate([xpos, ahead], axis=1)


class Rises:
    """Rising motions of one body at one rate, to be laid over bodies that lie.

    `worth` (clip,) is the share of bodies that got up by each: the nearest motion need not be one that leads up.
    """

    def __init__(self, clips: Sequence[BodyClip], worth: np.ndarray | None = None):
        self.clips, lengths = clips, [clip.frames for clip in clips]
        self.worth = np.zeros(len(clips)) if worth is None else worth
        self.owner = np.repeat(np.arange(len(clips)), lengths)
        self.frame = np.concatenate([np.arange(length) for length in lengths])
        self.left = (np.repeat(lengths, lengths) - 1 - self.frame) / clips[0].fps
        self.marks = np.concatenate([marks(*clip.positions()) for clip in clips])
        self.longest = max(lengths) + round(LEAD * clips[0].fps)
        """Frames of the longest motion that leads a body up."""

    def _seen(self, qpos: np.ndarray) -> np.ndarray:
        return marks(*self.clips[0].body.places(qpos))

    def distances(self, qpos: np.ndarray) -> np.ndarray:
        """Metres from each body that lies in a pose (pose, nq) to each frame of all clips, (pose, frame)."""
        return distances(self._seen(qpos), self.marks, self.left)

    def rows(self, qpos: np.ndarray) -> np.ndarray:
        """For each such body, the number of the frame that leads it best, over all clips; `owner` tells whose it is."""
        return np.argmin(self.distances(qpos) - HELPS * self.worth[self.owner], axis=1)

    def nearest(self, qpos: np.ndarray, most: int) -> np.ndarray:
        """For each such body, the numbers of its nearest frames (pose, most), one of each clip; fewer of few clips."""
        away, firsts = self.distances(qpos), np.flatnonzero(np.diff(self.owner, prepend=-1))
        parts = zip(np.split(away, firsts[1:], axis=1), firsts, strict=True)
        rows = np.stack([part.argmin(axis=1) + first for part, first in parts], axis=1)
        return np.take_along_axis(rows, np.take_along_axis(away, rows, 1).argsort(axis=1)[:, :most], 1)

    def leads(self, qpos: np.ndarray, rows: np.ndarray | None = None) -> list[BodyClip]:
        """For each such body, the motion that leads it from there to its feet, by its best frame or those given."""
        lying, found = self._seen(qpos), []
        rows = self.rows(qpos) if rows is None else rows
        for pose, row, turn, place in zip(qpos, rows, *laid(lying, self.marks[rows]), strict=True):
            clip = self.clips[self.owner[row]]
            found.append(replace(clip, qpos=led(pose, moved(clip.qpos[self.frame[row] :], turn, place), clip.fps)))
        return found


def moved(qpos: np.ndarray, turn: float, place: np.ndarray) -> np.ndarray:
    """Poses (frame, nq) turned about z through the origin, and then moved over the floor."""
    q, found = rotation.about("z", np.asarray(turn)), qpos.copy()
    found[:, :3] = rotation.rotate(q, qpos[:, :3]) + np.append(place, 0.0)
    found[:, 3:7] = rotation.multiply(q, qpos[:, 3:7])
    return found


def led(pose: np.ndarray, motion: np.ndarray, fps: float) -> np.ndarray:
    """Poses (frame, nq) that lead from a pose to the first of a motion, from rest to rest, and then follow it."""
    part = np.arange(round(LEAD * fps)) / round(LEAD * fps)
    to = np.repeat(motion[:1], len(part), axis=0)
    return np.concatenate([mixed(np.tile(pose, (len(part), 1)), to, part**2 * (3.0 - 2.0 * part)), motion])


def laid(bodies: np.ndarray, motions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn about z (pose,), and then way over the floor (pose, 2), by which the marks of `motions` come as near as can
    be to those of `bodies`, (pose, mark, 3) each."""
    turn = np.angle((_plane(bodies) * _plane(motions).conj()).sum(axis=1))
    centre = rotation.rotate(rotation.about("z", turn), motions.mean(axis=1))
    return turn, (bodies.mean(axis=1) - centre)[:, :2]


def distances(bodies: np.ndarray, frames: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Metres from each of `bodies` (pose, mark, 3) to each of `frames` (frame, mark, 3), wherever it lies and however
    it is turned; frames with fewer seconds `left` (frame,) to go count as a little nearer."""
    flat, other = _plane(bodies), _plane(frames)
    alike = np.abs(flat @ other.conj().T) + bodies[..., 2] @ frames[..., 2].T
    own, others = ((np.abs(one) ** 2).sum(1) for one in (flat, other))
    high, higher = ((one[..., 2] ** 2).sum(1) for one in (bodies, frames))
    square = np.maximum((own + high)[:, None] + others + higher - 2.0 * alike, 0.0)
    return np.sqrt(square / bodies.shape[1]) + HURRY * left


def _plane(marked: np.ndarray) -> np.ndarray:
    """Where marks (pose, mark, 3) are over the floor, seen from their centre, as complex numbers (pose, mark)."""
    flat = marked[..., 0] + 1j * marked[..., 1]
    return flat - flat.mean(axis=1, keepdims=True)
