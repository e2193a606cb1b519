"""Quaternion and heading maths, batch first, on NumPy arrays and torch tensors alike.

Quaternions are `(w, x, y, z)`, unit, along the last axis; `q` and `-q` are the same rotation. Nothing here branches
on values (only `where`), so every function can be traced into ONNX and no element can affect another.
"""

from typing import Any

from array_api_compat import array_namespace

Array = Any  # a NumPy array or a torch tensor

_AXES = {"x": 0, "y": 1, "z": 2}
_TINY = 1e-12


def multiply(a: Array, b: Array) -> Array:
    """The rotation `b` followed by `a` (Hamilton product a·b)."""
    xp = array_namespace(a, b)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return xp.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: Array) -> Array:
    """The inverse rotation of a unit quaternion."""
    xp = array_namespace(q)
    return xp.concat([q[..., :1], -q[..., 1:]], axis=-1)


def normalize(v: Array) -> Array:
    """Scale a quaternion or vector to unit length (a zero vector stays zero)."""
    xp = array_namespace(v)
    length = xp.sqrt(xp.sum(v * v, axis=-1, keepdims=True))
    return v / xp.where(length > _TINY, length, xp.ones_like(length))


def cross(a: Array, b: Array) -> Array:
    """The cross product of vectors along the last axis."""
    xp = array_namespace(a, b)
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def rotate(q: Array, v: Array) -> Array:
    """Turn the vectors `v` (..., 3) by `q` (..., 4)."""
    twice = 2.0 * cross(q[..., 1:], v)
    return v + q[..., :1] * twice + cross(q[..., 1:], twice)


def rotate_back(q: Array, v: Array) -> Array:
    """Turn `v` by the inverse of `q`: world vectors into the frame of `q`."""
    return rotate(conjugate(q), v)


def to_matrix(q: Array) -> Array:
    """Rotation matrix (..., 3, 3) of a unit quaternion."""
    xp = array_namespace(q)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        xp.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
        xp.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
        xp.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
    ]
    return xp.stack(rows, axis=-2)


def from_matrix(m: Array) -> Array:
    """Unit quaternion with w >= 0 of a rotation matrix (..., 3, 3)."""
    xp = array_namespace(m)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    # 4·q·q^T row by row; the row of the largest diagonal element loses no digits (Shepperd 1978)
    tw, tx, ty, tz = 1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz
    best = xp.stack([tw, wx, wy, wz], axis=-1)
    largest = tw
    for diagonal, row in ((tx, [wx, tx, xy, xz]), (ty, [wy, xy, ty, yz]), (tz, [wz, xz, yz, tz])):
        better = diagonal > largest
        best = xp.where(better[..., None], xp.stack(row, axis=-1), best)
        largest = xp.where(better, diagonal, largest)
    return positive(normalize(best))


def positive(q: Array) -> Array:
    """The same rotation with w >= 0."""
    xp = array_namespace(q)
    return xp.where(q[..., :1] < 0, -q, q)


def exp(v: Array) -> Array:
    """Quaternion of a rotation vector (..., 3): axis times angle in radians."""
    xp = array_namespace(v)
    squared = xp.sum(v * v, axis=-1, keepdims=True)
    small = squared < 1e-12
    angle = xp.sqrt(xp.where(small, xp.ones_like(squared), squared))
    scale = xp.where(small, 0.5 - squared / 48, xp.sin(angle / 2) / angle)
    return xp.concat([xp.where(small, 1 - squared / 8, xp.cos(angle / 2)), scale * v], axis=-1)


