"""The law of `law` for thousands of characters: three Warp kernels for a physics step, all inside the world's graph.

The world is the fastest index everywhere, so neighbouring threads do the same with neighbouring numbers: they read and
write whole cache lines, take the same branches, and share what they read of the muscles. Nothing is added up by atomic
operations. `pull` writes what a newton in its muscle does at each anchor; `gather` then adds up, for each body, what
its anchors get, in a fixed order. So a path is walked once, and results repeat to the last bit.
"""

# Warp's own language: mutable scalars are declared by a call, and mypy cannot read it
# ruff: noqa: UP018
# mypy: ignore-errors

import math

import warp as wp

from lactic.muscle.man.law import LEAST, PASSIVE_CAP

_LEAST, _CAP, _PASSIVE = wp.constant(LEAST), wp.constant(PASSIVE_CAP), wp.constant(math.expm1(4.0))


@wp.struct
class Paths:
    """Anchors of all muscles, as `Strands` has them; bodies count without MuJoCo's world body."""

    start: wp.array[int]  # (muscle + 1,)
    body: wp.array2d[int]  # (anchor, 2)
    weight: wp.array2d[float]  # (anchor, 2)
    place: wp.array2d[wp.vec3]  # (anchor, 2)


@wp.struct
class Fibres:
    """Properties of the muscles, as `Strands` has them, and their rates F, R, r, L, rule."""

    force: wp.array[float]
    fibre: wp.array[float]
    tendon: wp.array[float]
    rest: wp.array[float]
    rates: wp.array2d[float]


@wp.func
def turned(w: float, axis: wp.vec3, v: wp.vec3):
    """A vector turned by a quaternion."""
    half = wp.cross(axis, v)
    return v + 2.0 * (w * half + wp.cross(axis, half))


@wp.func
def place_of(pose: wp.array3d[float], body: int, world: int):
    """Where a body is."""
    return wp.vec3(pose[body, 0, world], pose[body, 1, world], pose[body, 2, world])


@wp.func
def carried(pose: wp.array3d[float], body: int, world: int, place: wp.vec3, origin: wp.vec3):
    """Where a body carries a place of its own frame, seen from `origin`."""
    axis = wp.vec3(pose[body, 4, world], pose[body, 5, world], pose[body, 6, world])
    return (place_of(pose, body, world) - origin) + turned(pose[body, 3, world], axis, place)


@wp.func
def anchor(paths: Paths, pose: wp.array3d[float], a: int, world: int, origin: wp.vec3):
    """An anchor between its bodies (Eq. 18), seen from `origin`."""
    share = paths.weight[a, 0]
    point = carried(pose, paths.body[a, 0], world, paths.place[a, 0], origin)
    if share < 1.0:
        other = carried(pose, paths.body[a, 1], world, paths.place[a, 1], origin)
        point = share * point + paths.weight[a, 1] * other
    return point


@wp.kernel(enable_backward=False)
def carry(xpos: wp.array2d[wp.vec3], xquat: wp.array2d[wp.vec4], pose: wp.array3d[float]):
    """Poses with the world as the fastest index; launch over (body, world)."""
    body, world = wp.tid()
    at = xpos[world, body]
    turn = xquat[world, body]
    for i in range(3):
        pose[body, i, world] = at[i]
    for i in range(4):
        pose[body, 3 + i, world] = turn[i]


@wp.kernel(enable_backward=False)
def settle(
    placed: wp.array[bool],
    paths: Paths,
    pose: wp.array3d[float],
    length: wp.array2d[float],
    rate: wp.array2d[float],
    force: wp.array2d[float],
    state: wp.array3d[float],
):
    """Fresh muscles of the lengths that the pose gives them, where `placed`; launch over (muscle, world)."""
    k, world = wp.tid()
    if not placed[world]:
        return
    total = float(0.0)
    origin = place_of(pose, paths.body[paths.start[k], 0], world)
    point = anchor(paths, pose, paths.start[k], world, origin)
    for a in range(paths.start[k] + 1, paths.start[k + 1]):
        following = anchor(paths, pose, a, world, origin)
        total += wp.length(following - point)
        point = following
    length[k, world] = total
    rate[k, world] = 0.0
    force[k, world] = 0.0
    state[0, k, world] = 0.0
    state[1, k, world] = 1.0
    state[2, k, world] = 0.0


