"""Rotations one at a time, compiled: what the kernels of the kinematic character are made of.

Vectors and quaternions come as anything that can be indexed (array rows, tuples) and go as tuples, so that nothing is
allocated. Conventions are those of `lactic.rotation`, which does the same for batches. Without numba
the same code runs uncompiled: some hundred times slower, and still in real time.
"""

from math import atan2, cos, sin, sqrt
from typing import Any

from lactic.compiling import njit

Quaternion = Any  # four numbers that can be indexed
Vector = Any  # three of them


@njit(cache=True)
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation `b` followed by `a`."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@njit(cache=True)
def conjugate(q: Quaternion) -> Quaternion:
    """The inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@njit(cache=True)
def cross(a: Vector, b: Vector) -> Vector:
    """The cross product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@njit(cache=True)
def dot(a: Vector, b: Vector) -> float:
    """The scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def rotate(q: Quaternion, v: Vector) -> Vector:
    """Turn `v` by `q`."""
    tx = 2 * (q[2] * v[2] - q[3] * v[1])
    ty = 2 * (q[3] * v[0] - q[1] * v[2])
    tz = 2 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@njit(cache=True)
def rotate_back(q: Quaternion, v: Vector) -> Vector:
    """Turn `v` by the inverse of `q`."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


@njit(cache=True)
def exp(v: Vector) -> Quaternion:
    """Quaternion of a rotation vector."""
    squared = dot(v, v)
    if squared < 1e-12:
        scale, w = 0.5 - squared / 48, 1 - squared / 8
    else:
        angle = sqrt(squared)
        scale, w = sin(angle / 2) / angle, cos(angle / 2)
    return (w, scale * v[0], scale * v[1], scale * v[2])


@njit(cache=True)
def log(q: Quaternion) -> Vector:
    """Rotation vector of a quaternion, the short way round."""
    sign = -1.0 if q[0] < 0 else 1.0
    squared = q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if squared < 1e-12:
        scale = sign * (2 + squared / 3)
    else:
        sine = sqrt(squared)
        scale = sign * 2 * atan2(sine, sign * q[0]) / sine
    return (scale * q[1], scale * q[2], scale * q[3])


@njit(cache=True)
def normalised(q: Quaternion) -> Quaternion:
    """The quaternion at unit length."""
    scale = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (scale * q[0], scale * q[1], scale * q[2], scale * q[3])


@njit(cache=True)
def between(a: Vector, b: Vector) -> Quaternion:
    """The shortest rotation that turns the direction of `a` into that of `b`; none where either is zero or opposite."""
    lengths = sqrt(dot(a, a) * dot(b, b))
    w = lengths + dot(a, b)
    if w < 1e-9 * lengths or lengths < 1e-18:
        return (1.0, 0.0, 0.0, 0.0)
    x, y, z = cross(a, b)
    return normalised((w, x, y, z))


@njit(cache=True)
def about(axis: int, angle: float) -> Quaternion:
    """A turn about x (0), y (1) or z (2)."""
    s = sin(angle / 2)
    return (cos(angle / 2), s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0)


@njit(cache=True)
def heading(q: Quaternion) -> float:
    """Yaw of the forward axis."""
    return atan2(2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]))


@njit(cache=True)
def wrap(angle: float) -> float:
    """The same angle in [-pi, pi]."""
    return atan2(sin(angle), cos(angle))


@njit(cache=True)
def right_jacobian(v: Vector, u: Vector) -> Vector:
    """Angular velocity, in the rotated frame, of exp(v) while v changes at the rate u."""
    squared = dot(v, v)
    if squared < 1e-8:
        first, second = -0.5 + squared / 24, 1 / 6 - squared / 120
    else:
        angle = sqrt(squared)
        first, second = -(1 - cos(angle)) / squared, (angle - sin(angle)) / (squared * angle)
    c = cross(v, u)
    d = cross(v, c)
    return (
        u[0] + first * c[0] + second * d[0],
        u[1] + first * c[1] + second * d[1],
        u[2] + first * c[2] + second * d[2],
    )


@njit(cache=True)
def right_jacobian_inverse(v: Vector, w: Vector) -> Vector:
    """The rate of v at which exp(v) turns with the angular velocity `w` of its own frame."""
    squared = dot(v, v)
    if squared < 1e-8:
        second = 1 / 12 + squared / 720
    else:
        angle = sqrt(squared)
        second = 1 / squared - cos(angle / 2) / (2 * angle * sin(angle / 2))
    c = cross(v, w)
    d = cross(v, c)
    return (
        w[0] + 0.5 * c[0] + second * d[0],
        w[1] + 0.5 * c[1] + second * d[1],
        w[2] + 0.5 * c[2] + second * d[2],
    )


@njit(cache=True)
def to_euler(q: Quaternion, i: int, j: int, k: int) -> Vector:
    """Three angles with R = R[i]·R[j]·R[k] for different axes, as `rotation.to_euler`; the middle one in ±pi/2."""
    even = 1.0 if (j - i) % 3 == 1 else -1.0
    w, x, y, z = q[0], q[1 + i], even * q[1 + j], q[1 + k]
    half_sum, half_difference = atan2(x + z, w + y), atan2(x - z, w - y)
    rising = sqrt((x + z) * (x + z) + (w + y) * (w + y))
    falling = sqrt((x - z) * (x - z) + (w - y) * (w - y))
    middle = even * (2 * atan2(rising, falling) - 1.5707963267948966)
    return (wrap(half_sum + half_difference), middle, wrap(half_sum - half_difference))
