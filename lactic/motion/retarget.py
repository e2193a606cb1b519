"""Moving a clip onto the humanoid or a person: bones aligned at rest, hinges fitted, scaled, set on the floor.

Own bodies have hinges of other kinds, and `motion.foreign` fits them.
"""

from dataclasses import replace

import numpy as np

from lactic import rotation
from lactic.body import Body, humanoid
from lactic.errors import InputError
from lactic.motion import ground, hinges, sampling
from lactic.motion.body_clip import BodyClip
from lactic.motion.clip import Clip
from lactic.motion.residual import Residual, at_limit, residual
from lactic.motion.roles import SIDES, find_roles, leg_length

STRAIGHT_TWIST = 0.15  # what the twist of a straight limb counts against its direction; that of a bent one aims its end
STRAIGHT = 0.35  # sine of the bend below which a knee's or elbow's plane is rather that of the bone above it
STANDING_SPEED, STANDING_HEIGHT, STANDING_FRAMES = 0.3, 0.04, 3  # m/s and m of an ankle over a foot that stands
MOST_LEVELLING = np.radians(45)
FLIPPED, BESIDE = np.radians(100), 2  # no ankle turns so far; as many frames beside such a one are on their way there
SUDDEN = {"abdomen": 80.0, "neck": 100.0, "hip": 200.0, "shoulder": 250.0, "ankle": 300.0}
"""Accelerations of joints, rad/s², beyond which they give way: what carries more moves less suddenly."""
TRUNK_SUDDEN = {"pelvis": 150.0, "torso": 150.0, "head": 200.0}
"""The same of the trunk's own rotations in the world."""
SPIN, BROKEN = 20.0, 0.4  # rad/s that no trunk turns at; seconds at most in which one that seems to is not believed
ROOT_SUDDEN = 40.0  # m/s² beyond which no root is moved: people who land from a jump reach about this
SEAM = np.radians(10)  # largest difference of the ends of a cyclic clip
LIMBS = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot"}  # and where they end


