"""What a body did: speed, flight, turns, kicks, steps, rest, jitter. Pure functions of (frame, episode, …) arrays."""

from dataclasses import dataclass

import numpy as np

from lactic import rotation
from lactic.lab.events import Phases, mean_by_episode, phases, smooth
from lactic.lab.take import TOUCHING, Take

INVERTED, HORIZONTAL, UPRIGHT = -0.4, 0.0, 0.7
"""Heights of the root's up axis: upside down enough for a turn, half way, and standing again."""
KICK = 0.6
"""A foot joint this high (m) kicks: two thirds of the hip's height, above any stride of the clips."""
KICK_TURN = 0.4
"""Turns about the body's long axis in the second around a kick's peak, at least: it is a turning kick."""
FLIGHT = 0.1
"""Seconds with nothing on the ground that are a flight."""
RIGHT, LEFT = 0, 1
"""Places in the feet of a body with two legs."""
SWING = 0.1
"""Seconds a foot must have swung for its landing to be a step."""
REST_SPEED, REST_JOINTS = 0.4, 1.5
"""Slower than this (m/s of the root, rad/s of the joints, RMS) over a third of a second is at rest: swaying and
shifting feet count, walking (1 m/s) does not."""


def speed(qpos: np.ndarray, fps: float, window: float = 1.0) -> np.ndarray:
    """Ground covered in the `window` seconds around each frame, m/s, (frame, episode): swaying is no speed."""
    half = max(1, min(round(window * fps / 2), (len(qpos) - 1) // 2))
    at = np.arange(len(qpos))
    low, high = np.maximum(at - half, 0), np.minimum(at + half, len(qpos) - 1)
    moved = np.linalg.norm(qpos[high, :, :2] - qpos[low, :, :2], axis=-1)
    return moved * fps / np.maximum(high - low, 1)[:, None]


def spin(quat: np.ndarray) -> np.ndarray:
    """Turns (1 = once around) about the body's own axes x, y, z since the first frame, (frame, episode, 3)."""
    step = rotation.log(rotation.multiply(rotation.conjugate(quat[:-1]), quat[1:]))
    return np.concatenate([np.zeros_like(quat[:1, ..., :3]), np.cumsum(step, axis=0)]) / (2 * np.pi)


@dataclass
class Flights(Phases):
    """Phases off the ground."""

    height: np.ndarray
    """Greatest clearance of the lowest point, m."""
    apex: np.ndarray
    """Greatest height of the root, m."""
    length: np.ndarray
    """Ground covered by the root, m."""


def flights(take: Take) -> Flights:
    """Phases of at least `FLIGHT` seconds with nothing on the ground, landed before the end or the fall."""
    found = phases((take.lowest > TOUCHING) & take.alive, max(1, round(FLIGHT * take.fps)))
    found = found.where((found.end < len(take)) & (found.end < take.fell_at[found.episode]) & (found.start > 0))
    leave, land = take.qpos[found.start - 1, found.episode, :2], take.qpos[found.end, found.episode, :2]
    return Flights(
        found.episode,
        found.start,
        found.end,
        found.most(take.lowest),
        found.most(take.qpos[..., 2]),
        np.linalg.norm(land - leave, axis=-1),
    )


@dataclass
class Turns(Phases):
    """Full turns of the body head over heels; `start` to `end` from leaving upright to standing again."""

    kind: np.ndarray
    """backward, forward, left or right: where the head went first."""
    middle: np.ndarray
    """Frame of the deepest inversion."""

    def of(self, *kinds: str) -> "Turns":
        """Those of the given kinds."""
        own = np.isin(self.kind, kinds)
        return Turns(self.episode[own], self.start[own], self.end[own], self.kind[own], self.middle[own])


def turns(quat: np.ndarray, alive: np.ndarray, fps: float) -> Turns:
    """Flips and cartwheels: the up axis goes down on one side and comes up on the other, then the body stands.

    The sides are compared in the world (a body that tips over and rocks back returns on the same side), so yaw and
    twist on the way do not matter; the kind is read in the body's frame.
    """
    x, y, z = (quat[..., k] for k in (1, 2, 3))
    w = quat[..., 0]
    up = 1 - 2 * (x * x + y * y)
    leaning = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x)], -1)  # where the up axis points, on the floor
    inside = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x)], -1)  # where the world's up is, in the body
    below = phases((up < HORIZONTAL) & alive)
    deepest = below.least(up)
    # frames where the body was last and is next upright, per frame
    upright = np.where((up > UPRIGHT) & alive, np.arange(len(up))[:, None], -1)
    last = np.maximum.accumulate(upright, axis=0)
    far = np.where(upright >= 0, upright, len(up))
    following = np.minimum.accumulate(far[::-1], axis=0)[::-1]
    kept = []
    for e, a, b, depth in zip(below.episode, below.start, below.end, deepest, strict=True):
        if depth > INVERTED or b >= len(up) or not alive[b, e] or last[a, e] < 0:
            continue
        stands = following[b, e]
        if stands >= len(up) or stands - b > 2 * fps or leaning[a, e] @ leaning[b, e] >= 0:
            continue
        forward, sideways = inside[a, e] - inside[b, e]
        if abs(forward) >= abs(sideways):
            kind = "backward" if forward > 0 else "forward"
        else:
            kind = "right" if sideways > 0 else "left"
        kept.append((e, last[a, e], stands, kind, a + int(np.argmin(up[a:b, e]))))
    episode, start, end, kinds, middle = zip(*kept, strict=True) if kept else ((),) * 5
    numbers = [np.array(column, int) for column in (episode, start, end)]
    return Turns(numbers[0], numbers[1], numbers[2], np.array(kinds, str), np.array(middle, int))


