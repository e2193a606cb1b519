"""A motion that is followed at a pace of its own: where it is, how it runs on, what is told of it. NumPy or torch.

Training and hosts call the same functions: a frame and a part of one are where a reference is on its clip; `place` is
how far it was carried over the floor.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from array_api_compat import array_namespace

from lactic import rotation
from lactic.body import Body

NEAR = 0.25
"""Metres of mean body error below which a body that was down has got up: its motion goes on."""
INERTIA = 0.2
"""Seconds in which a clock comes half of the way to the pace that is asked of it."""
LOW, UPRIGHT = 0.6, 0.8
"""Shares of the head's height at rest: above the second a motion that slows down comes to a stand; below the first,
where it sits or lies, it stays as it is."""

Array = Any  # a NumPy array or a torch tensor


class Aimed(NamedTuple):
    """References at some time, a row each; or a row a frame."""

    qpos: Array
    qvel: Array
    xpos: Array
    """(…, body, 3)."""
    xquat: Array
    """(…, body, 4)."""


class Stand(NamedTuple):
    """A body at rest, its root over the origin, looking along x."""

    qpos: Array
    xpos: Array
    """(body, 3)."""
    xquat: Array
    """(body, 4)."""
    head: int
    """Number of the body that is highest."""


def aimed(
    frames: Aimed,
    frame: Array,
    last: Array,
    part: Array | None = None,
    place: Array | None = None,
    turn: Array | None = None,
) -> Aimed:
    """References at `frame` (world,) of all `frames`, or a `part` of a frame after it, turned about z by `turn`
    (world,), then carried by `place` (world, 2).

    `last` is the last frame of each reference's own motion.
    """
    xp = array_namespace(frame)
    here = Aimed(*(xp.take(table, frame, axis=0) for table in frames))
    if part is not None:
        after = xp.minimum(frame + 1, last)
        there = Aimed(*(xp.take(table, after, axis=0) for table in frames))
        near, far = part[:, None], part[:, None, None]
        qpos = here.qpos + near * (there.qpos - here.qpos)
        root = _between(here.qpos[:, 3:7], there.qpos[:, 3:7], near)
        here = Aimed(
            xp.concat([qpos[:, :3], root, qpos[:, 7:]], axis=1),
            here.qvel + near * (there.qvel - here.qvel),
            here.xpos + far * (there.xpos - here.xpos),
            _between(here.xquat, there.xquat, far),
        )
    if turn is not None:
        here = turned(here, turn)
    if place is not None:
        moved = xp.concat([place, xp.zeros_like(place[:, :1])], axis=1)
        qpos = xp.concat([here.qpos[:, :3] + moved, here.qpos[:, 3:]], axis=1)
        here = here._replace(qpos=qpos, xpos=here.xpos + moved[:, None])
    return here


def turned(found: Aimed, turn: Array) -> Aimed:
    """References turned about z through the origin, by `turn` (world,)."""
    xp, q = array_namespace(turn), rotation.about("z", turn)
    at, speed = (rotation.rotate(q, table[:, :3]) for table in (found.qpos, found.qvel))
    root = rotation.multiply(q, found.qpos[:, 3:7])
    return Aimed(
        xp.concat([at, root, found.qpos[:, 7:]], axis=1),
        xp.concat([speed, found.qvel[:, 3:]], axis=1),
        rotation.rotate(q[:, None], found.xpos),
        rotation.multiply(q[:, None], found.xquat),
    )


def told(
    moment: Callable[[Any], Aimed],
    later: Sequence[int],
    bodies: Sequence[int] = (),
    gone: Array | None = None,
    waits: Array | None = None,
) -> Array:
    """What a brain is told, (world, size), of a motion that is at `moment(frames ahead)`: the next frame's body
    positions, pose and velocity, and poses `later` frames ahead; where `bodies` are given, only their places then.

    With `gone`, the frames since the motion's first one (world,), each place is held until its time has come: it is
    that of the next frame whose number is a multiple of `later`. With `waits` (world,), 1 or 0, the last number says
    whether the motion waits for its body.
    """
    ahead = [moment(frames if gone is None else frames - gone % frames) for frames in later]
    if bodies:
        xp = array_namespace(ahead[0].xpos)
        return xp.concat([each.xpos[:, body] for each in ahead for body in bodies], axis=1)
    following = moment(1)
    xp = array_namespace(following.qpos)
    places = xp.reshape(following.xpos, (following.xpos.shape[0], -1))
    heard = [] if waits is None else [waits[:, None]]
    return xp.concat([places, following.qpos, following.qvel, *(each.qpos for each in ahead), *heard], axis=1)


def stand_of(body: Body) -> Stand:
    """How a body stands at rest."""
    xpos, xquat = (table[0].astype("float32") for table in body.places(body.rest[None]))
    return Stand(body.rest.astype("float32"), xpos, xquat, int(xpos[:, 2].argmax()))


def stillness(found: Aimed, pace: Array, stand: Stand) -> Array:
    """How much of references that run at a `pace` (world,) of their own is standing, (world, 1): 1 − pace where the
    head is up."""
    xp = array_namespace(pace)
    up = (found.xpos[:, stand.head, 2] / stand.xpos[stand.head, 2] - LOW) / (UPRIGHT - LOW)
    return (xp.clip(up, min=0.0, max=1.0) * (1.0 - xp.clip(pace, max=1.0)))[:, None]


def calmed(found: Aimed, here: Array, pace: Array, stand: Stand) -> Aimed:
    """References that run at a `pace` (world,) of their own: slower, and as much smaller.

    People who slow down take shorter steps. A pose goes over into standing, as it is headed, and the way from `here`
    (world, 2), where the root is now, into none, by the reference's `stillness`.
    """
    xp, still = array_namespace(pace), stillness(found, pace, stand)
    q = rotation.about("z", rotation.heading(found.qpos[:, 3:7]))
    root, none = found.qpos[:, :2], xp.zeros_like(found.qpos[:, :1])
    place = here + (1.0 - still) * (root - here)
    bodies = found.xpos - xp.concat([root, none], axis=1)[:, None]
    bodies = bodies + still[:, None] * (rotation.rotate(q[:, None], stand.xpos) - bodies)
    pose = found.qpos + still * (stand.qpos - found.qpos)
    turned = rotation.multiply(q, stand.qpos[3:7])
    return Aimed(
        xp.concat([place, pose[:, 2:3], _between(found.qpos[:, 3:7], turned, still), pose[:, 7:]], axis=1),
        (pace[:, None] * (1.0 - still)) * found.qvel,
        bodies + xp.concat([place, none], axis=1)[:, None],
        _between(found.xquat, rotation.multiply(q[:, None], stand.xquat), still[:, None]),
    )


def paced(pace: Array, asked: Array, dt: float, fastest: float) -> Array:
    """Paces (world,) after a control step of `dt` seconds in which others were asked for: clocks have inertia."""
    xp = array_namespace(pace)
    return xp.clip(pace + (1.0 - 0.5 ** (dt / INERTIA)) * (asked - pace), min=0.0, max=fastest)


def run_on(frame: Array, part: Array, clock: Array, last: Array) -> tuple[Array, Array]:
    """Frame and part of one after a control step in which the motion ran at `clock` (world,) of its own pace."""
    xp = array_namespace(frame, part)
    time = part + clock
    whole = xp.floor(time)
    return xp.minimum(frame + xp.astype(whole, frame.dtype), last), time - whole


def carry(gap: Array, leash: float) -> Array:
    """Ways to carry references whose bodies are `gap` (world, 2) from them: none is then further off than the leash."""
    xp = array_namespace(gap)
    far = xp.sqrt(xp.sum(gap * gap, axis=1, keepdims=True))
    return gap * (1.0 - leash / xp.clip(far, min=leash))


def _between(a: Array, b: Array, weight: Array) -> Array:
    """Quaternions between neighbours; those of one frame and the next are so near that a straight line will do."""
    xp = array_namespace(a, b)
    near = xp.where(xp.sum(a * b, axis=-1, keepdims=True) < 0.0, -b, b)
    return rotation.normalize(a + weight * (near - a))