@wp.kernel(enable_backward=False)
def pull(
    paths: Paths,
    fibres: Fibres,
    stiffness: float,
    damping: float,
    fresh_share: float,
    dt: float,
    pose: wp.array3d[float],
    target: wp.array2d[float],
    length: wp.array2d[float],
    rate: wp.array2d[float],
    state: wp.array3d[float],
    force: wp.array2d[float],
    tug: wp.array3d[float],
):
    """A step of a muscle, and `tug`: what each of its anchors gets of a newton; launch over (muscle, world)."""
    k, world = wp.tid()
    first = paths.start[k]
    last = paths.start[k + 1] - 1
    now = float(0.0)
    behind = wp.vec3(0.0, 0.0, 0.0)
    origin = place_of(pose, paths.body[first, 0], world)  # near by, so that digits last
    point = anchor(paths, pose, first, world, origin)
    for a in range(first, last):
        following = anchor(paths, pose, a + 1, world, origin)
        way = following - point
        piece = wp.length(way)
        ahead = way / wp.max(piece, 1e-12)
        for i in range(3):
            tug[a, i, world] = ahead[i] - behind[i]
        now += piece
        behind = ahead
        point = following
    for i in range(3):
        tug[last, i, world] = -behind[i]

    rest = fibres.rest[k]
    speed = rate[k, world]
    speed += fresh_share * ((now - length[k, world]) / dt - speed)
    fibre = (now / rest - fibres.tendon[k]) / fibres.fibre[k]
    fast = speed / (rest * fibres.fibre[k])
    if fast > 0.0:
        full = 1.5 + 0.5 * (fast - 10.0) / (37.8 * fast + 10.0)
    else:
        full = wp.max((-10.0 - fast) / (5.0 * fast - 10.0), 0.0)
    full = full * wp.exp(-2.0 * (fibre - 1.0) * (fibre - 1.0))
    passive = float(0.0)
    if fibre > 1.0:
        passive = wp.min((wp.exp(4.0 / 0.6 * wp.min(fibre - 1.0, 2.0)) - 1.0) / _PASSIVE, _CAP)

    F = fibres.rates[k, 0]
    R = fibres.rates[k, 1]
    active = state[0, k, world]
    resting = state[1, k, world]
    fatigued = state[2, k, world]
    kept = (1.0 - dt * F) * active
    moved = wp.min(dt * fibres.rates[k, 3], 1.0)
    least = wp.max(0.0, kept - moved * active)
    most = wp.min(1.0, kept + moved * resting)
    wanted = wp.max(0.0, (stiffness * (now - target[k, world]) + damping * speed) / rest)
    activation = wp.min(wp.max((wanted - passive) / wp.max(full, _LEAST), least), most)
    drive = (activation - kept) / dt
    rested = drive <= 0.0
    if fibres.rates[k, 4] > 0.5:
        rested = activation <= least
    recovered = R * fatigued
    if rested:
        recovered = fibres.rates[k, 2] * recovered
    length[k, world] = now
    rate[k, world] = speed
    state[0, k, world] = activation
    state[1, k, world] = resting + dt * (recovered - drive)
    state[2, k, world] = fatigued + dt * (F * active - recovered)
    force[k, world] = fibres.force[k] * (activation * full + passive)


@wp.kernel(enable_backward=False)
def gather(
    bodies: wp.array[int],
    start: wp.array[int],
    from_anchor: wp.array[int],
    from_muscle: wp.array[int],
    weight: wp.array[float],
    arm: wp.array[wp.vec3],
    pose: wp.array3d[float],
    force: wp.array2d[float],
    tug: wp.array3d[float],
    push: wp.array2d[wp.spatial_vector],
):
    """Force and torque about each body's centre of mass (Eq. 20); launch over (place in `bodies`, world)."""
    place, world = wp.tid()
    body = bodies[place]
    total = wp.vec3(0.0, 0.0, 0.0)
    # Σ (R·arm) × f = Σ over axes of R's column × Σ arm's share · f: arms need not be turned one by one
    x = wp.vec3(0.0, 0.0, 0.0)
    y = wp.vec3(0.0, 0.0, 0.0)
    z = wp.vec3(0.0, 0.0, 0.0)
    for e in range(start[place], start[place + 1]):
        a = from_anchor[e]
        scale = weight[e] * force[from_muscle[e], world]
        f = scale * wp.vec3(tug[a, 0, world], tug[a, 1, world], tug[a, 2, world])
        lever = arm[e]
        total += f
        x += lever[0] * f
        y += lever[1] * f
        z += lever[2] * f
    w = pose[body, 3, world]
    axis = wp.vec3(pose[body, 4, world], pose[body, 5, world], pose[body, 6, world])
    torque = wp.cross(turned(w, axis, wp.vec3(1.0, 0.0, 0.0)), x)
    torque += wp.cross(turned(w, axis, wp.vec3(0.0, 1.0, 0.0)), y)
    torque += wp.cross(turned(w, axis, wp.vec3(0.0, 0.0, 1.0)), z)
    push[world, body] = wp.spatial_vector(total, torque)