@dataclass
class Kicks(Phases):
    """Turning kicks."""

    height: np.ndarray
    """Greatest height of the kicking foot's joint, m."""
    jump: np.ndarray
    """Greatest clearance of the lowest point meanwhile, m (below TOUCHING: not airborne)."""
    turned: np.ndarray
    """Turns about the long axis in the second around the peak, signed (left positive)."""


def kicks(take: Take) -> Kicks:
    """Moments when a foot rises above `KICK` while the upright body spins; both feet of one jump are one kick."""
    feet = take.foot_height().max(-1)
    found = phases((feet > KICK) & (take.up > 0.2) & take.alive, 2, gap=round(0.3 * take.fps))
    found = found.where(found.end < np.minimum(len(take), take.fell_at[found.episode]))
    turned = spin(take.qpos[..., 3:7].astype(float))[..., 2]
    half, last = round(0.5 * take.fps), len(take) - 1
    spans = zip(found.episode, found.start, found.end, strict=True)
    peak = np.array([a + int(np.argmax(feet[a:b, e])) for e, a, b in spans], int)
    around = turned[np.minimum(peak + half, last), found.episode] - turned[np.maximum(peak - half, 0), found.episode]
    spun = np.abs(around) >= KICK_TURN
    found, around = found.where(spun), around[spun]
    margin = round(0.2 * take.fps)
    wide = Phases(found.episode, np.maximum(found.start - margin, 0), np.minimum(found.end + margin, last))
    return Kicks(found.episode, found.start, found.end, found.most(feet), wide.most(take.lowest), around)


def joint_speed(qpos: np.ndarray, fps: float) -> np.ndarray:
    """RMS speed of the joints, rad/s, (frame, episode)."""
    rate = np.gradient(qpos[..., 7:], axis=0) * fps
    return np.sqrt((rate**2).mean(-1))


def resting(take: Take) -> np.ndarray:
    """Whether a body is slow and upright, (frame, episode)."""
    window = round(take.fps / 3)
    root = np.gradient(smooth(take.qpos[..., :3], window), axis=0) * take.fps
    slow = np.linalg.norm(root, axis=-1) < REST_SPEED
    calm = smooth(joint_speed(take.qpos, take.fps), window) < REST_JOINTS
    return slow & calm & (take.up > UPRIGHT) & take.alive


def rests(take: Take) -> Phases:
    """Times at rest of a second or more; a twitch of a fifth of a second does not end one."""
    return phases(resting(take), round(take.fps), gap=round(0.2 * take.fps))