def log(q: Array) -> Array:
    """Rotation vector (..., 3) of a quaternion, the short way round: angle in [0, pi]."""
    xp = array_namespace(q)
    q = positive(q)
    squared = xp.sum(q[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    small = squared < 1e-12
    sine = xp.sqrt(xp.where(small, xp.ones_like(squared), squared))
    return xp.where(small, 2 + squared / 3, 2 * xp.atan2(sine, q[..., :1]) / sine) * q[..., 1:]


def angle(q: Array) -> Array:
    """How far the rotation turns, in [0, pi]."""
    xp = array_namespace(q)
    return 2 * xp.atan2(xp.sqrt(xp.sum(q[..., 1:] * q[..., 1:], axis=-1)), xp.abs(q[..., 0]))


def slerp(a: Array, b: Array, t: Array) -> Array:
    """Rotate from `a` (t = 0) to `b` (t = 1) at constant speed the short way; `t` has no quaternion axis."""
    xp = array_namespace(a, b)
    return normalize(multiply(a, exp(log(multiply(conjugate(a), b)) * xp.asarray(t)[..., None])))


def between(a: Array, b: Array) -> Array:
    """The shortest rotation that turns the direction of `a` into that of `b`."""
    xp = array_namespace(a, b)
    a, b = normalize(a), normalize(b)
    a, b = a + xp.zeros_like(b), b + xp.zeros_like(a)
    w = 1 + xp.sum(a * b, axis=-1, keepdims=True)
    # opposite vectors: half a turn about any axis across `a`; take the one across its smallest component pair
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    flat = xp.stack([-ay, ax, xp.zeros_like(az)], axis=-1)
    steep = xp.stack([xp.zeros_like(ax), -az, ay], axis=-1)
    across = xp.where(xp.abs(az)[..., None] < 0.8, flat, steep)
    opposite = w < 1e-7
    half_turn = xp.concat([xp.zeros_like(w), across], axis=-1)
    return normalize(xp.where(opposite, half_turn, xp.concat([w, cross(a, b)], axis=-1)))


def about(axis: str, turn: Array) -> Array:
    """Quaternion of a turn by `turn` radians about the axis 'x', 'y' or 'z'."""
    xp = array_namespace(turn)
    parts = [xp.cos(turn / 2)] + [xp.zeros_like(turn)] * 3
    parts[1 + _AXES[axis]] = xp.sin(turn / 2)
    return xp.stack(parts, axis=-1)


def from_euler(angles: Array, order: str = "xyz") -> Array:
    """Quaternion of three turns (..., 3) with R = R[order[0]]·R[order[1]]·R[order[2]], so "xyz" is Rx·Ry·Rz."""
    q = about(order[0], angles[..., 0])
    for i in range(1, len(order)):
        q = multiply(q, about(order[i], angles[..., i]))
    return q


def to_euler(q: Array, order: str = "xyz") -> Array:
    """Three angles with R = R[order[0]]·R[order[1]]·R[order[2]] for three different axes; the middle one in ±pi/2.

    Sum and difference of the outer angles are found apart (Bernardes and Viollet 2022), so near gimbal lock the split
    between them is arbitrary but the rotation stays exact.
    """
    xp = array_namespace(q)
    i, j, k = (_AXES[axis] for axis in order)
    even = 1.0 if (j - i) % 3 == 1 else -1.0
    w, x, y, z = q[..., 0], q[..., 1 + i], even * q[..., 1 + j], q[..., 1 + k]
    half_sum = xp.atan2(x + z, w + y)
    half_difference = xp.atan2(x - z, w - y)
    rising = xp.sqrt((x + z) * (x + z) + (w + y) * (w + y))
    falling = xp.sqrt((x - z) * (x - z) + (w - y) * (w - y))
    middle = even * (2 * xp.atan2(rising, falling) - xp.pi / 2)
    return xp.stack([wrap(half_sum + half_difference), middle, wrap(half_sum - half_difference)], axis=-1)


def wrap(turn: Array) -> Array:
    """The same angle in [-pi, pi)."""
    xp = array_namespace(turn)
    return turn - 2 * xp.pi * xp.floor(turn / (2 * xp.pi) + 0.5)


def heading(q: Array) -> Array:
    """Yaw of the forward axis: the angle about +z from world x to the body's x, in [-pi, pi]."""
    xp = array_namespace(q)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    return xp.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))


def heading_rotation(q: Array) -> Array:
    """The rotation about z alone that has the heading of `q`."""
    return about("z", heading(q))


def without_heading(q: Array) -> Array:
    """`q` seen from a frame that shares its heading: roll and pitch are left."""
    return multiply(conjugate(heading_rotation(q)), q)


def two_axes(q: Array) -> Array:
    """The x and z axes of the rotated frame (..., 6): a rotation without the jump of a quaternion's sign."""
    xp = array_namespace(q)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    return xp.stack(
        [
            1 - 2 * (y * y + z * z),
            2 * (x * y + w * z),
            2 * (x * z - w * y),
            2 * (x * z + w * y),
            2 * (y * z - w * x),
            1 - 2 * (x * x + y * y),
        ],
        axis=-1,
    )
