"""Motion to be measured: poses of many episodes side by side, whether simulated or from a clip."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lactic.body import Body
from lactic.motion.body_clip import BodyClip
from lactic.motion.ground import clearance

TOUCHING = 0.03
"""A part lower than this above the floor counts as touching it, m: soft contacts and retargeted soles are not exact."""
FLAT, HEEL = 0.01, 0.015
"""A sole lower than the one, with its joint no higher above where it is in standing than the other, lies flat, m."""
SLOW, SLOWEST = 0.5, 0.5
"""A foot that carries moves at less than this share of the body's own speed, or at less than so many m/s. Swinging feet
pass the floor at a centimetre or two, faster than the body."""


@dataclass
class Take:
    """Episodes of one body, time first: arrays are (frame, episode, …), float32."""

    body: Body
    fps: float
    qpos: np.ndarray
    xpos: np.ndarray
    """Positions of the rigid bodies, (frame, episode, body, 3)."""
    clearance: np.ndarray
    """Height of each rigid body's lowest point above the floor, (frame, episode, body)."""
    fell_at: np.ndarray
    """Frame at which each episode was over by a fall; the number of frames asked for where it was not."""

    def __len__(self) -> int:
        return len(self.qpos)

    @property
    def episodes(self) -> int:
        """How many there are."""
        return self.qpos.shape[1]

    @cached_property
    def alive(self) -> np.ndarray:
        """Where an episode still counts, (frame, episode)."""
        return np.arange(len(self))[:, None] < self.fell_at

    @cached_property
    def up(self) -> np.ndarray:
        """Height of the root's own up axis: 1 upright, −1 upside down, (frame, episode)."""
        x, y = self.qpos[..., 4], self.qpos[..., 5]
        return 1 - 2 * (x * x + y * y)

    @cached_property
    def lowest(self) -> np.ndarray:
        """Height of the whole body's lowest point, (frame, episode)."""
        return self.clearance.min(-1)

    @cached_property
    def contact(self) -> np.ndarray:
        """Whether each foot touches the floor, (frame, episode, foot)."""
        return self.clearance[..., self.columns(self.body.feet)] < TOUCHING

    @cached_property
    def foot_speed(self) -> np.ndarray:
        """Speed of each foot's joint over the floor, m/s, (frame, episode, foot)."""
        return self._speed(self.xpos[:, :, self.columns(self.body.feet), :2])

    @cached_property
    def planted(self) -> np.ndarray:
        """Whether each foot stands: low, and slow beside the body, (frame, episode, foot)."""
        own = self._speed(self.qpos[:, :, None, :2])
        return self.contact & (self.foot_speed < np.maximum(SLOW * own, SLOWEST))

    @cached_property
    def flat(self) -> np.ndarray:
        """Whether each foot lies on the floor with its whole sole, at any speed, (frame, episode, foot)."""
        feet = self.columns(self.body.feet)
        rest = self.body.rest[None]
        standing = self.body.places(rest)[0][0, feet, 2] - clearance(self.body, rest).min()
        return (self.clearance[..., feet] < FLAT) & (self.xpos[..., feet, 2] < standing + HEEL)

    def _speed(self, place: np.ndarray) -> np.ndarray:
        """Of places (frame, episode, …, 2), m/s."""
        if len(self) < 2:
            return np.zeros(place.shape[:-1])
        return np.linalg.norm(np.gradient(place, axis=0), axis=-1) * self.fps

    def columns(self, names: tuple[str, ...]) -> list[int]:
        """Places of rigid bodies in `xpos` and `clearance`."""
        return [self.body.bodies.index(name) for name in names]

    def foot_height(self) -> np.ndarray:
        """Height of each foot's joint, (frame, episode, foot)."""
        return self.xpos[..., self.columns(self.body.feet), 2]


def of_clip(clip: BodyClip, fps: float = 30.0, repeats: int = 1) -> Take:
    """A clip as a take of one episode, played `repeats` times in a row."""
    played = clip.resample(fps).loop(repeats)
    at, _ = played.positions()
    low = clearance(played.body, played.qpos)
    poses, places, lowest = (x[:, None].astype(np.float32) for x in (played.qpos, at, low))
    return Take(played.body, fps, poses, places, lowest, np.array([played.frames]))
