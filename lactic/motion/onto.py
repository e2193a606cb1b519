"""A body's motion back on the skeleton of the clip that it came from: the inverse of `retarget`.

Skeletons differ in their proportions, so not every joint can be where the body's is at the skeleton's scale. Hips and
ankles are, so that feet do not slide; knees bend between them as the body's do. The trunk turns as the body's. Bones of
the arms point where the body's do: an elbow is its own upper arm's length from its own shoulder, and so on.
"""

from dataclasses import replace

import numpy as np

from lactic import rotation
from lactic.motion import ground, sampling
from lactic.motion.body_clip import BodyClip
from lactic.motion.clip import Clip, forward
from lactic.motion.retarget import bone_rotation, orientations, retarget, scale_of
from lactic.motion.roles import SIDES, find_roles

DEEPEST = 0.005  # metres that a foot may be below where it gets to in the source
SAMPLES = 500  # frames of the source that tell where its floor is
MOST_BEND = np.radians(60)  # of toes, to stay above the floor
STRAIGHTEST = 0.9995  # of a leg's length: beyond it the knee would snap
NEAR = 0.03  # metres above the floor below which a sole of the followed motion stands


def onto(source: Clip, motion: BodyClip, when: np.ndarray | None = None, followed: BodyClip | None = None) -> Clip:
    """The motion on the source's skeleton; what no body part stands for does as the source did at `when` (seconds).

    `when` has a time of the source for each frame of the motion; by default both run alike. `followed` is the source
    on the body, which tells where its floor is; it saves finding that anew.
    """
    roles = find_roles(source)
    body, bodies = motion.body, motion.body.bodies
    when = np.arange(motion.frames) / motion.fps if when is None else np.asarray(when, dtype=float)
    at = when * source.fps
    _, turned = source.globals()
    wanted, _ = orientations(source, body, roles)
    # hips that never turn are carried by a joint above them
    joints = roles | {"pelvis": _that_turns(source, roles["pelvis"])}
    detail = {
        joints[role]: sampling.sample_rotations(rotation.multiply(rotation.conjugate(q), turned[:, joints[role]]), at)
        for role, q in wanted.items()
    }
    local = sampling.sample_rotations(source.rotations, at)
    here, now = motion.positions()

    def posed(parts: dict[str, np.ndarray]) -> np.ndarray:
        """Rotations against the parent (frame, joint, 4) in which joints turn in the world as their body parts do."""
        ordered = reversed(parts.items())  # where one joint is pelvis and torso, it is the pelvis
        world = {joints[role]: rotation.multiply(q, detail[joints[role]]) for role, q in ordered}
        for role in ("torso", "head"):
            if role in parts:
                _share(source, world, local, joints[role])
        result = local.copy()
        for j, parent in enumerate(source.parents):
            if j not in world:
                world[j] = rotation.multiply(world[parent], local[:, j]) if parent >= 0 else local[:, j]
            elif parent >= 0:
                result[:, j] = rotation.multiply(rotation.conjugate(world[parent]), world[j])
            else:
                result[:, j] = world[j]
        return result

    parts = {role: now[:, bodies.index(role)] for role in wanted}
    floor, sole, ball = _floor(source, followed or retarget(source, body, fps=min(source.fps, 30.0))[0], roles)
    here = here / scale_of(source, body, roles) + [0.0, 0.0, floor]
    hips = np.mean([here[:, bodies.index(f"{side}_thigh")] for side in SIDES], axis=0)
    nowhere = np.zeros((motion.frames, 3))
    placed, world = forward(source.parents, source.offsets, nowhere, posed(parts))
    for side in SIDES:
        if f"{side}_toe" in roles:  # toes are longer than the body's
            toe, foot = roles[f"{side}_toe"], roles[f"{side}_foot"]
            height = here[:, bodies.index(f"{side}_foot"), 2] + placed[:, toe, 2] - placed[:, foot, 2] - sole
            local[:, toe] = _bend_toe(source, world, toe, height + DEEPEST)
    placed, world = forward(source.parents, source.offsets, nowhere, posed(parts))
    root = hips - np.mean([placed[:, roles[f"{side}_thigh"]] for side in SIDES], axis=0)
    for side in SIDES:
        thigh, shin, foot = (roles[f"{side}_{part}"] for part in ("thigh", "shin", "foot"))
        goal = here[:, bodies.index(f"{side}_foot")].copy()
        least = sole - _lowest(source, placed, world, foot)
        if f"{side}_toe" in roles:
            least = np.maximum(least, ball - placed[:, roles[f"{side}_toe"], 2])
        goal[:, 2] = np.maximum(goal[:, 2], placed[:, foot, 2] + least - DEEPEST)
        lengths = [np.linalg.norm(placed[:, b] - placed[:, a], axis=-1) for a, b in ((thigh, shin), (shin, foot))]
        hinge = rotation.to_matrix(parts[f"{side}_thigh"])[..., 1]
        bent = _reach(goal - root - placed[:, thigh], hinge, *lengths)
        parts |= dict(zip((f"{side}_thigh", f"{side}_shin"), bent, strict=True))
    return replace(source, fps=motion.fps, root_pos=root, rotations=posed(parts), cyclic=motion.cyclic)


