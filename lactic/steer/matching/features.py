"""What frames are compared by (bergamin2020 Sec. 3.1.2 and 5.1): velocities, feet, and the way ahead.

All of it is seen from the character frame: its origin is the root's place on the floor, x is where the root looks,
z up. So a motion has the same features wherever it happens and whichever way it faces.
"""

import numpy as np

from lactic import rotation
from lactic.brain.layout import Layout
from lactic.errors import InputError
from lactic.motion import sampling

AHEAD = (0.33, 0.66, 1.0)  # seconds; trajectory and headings are given there
SIDES = ("left", "right")

GROUPS: dict[str, tuple[int, ...]] = {
    "root_velocity": (3,),
    "foot_positions": (2, 3),
    "foot_velocities": (2, 3),
    "trajectory": (len(AHEAD), 2),
    "headings": (len(AHEAD), 2),
}
"""Each group's shape; feet are left, then right."""


SLICES = Layout(**{name: int(np.prod(shape)) for name, shape in GROUPS.items()})
COUNT = SLICES.size

# what each group counts; bergamin2020 weights all alike, on captures made for it. With less on the way ahead, a
# character of general captures keeps to whatever slow walk it is in, and turns late
WEIGHTS = {"root_velocity": 1.0, "foot_positions": 0.75, "foot_velocities": 1.0, "trajectory": 2.0, "headings": 2.5}

LEAST_SHARE = 0.3  # of its vector's deviation that a component is taken to have at least
LEAST_DEVIATION = 1e-3  # m, m/s or nothing; a feature that never changes must not be divided by zero


def weight_vector(weights: dict[str, float] | None = None) -> np.ndarray:
    """A weight per feature (feature,) from weights per group; groups not named keep their own."""
    weights = weights or {}
    unknown = set(weights) - set(GROUPS)
    if unknown:
        raise InputError(f"no features '{sorted(unknown)[0]}'; there are: {', '.join(GROUPS)}")
    full = np.empty(COUNT)
    for name, part in SLICES.items():
        value = float(weights.get(name, WEIGHTS[name]))
        if not (np.isfinite(value) and value >= 0):
            raise InputError(f"weight of {name} is {value}: must be zero or more")
        full[part] = value
    if not full.any():
        raise InputError("all weights are zero: nothing would be compared")
    return full


def vector(
    root_velocity: np.ndarray,
    foot_positions: np.ndarray,
    foot_velocities: np.ndarray,
    trajectory: np.ndarray,
    headings: np.ndarray,
) -> np.ndarray:
    """Features (…, feature) from groups of the shapes in `GROUPS`, all in the character frame."""
    values = (root_velocity, foot_positions, foot_velocities, trajectory, headings)
    parts = []
    for (name, shape), value in zip(GROUPS.items(), values, strict=True):
        value = np.asarray(value, dtype=float)
        if value.shape[value.ndim - len(shape) :] != shape:
            raise InputError(f"{name} has shape {value.shape}; its last axes must be {shape}")
        parts.append(value.reshape(*value.shape[: value.ndim - len(shape)], -1))
    return np.concatenate(parts, axis=-1)


def character_frame(position: np.ndarray, root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Origin on the floor (…, 3) and yaw (…) of the character frame of roots at `position` turned by `root`."""
    origin = np.asarray(position, dtype=float).copy()
    origin[..., 2] = 0.0
    return origin, rotation.heading(np.asarray(root, dtype=float))


def into_frame(yaw: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """World vectors (…, 2 or 3) turned into frames whose yaw (…) has as many axes as the vectors less the last."""
    cosine, sine = np.cos(yaw), np.sin(yaw)
    turned = np.array(vectors, dtype=float)
    turned[..., 0] = cosine * vectors[..., 0] + sine * vectors[..., 1]
    turned[..., 1] = cosine * vectors[..., 1] - sine * vectors[..., 0]
    return turned


def of_clip(qpos: np.ndarray, feet: np.ndarray, fps: float) -> np.ndarray:
    """Features (frame, feature) of one clip with foot positions (frame, 2, 3); beyond its end it is taken to stand."""
    origin, yaw = character_frame(qpos[:, :3], qpos[:, 3:7])
    ahead = np.minimum(np.arange(len(qpos))[:, None] + np.array(steps_ahead(fps)), len(qpos) - 1)
    turn = yaw[ahead] - yaw[:, None]
    return vector(
        into_frame(yaw, sampling.rate(qpos[:, :3], fps)),
        into_frame(yaw[:, None], feet - origin[:, None]),
        into_frame(yaw[:, None], sampling.rate(feet, fps)),
        into_frame(yaw[:, None], (origin[ahead] - origin[:, None])[..., :2]),
        np.stack([np.cos(turn), np.sin(turn)], axis=-1),
    )


def steps_ahead(fps: float) -> tuple[int, ...]:
    """`AHEAD` in frames."""
    return tuple(round(seconds * fps) for seconds in AHEAD)


def spread(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation (feature,) to normalise by.

    A component that hardly varies beside the others of its vector (the cosine of a heading beside the sine) would
    count most of all; so it is given a share of the whole vector's deviation at least.
    """
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    for name, part in SLICES.items():
        width = GROUPS[name][-1]
        vectors = deviation[part].reshape(-1, width)
        least = LEAST_SHARE * np.sqrt(np.mean(vectors**2, axis=1, keepdims=True))
        deviation[part] = np.maximum(vectors, np.maximum(least, LEAST_DEVIATION)).ravel()
    return mean, deviation
