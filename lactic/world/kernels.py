"""The few Warp kernels WarpWorld adds to mujoco_warp: remembering, judging, placing, and feeling the ground.

Each runs one thread per world (or per contact) and never needs the host, so all of them go into the CUDA graphs.
"""

# Warp's own language: mutable scalars are declared by a call, and mypy cannot read it
# ruff: noqa: UP018, RUF046
# mypy: ignore-errors

import warp as wp

from lactic.world.fault import DRIVE, OVERFLOW, STATE

# what is written into `tally`
FAULTS = 0
"""Faults so far."""
FILLED = 1
"""Faults kept in the slots since the host last emptied them (may exceed the number of slots)."""
STEPS = 2
"""Control steps so far."""

_STATE, _DRIVE, _OVERFLOW = wp.constant(STATE), wp.constant(DRIVE), wp.constant(OVERFLOW)
_FAULTS, _FILLED, _STEPS = wp.constant(FAULTS), wp.constant(FILLED), wp.constant(STEPS)


@wp.kernel(enable_backward=False)
def remember(
    tally: wp.array[int],
    time: wp.array[float],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    ctrl: wp.array2d[float],
    bounds: wp.array3d[float],
    past: wp.array3d[float],
):
    """Row [time, qpos, qvel, targets, limits] of every world into the ring; launch over (world, column)."""
    world, column = wp.tid()
    row = tally[_STEPS] % past.shape[0]
    nq, nv, nu = qpos.shape[1], qvel.shape[1], ctrl.shape[1]
    value = float(0.0)
    if column == 0:
        value = time[world]
    elif column < 1 + nq:
        value = qpos[world, column - 1]
    elif column < 1 + nq + nv:
        value = qvel[world, column - 1 - nq]
    elif column < 1 + nq + nv + nu:
        value = ctrl[world, column - 1 - nq - nv]
    else:
        value = bounds[world, column - 1 - nq - nv - nu, 1]
    past[row, world, column] = value


@wp.kernel(enable_backward=False)
def feel(
    nacon: wp.array[int],
    geoms: wp.array[wp.vec2i],
    worlds: wp.array[int],
    geom_body: wp.array[int],
    body_weld: wp.array[int],
    touch: wp.array2d[float],
):
    """Count each body's contacts with whatever is fixed to the world; launch over the contact buffer."""
    contact = wp.tid()
    if contact >= nacon[0]:
        return
    pair = geoms[contact]
    if pair[0] < 0 or pair[1] < 0:
        return
    first, second = geom_body[pair[0]], geom_body[pair[1]]
    if body_weld[first] == 0 and body_weld[second] != 0:
        wp.atomic_add(touch, worlds[contact], second - 1, 1.0)
    elif body_weld[second] == 0 and body_weld[first] != 0:
        wp.atomic_add(touch, worlds[contact], first - 1, 1.0)


@wp.kernel(enable_backward=False)
def feel_torque(force: wp.array2d[float], given: wp.array3d[float], torque: wp.array2d[float]):
    """Mean of |force| over the last physics steps, as many as `given` holds; launch over (world, actuator)."""
    world, actuator = wp.tid()
    last = given.shape[2] - 1
    total = wp.abs(force[world, actuator])
    for i in range(last):
        before = given[world, actuator, i + 1]
        given[world, actuator, i] = before
        total = total + before
    given[world, actuator, last] = wp.abs(force[world, actuator])
    torque[world, actuator] = total / float(last + 1)


@wp.func
def _sane(value: float, largest: float):
    return wp.abs(value) < largest  # false for NaN too