def _that_turns(source: Clip, joint: int) -> int:
    """The joint, or the first one above it that turns during the clip, or the root."""
    while source.parents[joint] >= 0 and _still(source, joint):
        joint = source.parents[joint]
    return joint


def _still(source: Clip, joint: int) -> bool:
    return bool(np.ptp(rotation.log(source.rotations[:, joint]), axis=0).max() < 1e-6)


def _share(source: Clip, world: dict[int, np.ndarray], local: np.ndarray, joint: int) -> None:
    """Joints that turn between `joint` and the one above whose rotation is known get equal parts of what is new."""
    chain = [joint]
    while source.parents[chain[0]] >= 0 and source.parents[chain[0]] not in world:
        chain.insert(0, source.parents[chain[0]])
    top = source.parents[chain[0]]
    if top < 0:
        return
    before = [local[:, chain[0]]]
    for j in chain[1:]:
        before.append(rotation.multiply(before[-1], local[:, j]))
    above, here = rotation.conjugate(world[top]), rotation.conjugate(before[-1])
    turn = rotation.log(rotation.multiply(rotation.multiply(above, world[joint]), here))
    parts = np.cumsum([j == joint or not _still(source, j) for j in chain])
    for j, part, was in zip(chain[:-1], parts / parts[-1], before, strict=False):
        world[j] = rotation.multiply(rotation.multiply(world[top], rotation.exp(part * turn)), was)


def _floor(source: Clip, followed: BodyClip, roles: dict[str, int]) -> tuple[float, float, float]:
    """Heights in the source: of the body's floor, and of the lowest that feet and their toes' joints get to on it."""
    body, scale = followed.body, scale_of(source, followed.body, roles)
    count = min(max(source.frames, followed.frames), SAMPLES)
    seconds = np.linspace(0.0, min(source.seconds, followed.seconds), count)
    own, its = (np.round(seconds * clip.fps).astype(int) for clip in (source, followed))
    poses = replace(followed, qpos=followed.qpos[its])
    there, low = poses.positions()[0], ground.clearance(body, poses.qpos)
    at, turned = forward(source.parents, source.offsets, source.root_pos[own], source.rotations[own])
    thighs = [f"{side}_thigh" for side in SIDES]
    above = at[:, [roles[part] for part in thighs], 2] - there[:, [body.bodies.index(p) for p in thighs], 2] / scale
    floor = float(np.median(above.mean(axis=1)))
    soles, balls = [], []
    for side in SIDES:
        foot = roles[f"{side}_foot"]
        stands = low[:, body.bodies.index(f"{side}_foot")] < NEAR
        soles.append(_lowest(source, at, turned, foot)[stands])
        balls.append(at[stands, roles.get(f"{side}_toe", foot), 2])
    sole, ball = (np.concatenate(heights) for heights in (soles, balls))
    if not len(sole):
        return floor, floor, floor
    return floor, float(np.percentile(sole, 2)), float(np.percentile(ball, 2))


def _lowest(source: Clip, at: np.ndarray, turned: np.ndarray, foot: int) -> np.ndarray:
    """Height (frame,) of the lowest joint or bone's end of a foot."""
    mine = [foot]
    for j, parent in enumerate(source.parents):
        if parent in mine:
            mine.append(j)
    ends = at[:, mine] + rotation.rotate(turned[:, mine], source.tips[mine])
    return np.minimum(at[:, mine, 2], ends[..., 2]).min(axis=1)


def _bend_toe(source: Clip, turned: np.ndarray, toe: int, room: np.ndarray) -> np.ndarray:
    """The toe's rotation (frame, 4) against its parent, turned so that it ends at most `room` (frame,) below itself."""
    child = next((j for j, parent in enumerate(source.parents) if parent == toe), None)
    end = rotation.rotate(turned[:, toe], source.tips[toe] if child is None else source.offsets[child])
    length = np.linalg.norm(end, axis=-1)
    height = np.maximum(end[:, 2], -np.clip(room, 0, length))
    flat = rotation.normalize(end * [1.0, 1.0, 0.0]) * np.sqrt(np.maximum(length**2 - height**2, 0))[:, None]
    turn = rotation.log(rotation.between(end, flat + height[:, None] * [0.0, 0.0, 1.0]))
    turn *= MOST_BEND / np.maximum(np.linalg.norm(turn, axis=-1, keepdims=True), MOST_BEND)
    above = rotation.conjugate(turned[:, source.parents[toe]])
    return rotation.multiply(above, rotation.multiply(rotation.exp(turn), turned[:, toe]))


def _reach(goal: np.ndarray, hinge: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (frame, 4) of thigh and shin of such lengths that end at `goal`, bent about `hinge` as knees are."""
    far = np.linalg.norm(goal, axis=-1)
    far = np.clip(far, np.abs(upper - lower) + 1e-6, STRAIGHTEST * (upper + lower))
    along = rotation.normalize(goal)
    ahead = rotation.normalize(rotation.cross(along, hinge))
    cosine = np.clip((upper**2 + far**2 - lower**2) / (2 * upper * far), -1, 1)[:, None]  # law of cosines
    first = cosine * along + np.sqrt(1 - cosine**2) * ahead
    second = rotation.normalize(far[:, None] * along - upper[:, None] * first)
    axis = rotation.cross(ahead, along)
    return bone_rotation(first, axis), bone_rotation(second, axis)
