"""Turning a track of rotations into angles of three hinges, the last about z, within limits and without jumps.

Every rotation has two sets of angles, and with the middle one at ±90° infinitely many (gimbal lock; for x, y, z a
thigh or an arm held straight forward). So the branch is chosen over the whole clip at once: a shortest path through
candidate angles, then Gauss-Newton on the sum of squared rotation errors and a little squared speed, which decides
where rotations do not. Angles faster or more sudden than any joint of a person are made to give way: near gimbal lock,
or where a capture is broken, a limb may have to cut a corner.
"""

from collections.abc import Callable

import numpy as np

from lactic import rotation

GRID = np.radians(10.0)
# costs per squared radian between frames, against squared radians of error
SPEED_COST = 0.3  # in choosing the branch
SMOOTHING = 2e-3  # in the final fit: a thousandth of a running swing, but enough to decide at gimbal lock
TOO_FAST_COST = 1.0  # of what goes beyond the speed limit
SPEED_LIMIT = 25.0  # rad/s; kicking knees reach about this
SUDDEN_COST = 3.0  # of what goes beyond the largest acceleration, in radians per squared 30th of a second
SUDDEN = 300.0  # rad/s² that are too sudden, unless told otherwise; a running knee reaches about this
SETTLED = 1e-4  # radians below which no step changes anything any more
SIZE_COST = 2e-4  # of two equal ways, the one nearer rest
ITERATIONS = 30
LARGEST_STEP = 0.3


