"""A motion repeated: each round goes on where and facing where the one before left off, and is led over to."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lactic import rotation
from lactic.motion import sampling
from lactic.motion.body_clip import BodyClip
from lactic.motion.clip import Clip, carry_on

NEAR_END, SHARE = 2.0, 0.25  # seconds from either end, and share of the clip, in which a round may be left or joined
BLEND = 0.4  # seconds in which one round is led over to the next
TRAVELS = 0.5  # m/s over the floor, in the mean: such a clip travels
SPEED = 0.15  # seconds: what a difference of speeds counts beside one of places


class Rounds(NamedTuple):
    """What each frame of a repeated clip is made of: two frames of the clip, and how much the second counts."""

    early: np.ndarray
    late: np.ndarray
    share: np.ndarray


def seam(clip: BodyClip) -> tuple[int, int, int]:
    """The frame at which a round is left, the one at which the next is joined, and how many frames both then run on.

    Those two are chosen near the ends of the clip after which poses and speeds differ least (Kovar 2002). A cycle is
    left at its last frame, which is its first.
    """
    last = clip.frames - 1
    if clip.cyclic or last < 6:
        return last, 0, 0
    width = max(1, min(round(BLEND * clip.fps), last // 6))
    room = max(1, min(round(NEAR_END * clip.fps), round(SHARE * last)))
    speeds = clip.qvel()
    way = rotation.rotate_back(rotation.heading_rotation(clip.qpos[:, 3:7]), speeds[:, :3])
    lean = rotation.log(rotation.without_heading(clip.qpos[:, 3:7]))
    features = [clip.qpos[:, 2:3], lean, clip.qpos[:, 7:], SPEED * way, SPEED * speeds[:, 3:]]
    told = np.concatenate(features, axis=1)
    first = max(last - width - room, room)
    tail, head = told[first:], told[: room + width + 1]
    apart = np.sum((tail[:, None] - head[None]) ** 2, axis=2)
    rows, columns = len(tail) - width, len(head) - width
    cost = sum(apart[k : k + rows, k : k + columns] for k in range(width + 1))
    leave, join = np.unravel_index(np.argmin(cost), (rows, columns))
    return first + int(leave), int(join), width


def times_for(clip: BodyClip, frames: int) -> int:
    """How many times in a row a clip lasts for so many frames."""
    leave, join, _ = seam(clip)
    return 1 + max(0, -(-(frames - clip.frames) // (leave - join)))


def speed(clip: BodyClip) -> float:
    """Mean speed over the floor, m/s."""
    return float(np.linalg.norm(np.diff(clip.qpos[:, :2], axis=0), axis=1).sum() / max(clip.seconds, 1e-6))


def lasting(clip: BodyClip, seconds: float) -> BodyClip:
    """The clip repeated until it lasts for so many seconds, and cut there."""
    return repeated(clip, times_for(clip, round(seconds * clip.fps) + 1))[0].cut(0.0, seconds)


def repeated(clip: BodyClip, times: int) -> tuple[BodyClip, Rounds]:
    """The clip `times` in a row, and what each frame is made of."""
    leave, join, width = seam(clip)
    end = clip.frames - 1
    rise = np.linspace(0.0, 1.0, width + 1)
    rise = rise**2 * (3 - 2 * rise)  # starts and ends at rest
    qpos, early = clip.qpos.copy(), np.arange(clip.frames)
    late, share = early.copy(), np.zeros(clip.frames)
    for _ in range(times - 1):
        cut = len(qpos) - 1 - (end - leave)
        coming = clip.qpos[join:].copy()
        coming[:, :3], coming[:, 3:7] = carry_on(qpos[cut, :3], qpos[cut, 3:7], coming[:, :3], coming[:, 3:7])
        over = slice(cut, cut + width + 1)
        coming[: width + 1] = mixed(qpos[over], coming[: width + 1], rise)
        joined = np.arange(join, clip.frames)
        share = np.concatenate([share[:cut], rise if width else [1.0], np.ones(len(joined) - width - 1)])
        early = np.concatenate([early[: cut + width + 1], joined[width + 1 :]])
        late = np.concatenate([late[:cut], joined])
        qpos = np.concatenate([qpos[:cut], coming])
    return replace(clip, qpos=qpos, cyclic=clip.cyclic and times < 2), Rounds(early, late, share)


def mixed(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Poses (frame, nq) between two others."""
    pose = a + share[:, None] * (b - a)
    pose[:, 3:7] = rotation.slerp(a[:, 3:7], b[:, 3:7], share)
    return pose


def repeated_like(source: Clip, rounds: Rounds, fps: float) -> Clip:
    """A clip's joints repeated as a body's motion was that was made of it at `fps`; its root stays on its own path."""

    def at(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        when = frames * (source.fps / fps)
        return sampling.sample(source.root_pos, when), sampling.sample_rotations(source.rotations, when)

    place, turned = at(np.where(rounds.share < 1.0, rounds.early, rounds.late))
    both = (rounds.share > 0.0) & (rounds.share < 1.0)
    there, other = at(rounds.late[both])
    part = rounds.share[both]
    place[both] += part[:, None] * (there - place[both])
    turned[both] = rotation.slerp(turned[both], other, part[:, None])
    return replace(source, fps=fps, root_pos=place, rotations=turned, cyclic=False)