def retarget(
    clip: Clip,
    body: Body | None = None,
    *,
    fps: float | None = None,
    close: bool = False,
) -> tuple[BodyClip, Residual]:
    """The clip on the body, at `fps` if given, made a seamless cycle with `close`; and what was lost on the way."""
    body, roles = body or humanoid(), find_roles(clip)
    if fps is not None and abs(fps - clip.fps) > 1e-6:
        clip = clip.resample(fps, smooth=fps > clip.fps)
    if body.joints != humanoid().joints:
        from lactic.motion.foreign import onto_foreign  # here, since it builds on what follows

        return onto_foreign(clip, roles, body, close)
    positions, _ = clip.globals()
    targets, directions = orientations(clip, body, roles)
    qpos = np.zeros((clip.frames, body.model.nq))
    actual: dict[str, np.ndarray] = {"pelvis": targets["pelvis"]}
    off: dict[str, np.ndarray] = {}

    def hang(child: str, parent: str, joint: str, target: np.ndarray, twist: np.ndarray | float = 1.0) -> None:
        """Fit the three hinges of `joint`, which carries `child`, to a world rotation."""
        index = sorted(body.joints.index(f"{joint}_{axis}") for axis in "xyz")
        order = "".join(body.joints[i][-1] for i in index)
        local = rotation.multiply(rotation.conjugate(actual[parent]), target)
        low, high = body.range[index].T
        angles = hinges.fit(local, clip.fps, low, high, twist, order, SUDDEN[joint.rpartition("_")[2]])
        qpos[:, [7 + i for i in index]] = angles
        actual[child] = rotation.multiply(actual[parent], rotation.from_euler(angles, order))
        off[joint] = np.linalg.norm(hinges.error(angles, local, order), axis=-1)

    def bend(child: str, parent: str, joint: str, direction: np.ndarray) -> None:
        """Set the one hinge of `joint` so that `child` points as near along `direction` as it can."""
        index = body.joints.index(joint)
        along = rotation.rotate_back(actual[parent], direction)
        angle = hinges.bend(along, clip.fps, *body.range[index])
        qpos[:, 7 + index] = angle
        actual[child] = rotation.multiply(actual[parent], rotation.about("y", angle))
        off[joint] = _angle_between(-_axis(actual[child], 2), direction)

    hang("torso", "pelvis", "abdomen", targets.get("torso", targets["pelvis"]))
    hang("head", "torso", "neck", targets.get("head", actual["torso"]))
    for side in SIDES:
        for upper, lower, parent, joint, hinge in (
            ("upper_arm", "forearm", "torso", "shoulder", "elbow"),
            ("thigh", "shin", "pelvis", "hip", "knee"),
        ):
            first, second = directions[f"{side}_{upper}"], directions[f"{side}_{lower}"]
            twist = np.maximum(np.linalg.norm(rotation.cross(first, second), axis=-1), STRAIGHT_TWIST)
            hang(f"{side}_{upper}", parent, f"{side}_{joint}", targets[f"{side}_{upper}"], twist)
            bend(f"{side}_{lower}", f"{side}_{upper}", f"{side}_{hinge}", second)
        hang(f"{side}_foot", f"{side}_shin", f"{side}_ankle", targets[f"{side}_foot"])

    scale = scale_of(clip, body, roles)
    hips = (positions[:, roles["left_thigh"]] + positions[:, roles["right_thigh"]]) / 2
    middle = (_offset(body, "left_thigh") + _offset(body, "right_thigh")) / 2
    qpos[:, 3:7] = _continuous(targets["pelvis"])
    qpos[:, :3] = hips * scale - rotation.rotate(targets["pelvis"], middle)
    result = BodyClip(body.name, clip.fps, qpos, clip.name)
    # files call a clip cyclic whose ends differ by 60 degrees; velocities across such a seam would be nonsense
    result = result.closed() if close else replace(result, cyclic=clip.cyclic and result.gap() < SEAM)
    if not close:
        qpos = result.qpos.copy()
        qpos[:, :3] = hinges.eased(qpos[:, :3], clip.fps, ROOT_SUDDEN)
        result = replace(result, qpos=qpos)
    standing, lifted = ground.stand(body, result.qpos, clip.fps, close)
    result = replace(result, qpos=standing if close else flown(body, standing, clip.fps))
    parts = {name: i for i, name in enumerate(body.bodies)}
    _, turned = result.positions()
    angles = {part: _angle_between(-_axis(turned[:, parts[part]], 2), to) for part, to in directions.items()}
    clipped = _clipped(result, off)
    return result, residual(result, angles, parts, positions, roles, scale, lifted, clipped)


def flown(body: Body, qpos: np.ndarray, fps: float) -> np.ndarray:
    """Poses that stand, their flights set right; where the floor is left or met too suddenly for that, it gives way a
    little, and what then is below it is lifted."""
    moved = ground.fly(body, qpos, fps)
    if not np.any(moved != qpos):
        return qpos
    moved[:, :3] = hinges.eased(moved[:, :3], fps, ROOT_SUDDEN)
    moved[:, 2] += ground.lift(ground.clearance(body, moved).min(axis=1), fps, ground.DEEPEST)
    return moved


def scale_of(clip: Clip, body: Body, roles: dict[str, int]) -> float:
    """Leg length of the body over that of the clip's skeleton."""
    length = leg_length(clip, roles)
    if not length > 1e-3:
        raise InputError(f"clip '{clip.name}': the skeleton has no legs to scale by")
    return float(sum(np.linalg.norm(_offset(body, f"left_{part}")) for part in ("shin", "foot"))) / length