@wp.kernel(enable_backward=False)
def judge(
    largest: float,
    overflow_bits: int,
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    ctrl: wp.array2d[float],
    gain: wp.array3d[float],
    bias: wp.array3d[float],
    bounds: wp.array3d[float],
    push: wp.array3d[float],
    overflow: wp.array[int],
    past: wp.array3d[float],
    faulted: wp.array[bool],
    tally: wp.array[int],
    slot_info: wp.array2d[int],
    slot_past: wp.array3d[float],
    slot_gains: wp.array2d[float],
    slot_push: wp.array2d[float],
    slot_after: wp.array2d[float],
):
    """Mark the worlds that were lost, and keep what explains it while there is a free slot."""
    world = wp.tid()
    nq, nv, nu = qpos.shape[1], qvel.shape[1], ctrl.shape[1]
    bits = int(0)
    for i in range(nq):
        if not _sane(qpos[world, i], largest):
            bits = bits | _STATE
    for i in range(nv):
        if not _sane(qvel[world, i], largest):
            bits = bits | _STATE
    for i in range(nu):
        limit = bounds[world, i, 1]
        if not (
            _sane(ctrl[world, i], largest)
            and _sane(gain[world, i, 0], largest)
            and _sane(bias[world, i, 2], largest)
            and _sane(limit, largest)
        ):
            bits = bits | _DRIVE
    if (overflow[world] & overflow_bits) != 0:
        bits = bits | _OVERFLOW
        overflow[world] = overflow[world] & ~overflow_bits
    faulted[world] = bits != 0
    if bits == 0:
        return
    wp.atomic_add(tally, _FAULTS, 1)
    slot = wp.atomic_add(tally, _FILLED, 1)
    if slot >= slot_info.shape[0]:
        return
    slot_info[slot, 0] = world
    slot_info[slot, 1] = bits
    slot_info[slot, 2] = tally[_STEPS]
    for row in range(past.shape[0]):
        for column in range(past.shape[2]):
            slot_past[slot, row, column] = past[row, world, column]
    for i in range(nu):
        slot_gains[slot, i] = gain[world, i, 0]
        slot_gains[slot, nu + i] = -bias[world, i, 2]
    for body in range(1, push.shape[1]):
        for i in range(6):
            slot_push[slot, 6 * (body - 1) + i] = push[world, body, i]
    for i in range(nq):
        slot_after[slot, i] = qpos[world, i]
    for i in range(nv):
        slot_after[slot, nq + i] = qvel[world, i]


@wp.kernel(enable_backward=False)
def count_step(tally: wp.array[int]):
    """One control step is over."""
    tally[_STEPS] = tally[_STEPS] + 1


@wp.kernel(enable_backward=False)
def go_home(
    faulted: wp.array[bool],
    rest: wp.array[float],
    nominal: wp.array2d[float],
    home: wp.array2d[float],
    chosen: wp.array[bool],
    pose: wp.array2d[float],
    speed: wp.array2d[float],
    gain: wp.array3d[float],
    bias: wp.array3d[float],
    bounds: wp.array3d[float],
):
    """Choose the lost worlds for `place`, at their last reset pose (rest if that was no pose) and nominal gains."""
    world = wp.tid()
    chosen[world] = faulted[world]
    if not faulted[world]:
        return
    nq, nv = pose.shape[1], speed.shape[1]
    known = bool(True)
    for i in range(nq + nv):
        if not wp.isfinite(home[world, i]):
            known = False
    for i in range(nq):
        pose[world, i] = wp.where(known, home[world, i], rest[i])
    for i in range(nv):
        speed[world, i] = wp.where(known, home[world, nq + i], 0.0)
    for i in range(nominal.shape[1]):
        gain[world, i, 0] = nominal[0, i]
        bias[world, i, 1] = -nominal[0, i]
        bias[world, i, 2] = -nominal[1, i]
        bounds[world, i, 0] = -nominal[2, i]
        bounds[world, i, 1] = nominal[2, i]


@wp.kernel(enable_backward=False)
def place(
    chosen: wp.array[bool],
    pose: wp.array2d[float],
    speed: wp.array2d[float],
    joints: wp.array[int],
    time: wp.array[float],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    ctrl: wp.array2d[float],
    warmstart: wp.array2d[float],
    qacc: wp.array2d[float],
    push: wp.array3d[float],
    force: wp.array2d[float],
    torque: wp.array2d[float],
    given: wp.array3d[float],
    touch: wp.array2d[float],
    home: wp.array2d[float],
):
    """Put the chosen worlds into `pose` and `speed`, and clear what the engine remembers of before."""
    world = wp.tid()
    if not chosen[world]:
        return
    nq = pose.shape[1]
    time[world] = 0.0
    for i in range(nq):
        qpos[world, i] = pose[world, i]
        home[world, i] = pose[world, i]
    for i in range(speed.shape[1]):
        qvel[world, i] = speed[world, i]
        home[world, nq + i] = speed[world, i]
        warmstart[world, i] = 0.0
        qacc[world, i] = 0.0
    for i in range(ctrl.shape[1]):
        ctrl[world, i] = pose[world, joints[i]]
        force[world, i] = 0.0
        torque[world, i] = 0.0
        for k in range(given.shape[2]):
            given[world, i, k] = 0.0
    for body in range(push.shape[1]):
        for i in range(6):
            push[world, body, i] = 0.0
    for body in range(touch.shape[1]):
        touch[world, body] = 0.0
