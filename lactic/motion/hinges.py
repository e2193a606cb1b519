"""Turning a track of rotations into angles of three hinges, the last about z, within limits and without jumps.

Every rotation has two sets of angles, and with the middle one at ±90° infinitely many (gimbal lock; for x, y, z a
thigh or an arm held straight forward). So the branch is chosen over the whole clip at once: a shortest path through
candidate angles, then Gauss-Newton on the sum of squared rotation errors and a little squared speed, which decides
where rotations do not. Angles faster than any joint of a person are made to give way: near gimbal lock a limb may
have to cut a corner.
"""

import numpy as np

from lactic import rotation

GRID = np.radians(10.0)
# costs per squared radian between frames, against squared radians of error
SPEED_COST = 0.3  # in choosing the branch
SMOOTHING = 2e-3  # in the final fit: a thousandth of a running swing, but enough to decide at gimbal lock
TOO_FAST_COST = 1.0  # of what goes beyond the speed limit
SPEED_LIMIT = 25.0  # rad/s; kicking knees reach about this
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
) -> np.ndarray:
    """Angles (frame, 3) of the hinges (xyz: Rx·Ry·Rz) nearest `target`; twist about the limb counts `twist_weight`."""
    weight = np.ones((len(target), 3))
    weight[:, 2] = twist_weight
    allowed = SPEED_LIMIT / fps
    path = _shortest_path(target, allowed, low, high, weight, order)
    return _refine(path, target, allowed, low, high, weight, order)


def error(angles: np.ndarray, target: np.ndarray, order: str = "xyz") -> np.ndarray:
    """Rotation vector (…, 3), in the limb's own frame, from `target` to what the hinges give."""
    return rotation.log(rotation.multiply(rotation.conjugate(target), rotation.from_euler(angles, order)))


def nearest(angle: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
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
    frames = len(target)
    own = np.sum((weight[:, None] * error(candidates, target[:, None], order)) ** 2, axis=-1)
    own = own + SIZE_COST * np.sum(candidates**2, axis=-1)
    cost = own[0]
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


def _refine(
    angles: np.ndarray,
    target: np.ndarray,
    allowed: float,
    low: np.ndarray,
    high: np.ndarray,
    weight: np.ndarray,
    order: str,
) -> np.ndarray:
    """Projected Gauss-Newton on all frames together."""
    for _ in range(ITERATIONS):
        jacobian = _jacobian(angles, order) * weight[..., None]
        residual = error(angles, target, order) * weight
        gradient = np.einsum("tij,ti->tj", jacobian, residual)
        steps = np.diff(angles, axis=0)
        pull = SMOOTHING * steps + TOO_FAST_COST * np.sign(steps) * np.maximum(np.abs(steps) - allowed, 0)
        gradient[1:] += pull
        gradient[:-1] -= pull
        links = SMOOTHING + TOO_FAST_COST * (np.abs(steps) > allowed)
        hessian = np.einsum("tki,tkj->tij", jacobian, jacobian)
        # an angle at its limit that is pushed outwards stays there
        held = ((angles <= low) & (gradient > 0)) | ((angles >= high) & (gradient < 0))
        move = _solve(hessian, gradient, links, held)
        angles = np.clip(angles - np.clip(move, -LARGEST_STEP, LARGEST_STEP), low, high)
    return angles


def _jacobian(angles: np.ndarray, order: str) -> np.ndarray:
    """Columns: the hinge axes in the limb's frame (frame, 3, 3)."""
    last = rotation.about(order[2], angles[:, 2])
    after_first = rotation.multiply(rotation.about(order[1], angles[:, 1]), last)
    columns = [rotation.to_matrix(after_first)[:, "xyz".index(order[0])]]
    columns += [rotation.to_matrix(last)[:, "xyz".index(order[1])]]
    columns += [np.broadcast_to(np.eye(3)["xyz".index(order[2])], angles.shape)]
    return np.stack(columns, axis=-1)


def _solve(hessian: np.ndarray, gradient: np.ndarray, links: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Solve the banded system of all frames, coupled by the speed terms, with the held angles left out."""
    from scipy.linalg import solveh_banded  # here, since play and training need no scipy

    free = (~held).astype(float)
    both = np.pad(links, ((1, 0), (0, 0))) + np.pad(links, ((0, 1), (0, 0)))
    blocks = hessian + (both + 1e-9)[:, :, None] * np.eye(3)
    blocks = blocks * free[:, :, None] * free[:, None, :] + np.eye(3) * (1 - free)[:, :, None]
    band = np.zeros((4, *gradient.shape))  # row k: the k-th diagonal below the main one, as LAPACK wants it
    for k in range(3):
        band[k, :, : 3 - k] = np.diagonal(blocks, -k, 1, 2)
    band[3, :-1] = -links * free[:-1] * free[1:]  # from each angle to the same one in the next frame
    move = solveh_banded(band.reshape(4, -1), (gradient * free).ravel(), lower=True, check_finite=False)
    return move.reshape(gradient.shape)
