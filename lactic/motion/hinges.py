"""Turning a track of rotations into angles of three hinges: x, then y, then z, within limits and without jumps.

Every rotation has two sets of angles, and at y = ±90° infinitely many (gimbal lock: a thigh or an arm held straight
forward). So the branch is chosen over the whole clip at once: a shortest path through candidate angles, then
Gauss-Newton on the sum of squared rotation errors and a little squared speed, which decides where rotations do not.
"""

import numpy as np

from lactic import rotation

GRID = np.radians(10.0)
SPEED_COST = 0.02  # per squared radian a frame, against squared radians of error, in choosing the branch
SIZE_COST = 2e-4  # of two equal ways, the one nearer rest
SMOOTHING = 2e-3  # the speed term in the final fit: a thousandth of a running swing, but enough at gimbal lock
ITERATIONS = 15
LARGEST_STEP = 0.3


def fit(target: np.ndarray, low: np.ndarray, high: np.ndarray, twist_weight: float = 1.0) -> np.ndarray:
    """Angles (frame, 3) with Rx·Ry·Rz nearest `target` (frame, 4); twist about the limb counts `twist_weight`."""
    weight = np.array([1.0, 1.0, twist_weight])
    return _refine(_shortest_path(target, low, high, weight), target, low, high, weight)


def error(angles: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Rotation vector (…, 3), in the limb's own frame, from `target` to what the hinges give."""
    return rotation.log(rotation.multiply(rotation.conjugate(target), rotation.from_euler(angles, "xyz")))


def nearest(angle: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The angle, whole turns added, that lies in or nearest the range; then clipped to it."""
    middle = (low + high) / 2
    return np.clip(middle + rotation.wrap(angle - middle), low, high)


def _candidates(target: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Angles (frame, candidate, 3): both exact branches, and the best y and z for each x of a grid over its range."""
    exact = rotation.to_euler(target, "xyz")
    other = np.stack([exact[:, 0] + np.pi, np.pi - exact[:, 1], exact[:, 2] + np.pi], axis=-1)
    grid = np.linspace(low[0], high[0], max(int(np.ceil((high[0] - low[0]) / GRID)), 1) + 1)
    x = np.broadcast_to(grid, (len(target), len(grid)))
    left = rotation.to_matrix(rotation.multiply(rotation.about("x", -x), target[:, None]))
    y = nearest(np.arctan2(left[..., 0, 2], left[..., 2, 2]), low[1], high[1])
    rest = rotation.to_matrix(rotation.multiply(rotation.about("y", -y), rotation.from_matrix(left)))
    z = np.arctan2(rest[..., 1, 0] - rest[..., 0, 1], rest[..., 0, 0] + rest[..., 1, 1])
    candidates = np.concatenate([exact[:, None], other[:, None], np.stack([x, y, z], axis=-1)], axis=1)
    return nearest(candidates, low, high)


def _shortest_path(target: np.ndarray, low: np.ndarray, high: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The cheapest sequence of candidates (Viterbi): error, speed and size."""
    candidates = _candidates(target, low, high)
    frames = len(target)
    own = np.sum((weight * error(candidates, target[:, None])) ** 2, axis=-1)
    own = own + SIZE_COST * np.sum(candidates**2, axis=-1)
    cost = own[0]
    came_from = np.zeros(own.shape, dtype=int)
    for t in range(1, frames):
        step = np.sum((candidates[t][None] - candidates[t - 1][:, None]) ** 2, axis=-1)
        total = cost[:, None] + SPEED_COST * step
        came_from[t] = np.argmin(total, axis=0)
        cost = np.min(total, axis=0) + own[t]
    path = np.empty(frames, dtype=int)
    path[-1] = np.argmin(cost)
    for t in range(frames - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
    return candidates[np.arange(frames), path]


def _refine(
    angles: np.ndarray, target: np.ndarray, low: np.ndarray, high: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Projected Gauss-Newton on all frames together."""
    for _ in range(ITERATIONS):
        jacobian = _jacobian(angles) * weight[:, None]
        residual = error(angles, target) * weight
        gradient = np.einsum("tij,ti->tj", jacobian, residual)
        steps = np.diff(angles, axis=0)
        gradient[1:] += SMOOTHING * steps
        gradient[:-1] -= SMOOTHING * steps
        hessian = np.einsum("tki,tkj->tij", jacobian, jacobian)
        # an angle at its limit that is pushed outwards stays there
        held = ((angles <= low) & (gradient > 0)) | ((angles >= high) & (gradient < 0))
        move = _solve(hessian, gradient, held)
        angles = np.clip(angles - np.clip(move, -LARGEST_STEP, LARGEST_STEP), low, high)
    return angles


def _jacobian(angles: np.ndarray) -> np.ndarray:
    """Columns: the hinge axes in the limb's frame (frame, 3, 3)."""
    y, z = angles[:, 1], angles[:, 2]
    cy, sy, cz, sz = np.cos(y), np.sin(y), np.cos(z), np.sin(z)
    zero, one = np.zeros_like(y), np.ones_like(y)
    columns = [(cy * cz, -cy * sz, sy), (sz, cz, zero), (zero, zero, one)]
    return np.stack([np.stack(column, axis=-1) for column in columns], axis=-1)


def _solve(hessian: np.ndarray, gradient: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Solve the block-tridiagonal system of all frames, coupled by the speed term, with the held angles left out."""
    frames = len(gradient)
    free = (~held).astype(float)
    ends = np.full(frames, 2.0)
    ends[0] -= 1
    ends[-1] -= 1
    diagonal = hessian + (SMOOTHING * ends + 1e-9)[:, None, None] * np.eye(3)
    diagonal = diagonal * free[:, :, None] * free[:, None, :] + np.eye(3) * (1 - free)[:, :, None]
    right = gradient * free
    inverse = np.empty_like(diagonal)
    for t in range(frames):
        block = diagonal[t]
        if t:
            coupling = -SMOOTHING * free[t - 1] * free[t]  # the identity block between neighbours, diagonal
            block = block - coupling[:, None] * inverse[t - 1] * coupling[None, :]
            right[t] -= coupling * (inverse[t - 1] @ right[t - 1])
        inverse[t] = np.linalg.inv(block)
    move = np.empty_like(right)
    for t in range(frames - 1, -1, -1):
        ahead = 0.0 if t == frames - 1 else -SMOOTHING * free[t] * free[t + 1] * move[t + 1]
        move[t] = inverse[t] @ (right[t] - ahead)
    return move