def orientations(clip: Clip, body: Body, roles: dict[str, int]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """World rotation (frame, 4) each rigid body should have, and where each limb segment points (frame, 3).

    The rotation is the clip's turn since rest, bones aligned at rest, soles level, limbs twisted to bend as hinges do.
    """
    positions, turned = clip.globals()
    targets = _aligned(clip, body, roles)
    directions = {f"{s}_{part}": _bone(clip, positions, turned, roles, s, part) for s in SIDES for part in LIMBS}
    for side in SIDES:
        foot = f"{side}_foot"
        targets[foot] = _not_backwards(targets[foot], targets[f"{side}_shin"])
        targets[foot] = _sole_flat(targets[foot], positions[:, roles[foot]], clip.fps)
        for upper, lower, sign in (("upper_arm", "forearm", -1.0), ("thigh", "shin", 1.0)):
            first, second = directions[f"{side}_{upper}"], directions[f"{side}_{lower}"]
            across = sign * rotation.cross(first, second)
            # as long as the sine of the bend: a straight limb keeps its own twist, a bent one its plane
            hint = np.linalg.norm(across, axis=-1, keepdims=True) * across
            hint = hint + STRAIGHT**2 * _axis(targets[f"{side}_{upper}"], 1)
            targets[f"{side}_{upper}"] = bone_rotation(first, hint)
            targets[f"{side}_{lower}"] = bone_rotation(second, _axis(targets[f"{side}_{upper}"], 1))
    return targets, directions


def bone_rotation(along: np.ndarray, hinge: np.ndarray) -> np.ndarray:
    """Rotation (frame, 4) of a limb's rigid body that points `along`, its y axis as near `hinge` as can be."""
    z = -along
    y = rotation.normalize(hinge - np.sum(hinge * z, axis=-1, keepdims=True) * z)
    return rotation.from_matrix(np.stack([rotation.cross(y, z), y, z], axis=-1))


def _aligned(clip: Clip, body: Body, roles: dict[str, int]) -> dict[str, np.ndarray]:
    """World rotation (frame, 4) of each rigid body: the clip's turn since rest, bones aligned at rest."""
    _, turned = clip.globals()
    rest_at, rest_turned = clip.rest_globals()
    across = rest_at[roles["left_thigh"]] - rest_at[roles["right_thigh"]]
    facing = rotation.about("z", -np.arctan2(-across[0], across[1]))  # turns the rest pose to look along +x
    rest_at, rest_turned = rotation.rotate(facing, rest_at), rotation.multiply(facing, rest_turned)
    targets = {}
    for role, j in roles.items():
        if role.endswith(("toe", "hand")):
            continue
        since_rest = rotation.multiply(turned[:, j], rotation.conjugate(rest_turned[j]))
        side, _, part = role.partition("_")
        align = np.array([1.0, 0.0, 0.0, 0.0])
        if part in LIMBS:
            bone = _bone(clip, rest_at[None], rest_turned[None], roles, side, part)[0]
            align = rotation.between(_offset(body, f"{side}_{LIMBS[part]}"), bone)
        elif part == "foot" and f"{side}_toe" in roles:
            toe = rest_at[roles[f"{side}_toe"]] - rest_at[j]
            if np.linalg.norm(toe[:2]) > 1e-3:
                align = rotation.about("z", np.arctan2(toe[1], toe[0]))  # soles are flat at rest; toes may point out
        targets[role] = rotation.multiply(since_rest, align)
        if role in TRUNK_SUDDEN:
            track = _continuous(_not_broken(targets[role], clip.fps))
            # a quaternion turns half as fast as what it turns
            targets[role] = rotation.normalize(hinges.eased(track, clip.fps, TRUNK_SUDDEN[role] / 2))
    return targets


def _not_broken(track: np.ndarray, fps: float) -> np.ndarray:
    """A trunk's rotations (frame, 4), those set right that captured markers turned over for a moment: from a turn that
    is too fast to be true to the next such one it goes straight from where it was to where it is found again."""
    steps = rotation.angle(rotation.multiply(rotation.conjugate(track[:-1]), track[1:]))
    jumps = np.flatnonzero(steps > SPIN / fps)
    found, longest = track.copy(), round(BROKEN * fps)
    while len(jumps):
        within = jumps[(jumps > jumps[0]) & (jumps <= jumps[0] + longest)]
        if len(within):
            a, b = jumps[0], within[-1] + 1
            part = np.arange(1, b - a) / (b - a)
            before, after = (np.broadcast_to(track[k], (len(part), 4)) for k in (a, b))
            found[a + 1 : b] = rotation.slerp(before, after, part)
        jumps = jumps[len(within) + 1 :]
    return found


def _not_backwards(foot: np.ndarray, shin: np.ndarray) -> np.ndarray:
    """Feet (frame, 4), those set right that captured markers turned over: there the ankle goes from where it was to
    where it is found again, and is at rest if it never is. One frame in a hundred of CMU's has such a foot."""
    ankle = rotation.multiply(rotation.conjugate(shin), foot)
    flipped = rotation.angle(ankle) > FLIPPED
    if not flipped.any():
        return foot
    wide = np.convolve(flipped, np.ones(2 * BESIDE + 1), mode="same") > 0
    good = np.flatnonzero(~wide)
    if not len(good):
        return shin
    frames = np.arange(len(foot))
    after = np.searchsorted(good, frames).clip(max=len(good) - 1)
    before = np.where(good[after] > frames, np.maximum(after - 1, 0), after)
    a, b = good[before], good[after]
    part = np.clip((frames - a) / np.maximum(b - a, 1), 0.0, 1.0)
    return rotation.multiply(shin, rotation.slerp(ankle[a], ankle[b], part))


def _sole_flat(target: np.ndarray, ankle: np.ndarray, fps: float) -> np.ndarray:
    """The foot turned by a constant so that its sole is level where it stands: skeletons differ in what flat is."""
    height = ankle[:, 2] - np.percentile(ankle[:, 2], 5)
    stands = (np.linalg.norm(sampling.rate(ankle, fps), axis=-1) < STANDING_SPEED) & (height < STANDING_HEIGHT)
    if stands.sum() < STANDING_FRAMES:
        return target
    up = np.median(rotation.rotate_back(target[stands], np.array([0.0, 0.0, 1.0])), axis=0)
    correction = rotation.between(np.array([0.0, 0.0, 1.0]), up)
    if rotation.angle(correction) > MOST_LEVELLING:
        return target
    return rotation.multiply(target, correction)


def _bone(
    clip: Clip, positions: np.ndarray, turned: np.ndarray, roles: dict[str, int], side: str, part: str
) -> np.ndarray:
    """Where a limb segment points (frame, 3): to the next joint, or where its bone ends in the file."""
    j, end = roles[f"{side}_{part}"], f"{side}_{LIMBS[part]}"
    bone = positions[:, roles[end]] - positions[:, j] if end in roles else rotation.rotate(turned[:, j], clip.tips[j])
    if part == "forearm" and np.linalg.norm(bone, axis=-1).min() < 1e-4:  # nothing known: straight on from the elbow
        bone = rotation.rotate(turned[:, j], clip.offsets[j])
    if np.linalg.norm(bone, axis=-1).min() < 1e-4:
        raise InputError(f"clip '{clip.name}': the {side} {part.replace('_', ' ')} of its skeleton has no length")
    return rotation.normalize(bone)


def _clipped(result: BodyClip, off: dict[str, np.ndarray]) -> dict[str, int]:
    """Frames in which a group of hinges is at a limit and its limb more than two degrees off."""
    stuck, clipped = at_limit(result), {}
    for joint, error in off.items():
        columns = [i for i, name in enumerate(result.body.joints) if name.startswith(joint)]
        count = int(np.sum(stuck[:, columns].any(axis=1) & (error > np.radians(2))))
        if count:
            clipped[joint] = count
    return clipped


def _offset(body: Body, name: str) -> np.ndarray:
    """Position of a rigid body in its parent: the direction of the bone above it at rest."""
    return body.model.body_pos[body.bodies.index(name) + 1]


def _axis(q: np.ndarray, i: int) -> np.ndarray:
    return rotation.to_matrix(q)[..., :, i]


def _angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.arctan2(np.linalg.norm(rotation.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def _continuous(q: np.ndarray) -> np.ndarray:
    """The same rotations with signs chosen so that neighbours are near each other."""
    flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0))
    return q * np.concatenate([[1.0], flips])[:, None]