def helpful_rests(rest: Phases, capacity: np.ndarray, repetition: Phases) -> Phases:
    """Rests during which mean RC (frame, episode) rises, with a repetition of the same episode after them."""
    gain = capacity[rest.end - 1, rest.episode] - capacity[rest.start, rest.episode]
    last = np.full(len(capacity[0]), -1)
    np.maximum.at(last, repetition.episode, repetition.start)
    return rest.where((gain > 0) & (last[rest.episode] >= rest.end - 1))


def jitter(angles: np.ndarray, fps: float, mask: np.ndarray) -> np.ndarray:
    """RMS acceleration of joints, rad/s², over the masked frames, (episode,); NaN where there are none."""
    second = np.zeros(angles.shape)
    second[1:-1] = (angles[2:] - 2 * angles[1:-1] + angles[:-2]) * fps * fps
    inside = mask.copy()
    inside[[0, -1]] = False
    inside[1:-1] &= mask[2:] & mask[:-2]
    frames = inside.sum(0)
    total = ((second**2).mean(-1) * inside).sum(0)
    return np.sqrt(np.where(frames > 0, total / np.maximum(frames, 1), np.nan))


def skate(take: Take) -> np.ndarray:
    """Mean speed of feet that lie flat on the floor, m/s, (episode,); NaN where none ever does."""
    held = take.flat & take.alive[..., None]
    frames = held.sum((0, 2))
    return np.where(frames > 0, (take.foot_speed * held).sum((0, 2)) / np.maximum(frames, 1), np.nan)


def facing_error(quat: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Angle between where the root faces and a direction on the floor (…, 2), radians, unsigned."""
    asked = np.arctan2(direction[..., 1], direction[..., 0])
    return np.abs(rotation.wrap(rotation.heading(quat.astype(float)) - asked))


@dataclass
class Steps:
    """Landings of feet, by episode, then time."""

    episode: np.ndarray
    frame: np.ndarray
    foot: np.ndarray
    """Index into the body's feet (the humanoid's: 0 right, 1 left)."""
    height: np.ndarray
    """Greatest height of the foot's joint in the swing before, m."""
    length: np.ndarray
    """Ground covered since the other foot's last landing, foot to foot, along the way, m; NaN for the first."""
    seconds: np.ndarray
    """Time since the other foot's last landing; NaN for the first."""


def steps(take: Take) -> Steps:
    """Every landing of a foot after a swing, while the episode counts."""
    found = []
    for foot, name in enumerate(take.body.feet):
        air = phases(~take.planted[..., foot] & take.alive, max(1, round(SWING * take.fps)), gap=1)
        landed = (air.end < np.minimum(len(take), take.fell_at[air.episode])) & (air.start > 0)
        air = air.where(landed)
        height = air.most(take.xpos[:, :, take.body.bodies.index(name), 2])
        found.append(np.stack([air.episode, air.end, np.full(len(air), foot), height], 1))
    table = np.concatenate(found)
    table = table[np.lexsort((table[:, 1], table[:, 0]))]
    episode, frame, foot = table[:, :3].astype(int).T
    length, seconds = np.full(len(table), np.nan), np.full(len(table), np.nan)
    where = np.array(take.columns(take.body.feet))
    place = take.xpos[frame, episode, where[foot], :2]
    # the step before, if it was another foot's in the same episode
    before = np.arange(1, len(table)) - 1
    other = (episode[1:] == episode[:-1]) & (foot[1:] != foot[:-1])
    now, before = np.arange(1, len(table))[other], before[other]
    way = take.qpos[frame[now], episode[now], :2] - take.qpos[frame[before], episode[before], :2]
    way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-6)
    length[now] = ((place[now] - place[before]) * way).sum(1)
    seconds[now] = (frame[now] - frame[before]) / take.fps
    return Steps(episode, frame, foot, table[:, 3], length, seconds)


def asymmetry(steps: Steps, values: np.ndarray, episodes: int) -> np.ndarray:
    """(L − R)/mean of L and R of a quantity of the steps, per episode; 0 if even, NaN where a side is missing."""
    known = np.isfinite(values)
    sides = [mean_by_episode(steps.episode, values, episodes, known & (steps.foot == foot)) for foot in (LEFT, RIGHT)]
    return (sides[0] - sides[1]) / (0.5 * (sides[0] + sides[1]))