def fit(
    target: np.ndarray,
    fps: float,
    low: np.ndarray,
    high: np.ndarray,
    twist_weight: np.ndarray | float = 1.0,
    order: str = "xyz",
    sudden: float = SUDDEN,
) -> np.ndarray:
    """Angles (frame, 3) of the hinges (xyz: Rx·Ry·Rz) nearest `target`; twist about the limb counts `twist_weight`, and
    accelerations beyond `sudden` rad/s² give way."""
    weight = np.ones((len(target), 3))
    weight[:, 2] = twist_weight
    allowed = SPEED_LIMIT / fps
    path = _shortest_path(target, allowed, low, high, weight, order)

    def linear(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        jacobian = _jacobian(angles, order) * weight[..., None]
        residual = error(angles, target, order) * weight
        return np.einsum("tki,tkj->tij", jacobian, jacobian), np.einsum("tij,ti->tj", jacobian, residual)

    return _smooth(path, linear, allowed, fps, low, high, sudden)


def bend(along: np.ndarray, fps: float, low: float, high: float) -> np.ndarray:
    """Angles (frame,) of one hinge about y, which turns a limb that hangs down nearest to `along` (frame, 3), without
    jumps: a limb that points along its hinge, or that cannot bend so far, says little of the angle."""
    wanted, weight = np.arctan2(-along[:, 0], -along[:, 2]), np.hypot(along[:, 0], along[:, 2])
    grid = np.linspace(low, high, max(int(np.ceil((high - low) / GRID)), 1) + 1)
    candidates = np.concatenate(
        [nearest(wanted, low, high)[:, None], np.broadcast_to(grid, (len(along), len(grid)))], 1
    )
    own = (weight[:, None] * rotation.wrap(candidates - wanted[:, None])) ** 2
    angles = _cheapest(candidates[..., None], own, SPEED_LIMIT / fps)
    lows, highs = np.array([low]), np.array([high])

    def linear(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        off = rotation.wrap(angles - wanted[:, None])
        return weight[:, None, None] ** 2, weight[:, None] ** 2 * off

    return _smooth(angles, linear, SPEED_LIMIT / fps, fps, lows, highs, SUDDEN)[:, 0]


def eased(track: np.ndarray, fps: float, largest: float) -> np.ndarray:
    """A track (frame, n) moved as little as can be so that hardly anything of it accelerates beyond `largest`."""
    wide = np.full(track.shape[1], np.inf)

    def linear(moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.broadcast_to(np.eye(track.shape[1]), (*track.shape, track.shape[1])), moved - track

    return _smooth(track, linear, np.inf, fps, -wide, wide, largest, 0.0)


def error(angles: np.ndarray, target: np.ndarray, order: str = "xyz") -> np.ndarray:
    """Rotation vector (…, 3), in the limb's own frame, from `target` to what the hinges give."""
    return rotation.log(rotation.multiply(rotation.conjugate(target), rotation.from_euler(angles, order)))


def nearest(angle: np.ndarray, low: np.ndarray | float, high: np.ndarray | float) -> np.ndarray:
    """The angle, whole turns added, that lies in or nearest the range; then clipped to it."""
    middle = (low + high) / 2
    return np.clip(middle + rotation.wrap(angle - middle), low, high)


def _candidates(target: np.ndarray, low: np.ndarray, high: np.ndarray, order: str) -> np.ndarray:
    """Angles (frame, candidate, 3): both exact branches, and the best others for each first angle of a grid."""
    exact = rotation.to_euler(target, order)
    other = np.stack([exact[:, 0] + np.pi, np.pi - exact[:, 1], exact[:, 2] + np.pi], axis=-1)
    grid = np.linspace(low[0], high[0], max(int(np.ceil((high[0] - low[0]) / GRID)), 1) + 1)
    first = np.broadcast_to(grid, (len(target), len(grid)))
    left = rotation.multiply(rotation.about(order[0], -first), target[:, None])
    limb = rotation.to_matrix(left)[..., 2]  # where the z axis still has to go
    middle = np.arctan2(limb[..., 0], limb[..., 2]) if order[1] == "y" else np.arctan2(-limb[..., 1], limb[..., 2])
    middle = nearest(middle, low[1], high[1])
    rest = rotation.to_matrix(rotation.multiply(rotation.about(order[1], -middle), left))
    twist = np.arctan2(rest[..., 1, 0] - rest[..., 0, 1], rest[..., 0, 0] + rest[..., 1, 1])
    candidates = np.concatenate([exact[:, None], other[:, None], np.stack([first, middle, twist], axis=-1)], axis=1)
    return nearest(candidates, low, high)


def _shortest_path(
    target: np.ndarray, allowed: float, low: np.ndarray, high: np.ndarray, weight: np.ndarray, order: str
) -> np.ndarray:
    """The cheapest sequence of candidates (Viterbi): error, speed and size."""
    candidates = _candidates(target, low, high, order)
    own = np.sum((weight[:, None] * error(candidates, target[:, None], order)) ** 2, axis=-1)
    own = own + SIZE_COST * np.sum(candidates**2, axis=-1)
    return _cheapest(candidates, own, allowed)


def _cheapest(candidates: np.ndarray, own: np.ndarray, allowed: float) -> np.ndarray:
    """Of candidates (frame, candidate, angle), each with a cost of its own, the cheapest sequence (frame, angle)."""
    frames, cost = len(own), own[0]
    came_from = np.zeros(own.shape, dtype=int)
    for t in range(1, frames):
        step = np.abs(candidates[t][None] - candidates[t - 1][:, None])
        too_fast = np.maximum(step - allowed, 0)
        total = cost[:, None] + np.sum(SPEED_COST * step**2 + TOO_FAST_COST * too_fast**2, axis=-1)
        came_from[t] = np.argmin(total, axis=0)
        cost = np.min(total, axis=0) + own[t]
    path = np.empty(frames, dtype=int)
    path[-1] = np.argmin(cost)
    for t in range(frames - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
    return candidates[np.arange(frames), path]


def _smooth(
    angles: np.ndarray,
    linear: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    allowed: float,
    fps: float,
    low: np.ndarray,
    high: np.ndarray,
    largest: float,
    smoothing: float = SMOOTHING,
) -> np.ndarray:
    """Projected Gauss-Newton on all frames together: what `linear` gives the curvature (frame, n, n) and gradient
    (frame, n) of, a little squared speed, and what is too fast or too sudden."""
    unit, sudden = fps**2 / 900.0, largest / 900.0
    for _ in range(ITERATIONS):
        hessian, gradient = linear(angles)
        gradient = gradient.copy()
        steps = np.diff(angles, axis=0)
        pull = smoothing * steps + TOO_FAST_COST * np.sign(steps) * np.maximum(np.abs(steps) - allowed, 0)
        gradient[1:] += pull
        gradient[:-1] -= pull
        links = smoothing + TOO_FAST_COST * (np.abs(steps) > allowed)
        curve = unit * np.diff(angles, 2, axis=0)
        push = SUDDEN_COST * unit * np.sign(curve) * np.maximum(np.abs(curve) - sudden, 0)
        gradient[2:] += push
        gradient[1:-1] -= 2.0 * push
        gradient[:-2] += push
        stiff = SUDDEN_COST * unit**2 * (np.abs(curve) > sudden)
        # an angle at its limit that is pushed outwards stays there
        held = ((angles <= low) & (gradient > 0)) | ((angles >= high) & (gradient < 0))
        move = _solve(hessian, gradient, links, stiff, held)
        angles = np.clip(angles - np.clip(move, -LARGEST_STEP, LARGEST_STEP), low, high)
        if np.abs(move).max() < SETTLED:
            break
    return angles


def _jacobian(angles: np.ndarray, order: str) -> np.ndarray:
    """Columns: the hinge axes in the limb's frame (frame, 3, 3)."""
    last = rotation.about(order[2], angles[:, 2])
    after_first = rotation.multiply(rotation.about(order[1], angles[:, 1]), last)
    columns = [rotation.to_matrix(after_first)[:, "xyz".index(order[0])]]
    columns += [rotation.to_matrix(last)[:, "xyz".index(order[1])]]
    columns += [np.broadcast_to(np.eye(3)["xyz".index(order[2])], angles.shape)]
    return np.stack(columns, axis=-1)


def _solve(
    hessian: np.ndarray, gradient: np.ndarray, links: np.ndarray, stiff: np.ndarray, held: np.ndarray
) -> np.ndarray:
    """Solve the banded system of all frames, coupled by speeds `links` and accelerations `stiff`, with the held angles
    left out."""
    from scipy.linalg import solveh_banded  # here, since play and training need no scipy

    n, free = gradient.shape[1], (~held).astype(float)
    own, to_next = np.full_like(gradient, 1e-9), -links
    for part, share in ((own[1:], links), (own[:-1], links), (own[2:], stiff), (own[1:-1], 4.0 * stiff)):
        part += share
    own[:-2] += stiff
    for part in (to_next[1:], to_next[:-1]):
        part -= 2.0 * stiff
    blocks = hessian + own[:, :, None] * np.eye(n)
    blocks = blocks * free[:, :, None] * free[:, None, :] + np.eye(n) * (1 - free)[:, :, None]
    band = np.zeros((2 * n + 1, *gradient.shape))  # row k: the k-th diagonal below the main one, as LAPACK wants it
    for k in range(n):
        band[k, :, : n - k] = np.diagonal(blocks, -k, 1, 2)
    band[n, :-1] = to_next * free[:-1] * free[1:]  # from each angle to the same one in the next frame
    band[2 * n, :-2] = stiff * free[:-2] * free[2:]  # and in the one after that
    move = solveh_banded(band.reshape(2 * n + 1, -1), (gradient * free).ravel(), lower=True, check_finite=False)
    return move.reshape(gradient.shape)
