"""A clip on a body: joint angles that MuJoCo and a controller can use as they are."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import mujoco
import numpy as np

from lactic import body as bodies
from lactic import rotation
from lactic.errors import InputError
from lactic.files import save_arrays
from lactic.motion import sampling
from lactic.motion.clip import Clip, carry_on

SEAM_SECONDS = 0.25  # over which the end of a cycle is led to its start


@dataclass(frozen=True, eq=False)
class BodyClip:
    """Motion of a body: qpos (frame, nq) in MuJoCo's order, root position and quaternion first."""

    body_name: str
    fps: float
    qpos: np.ndarray
    name: str = "clip"
    cyclic: bool = False
    """Whether the last frame is the first one again, moved on."""

    @cached_property
    def body(self) -> bodies.Body:
        """The body this clip is for."""
        return bodies.get(self.body_name)

    @property
    def frames(self) -> int:
        """How many poses there are."""
        return len(self.qpos)

    @property
    def seconds(self) -> float:
        """Time from the first pose to the last."""
        return (self.frames - 1) / self.fps

    def qvel(self) -> np.ndarray:
        """Velocities (frame, nv) in MuJoCo's convention: root linear in the world, root angular in its own frame."""
        if self.cyclic and self.frames > 2:
            around = np.concatenate([self._before(), self.qpos, self._after()])
            return _velocity(around, self.fps)[1:-1]
        return _velocity(self.qpos, self.fps)

    def resample(self, fps: float, smooth: bool | None = None) -> "BodyClip":
        """The same motion at another rate; `smooth` (cubics) by default where the rate goes up."""
        if not (np.isfinite(fps) and fps > 0):
            raise InputError(f"fps {fps}: must be positive")
        smooth = fps > self.fps * 1.01 if smooth is None else smooth
        at, track = sampling.frame_times(self.frames, self.fps, fps), self.qpos
        if self.cyclic and self.frames > 2:
            # a period that is no whole number of new frames is stretched to one, so that the seam stays
            count = max(round(self.seconds * fps), 2)
            track = np.concatenate([self._before(), self.qpos, self._after()])
            at = 1 + np.linspace(0, self.frames - 1, count + 1)
        moved = sampling.sample(track, at, smooth)
        moved[:, 3:7] = sampling.sample_rotations(track[:, 3:7], at, smooth)
        moved[:, 7:] = np.clip(moved[:, 7:], *self.body.range.T)  # cubics may overshoot
        return replace(self, fps=float(fps), qpos=moved)

    def mirror(self) -> "BodyClip":
        """The motion seen in a mirror: left becomes right."""
        flipped = self.qpos.copy()
        flipped[:, 1] *= -1
        flipped[:, [4, 6]] *= -1
        flipped[:, 7:] = self.qpos[:, 7:][:, self.body.mirror] * self.body.mirror_sign
        return replace(self, name=f"{self.name}_mirror", qpos=flipped)

    def loop(self, times: int) -> "BodyClip":
        """The clip `times` in a row, each repetition starting where (and facing where) the one before ended."""
        parts = [self.qpos]
        for _ in range(times - 1):
            parts.append(_shifted(self.qpos[1:], self.qpos[0], parts[-1][-1]))
        return replace(self, qpos=np.concatenate(parts), cyclic=self.cyclic and times < 2)

    def gap(self) -> float:
        """The largest angle, in radians, by which a joint or the root's lean at the end differs from the start."""
        lean = rotation.without_heading(self.qpos[[0, -1], 3:7])
        root = float(rotation.angle(rotation.multiply(rotation.conjugate(lean[0]), lean[1])))
        return max(root, float(np.abs(self.qpos[-1, 7:] - self.qpos[0, 7:]).max()))

    def closed(self) -> "BodyClip":
        """A cyclic clip whose last pose is exactly the first, moved on straight; the frames before it lead over."""
        first, last = self.qpos[0], self.qpos[-1]
        steps = max(min(round(SEAM_SECONDS * self.fps), self.frames // 3), 1)
        part = np.clip((np.arange(self.frames) - (self.frames - 1 - steps)) / steps, 0, 1)[:, None]
        share = part**2 * (3 - 2 * part)  # starts and ends at rest
        gap = rotation.log(rotation.multiply(first[3:7], rotation.conjugate(last[3:7])))
        qpos = self.qpos.copy()
        qpos[:, 2] += share[:, 0] * (first[2] - last[2])
        qpos[:, 7:] = np.clip(qpos[:, 7:] + share * (first[7:] - last[7:]), *self.body.range.T)
        qpos[:, 3:7] = rotation.multiply(rotation.exp(share * gap), qpos[:, 3:7])
        return replace(self, qpos=qpos, cyclic=True)

    def cut(self, start: float, end: float) -> "BodyClip":
        """The part between two times in seconds."""
        first, last = (round(float(np.clip(t, 0, self.seconds)) * self.fps) for t in (start, end))
        return replace(self, qpos=self.qpos[first : max(first, last) + 1], cyclic=False)

    def positions(self) -> tuple[np.ndarray, np.ndarray]:
        """World positions (frame, body, 3) and rotations (frame, body, 4) of the rigid bodies, by MuJoCo."""
        return self.body.places(self.qpos)

    def to_clip(self) -> Clip:
        """The motion as a skeleton of the body's rigid bodies, for writing it to a file."""
        return replace(skeleton_clip(self.body, self.qpos, self.fps, self.name), cyclic=self.cyclic)

    def save(self, path: str | Path) -> None:
        """Write the clip to a small npz of plain arrays."""
        about = {"fps": self.fps, "body": self.body_name, "name": self.name, "cyclic": self.cyclic}
        joints = np.array(self.body.joints)
        save_arrays(path, {"qpos": self.qpos, "joints": joints} | {key: np.array(x) for key, x in about.items()})

    @staticmethod
    def load(path: str | Path) -> "BodyClip":
        """Read what `save` wrote; nothing is unpickled."""
        try:
            with np.load(path, allow_pickle=False) as held:
                clip = BodyClip(
                    str(held["body"]),
                    float(held["fps"]),
                    np.asarray(held["qpos"], dtype=float),
                    str(held["name"]),
                    bool(held["cyclic"]),
                )
                joints = tuple(map(str, held["joints"]))
        except Exception as error:  # NumPy and zipfile let many kinds through on damaged archives
            raise InputError(f"{path}: not a clip saved by Lactic, or a damaged one ({error})") from error
        if joints != clip.body.joints or clip.qpos.ndim != 2 or clip.qpos.shape[1] != clip.body.model.nq:
            raise InputError(f"{path}: made for another version of the body '{clip.body_name}'; retarget it again")
        if not clip.frames or not np.isfinite(clip.qpos).all() or not clip.fps > 0:
            raise InputError(f"{path}: holds no frames, or NaN or infinite values")
        return clip

    def _before(self) -> np.ndarray:
        """The pose before the first one of a cyclic clip: the last but one of the cycle before."""
        return _shifted(self.qpos[-2:-1], self.qpos[-1], self.qpos[0])

    def _after(self) -> np.ndarray:
        return _shifted(self.qpos[1:2], self.qpos[0], self.qpos[-1])


def skeleton_clip(body: bodies.Body, qpos: np.ndarray, fps: float, name: str) -> Clip:
    """Poses (frame, nq) of any body as a clip of a skeleton, a joint for each of its rigid bodies."""
    model, (_, turned) = body.model, body.places(qpos)
    parents, local = tuple(int(p) - 1 for p in model.body_parentid[1:]), turned.copy()
    for j, parent in enumerate(parents):
        if parent >= 0:
            local[:, j] = rotation.multiply(rotation.conjugate(turned[:, parent]), turned[:, j])
    offsets = model.body_pos[1:].copy()
    offsets[0] = 0.0
    tips = np.array([_tip(model, i) for i in range(1, model.nbody)])
    return Clip(name, fps, body.bodies, parents, offsets, np.array(qpos[:, :3], float), local, tips=tips)


def _shifted(qpos: np.ndarray, start: np.ndarray, onto: np.ndarray) -> np.ndarray:
    """Poses moved in the plane and about z by what takes the pose `start` to `onto`; heights are kept."""
    track = np.concatenate([start[None], qpos])
    moved = track.copy()
    moved[:, :3], moved[:, 3:7] = carry_on(onto[:3], onto[3:7], track[:, :3], track[:, 3:7])
    return moved[1:]


def _velocity(qpos: np.ndarray, fps: float) -> np.ndarray:
    linear, angular = sampling.rate(qpos[:, :3], fps), sampling.angular_rate(qpos[:, 3:7], fps)
    return np.concatenate([linear, angular, sampling.rate(qpos[:, 7:], fps)], axis=1)


def _tip(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Where a leaf body's shape ends, seen from its joint: the far side of its geoms' middle."""
    if body in model.body_parentid[1:]:
        return np.zeros(3)
    geoms = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body]
    return 2 * np.mean([model.geom_pos[g] for g in geoms], axis=0) if geoms else np.zeros(3)
