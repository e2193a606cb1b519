"""From a skinned mesh to a person: joints, frames, one shape for each bone or few bones, and how near they come."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from lactic import rotation
from lactic.body.fit import BOX, CAPSULE, LATERAL, RESTARTS, SAGITTAL, Family, both_sides, fit_shape, standing
from lactic.body.mass import union_volume
from lactic.body.person import MIDLINE, PARENTS, Person, Segment, check
from lactic.body.person_file import rounded
from lactic.body.shapes import NO_TURN, REFLECT, Shape
from lactic.body.skin import MakeHuman, SkinnedMesh
from lactic.errors import InputError

DENSITY = 1000.0  # kg/m³; people just float. It picks the build: the mass itself comes out exact


@dataclass(frozen=True)
class ShapeToFit:
    """A shape to be fitted: to which bones of midline and right side, of what kind, whether it meets the floor."""

    bones: tuple[str, ...]
    family: Family | None
    """None: a box that stands on the floor."""
    touches: bool = True
    pair: bool = False
    """With a mirror image in the same body."""
    reach: tuple[float, float] = (-np.inf, np.inf)
    """How far down from the joint, as shares of the way to the next one: limbs taper."""


UPPER, LOWER = (-np.inf, 0.5), (0.5, np.inf)
# the kind of each shape is chosen by hand, as in the thesis
PARTS: dict[str, tuple[ShapeToFit, ...]] = {
    "pelvis": (ShapeToFit(("Hips", "LHipJoint", "RHipJoint"), LATERAL),),
    "torso": (
        ShapeToFit(("LowerBack",), LATERAL),
        ShapeToFit(("Spine",), LATERAL),
        ShapeToFit(("Spine1",), LATERAL),
        ShapeToFit(("RightShoulder",), CAPSULE, pair=True),
    ),
    "head": (ShapeToFit(("Neck", "Neck1"), SAGITTAL), ShapeToFit(("Head",), SAGITTAL)),
    "upper_arm": (ShapeToFit(("RightArm",), CAPSULE),),
    "forearm": (ShapeToFit(("RightForeArm",), CAPSULE),),
    "hand": (ShapeToFit(("RightHand", "RightFingerBase", "RightHandFinger1"), BOX), ShapeToFit(("RThumb",), CAPSULE)),
    "thigh": (ShapeToFit(("RightUpLeg",), CAPSULE, reach=UPPER), ShapeToFit(("RightUpLeg",), CAPSULE, reach=LOWER)),
    "shin": (ShapeToFit(("RightLeg",), CAPSULE, reach=UPPER), ShapeToFit(("RightLeg",), CAPSULE, reach=LOWER)),
    # no toe joint: toes that stood would be a lever that people do not have
    "foot": (
        ShapeToFit(("RightFoot",), None, reach=(0.0, np.inf)),
        ShapeToFit(("RightToeBase",), None, touches=False),
        ShapeToFit(("RightFoot",), CAPSULE, touches=False, reach=(-0.5, 0.6)),
    ),
}
JOINTS = {
    "torso": "LowerBack",
    "head": "Neck",
    "upper_arm": "RightArm",
    "forearm": "RightForeArm",
    "hand": "RightHand",
    "thigh": "RightUpLeg",
    "shin": "RightLeg",
    "foot": "RightFoot",
}
Frames = dict[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class FitReport:
    """How a person fits its mesh, in metres; every figure in the pose of the mesh."""

    mesh_to_shapes: float
    """Mean distance of the mesh from the surface of all shapes together, over the mesh's surface."""
    shapes_to_mesh: float
    """Mean distance of that surface from the mesh, over the shapes' surface."""
    farthest: float
    """Largest distance of the mesh from the shapes."""
    volume_ratio: float
    """Volume of the shapes together over that of the mesh."""


def other_side(bone: str) -> str:
    """The rig's name of the same bone of the other side."""
    for right, left in (("Right", "Left"), ("RT", "LT"), ("RH", "LH")):
        if bone.startswith(right):
            return left + bone.removeprefix(right)
        if bone.startswith(left):
            return right + bone.removeprefix(left)
    return bone


def fit_person(
    path: str | Path,
    height: float,
    mass: float,
    restarts: int = RESTARTS,
    say: Callable[[str], None] = lambda line: None,
) -> tuple[Person, FitReport, SkinnedMesh]:
    """Fit a person of that height and mass to MakeHuman's mesh in the wheel or folder `path`; how well, and to what."""
    check(height, mass)
    if restarts < 1:
        raise InputError(f"restarts {restarts}: give at least 1")
    data = MakeHuman(path)
    fatness = _fatness(data, height, mass)
    mesh, frames = _standing_at(data.mesh(fatness), height)
    say(f"mesh of {len(mesh.vertices)} vertices, {height:g} m, {mesh.volume * 1000:.1f} litres")
    segments = {}
    for name in PARENTS:
        shapes: list[Shape] = []
        touches: list[bool] = []
        for part in PARTS[name]:
            shape = _fit_part(mesh, name, part, frames, restarts).tidied()
            shapes += [shape, shape.mirrored()] if part.pair else [shape]
            touches += [part.touches] * (1 + part.pair)
        segments[name] = Segment(_offset(name, frames), frames[name][0], tuple(shapes), tuple(touches))
        say(f"{name}: {len(shapes)} shape{'s' if len(shapes) > 1 else ''}")
    scalp = float(mesh.vertices[:, 2].max() - frames["head"][1][2])
    person = rounded(Person(height, mass, scalp, segments).scaled(height, mass)).weighed()
    return person, report(person, mesh), mesh


def _fatness(data: MakeHuman, height: float, mass: float) -> float:
    """The build whose volume weighs `mass` at that height."""
    low, high = 0.0, 1.0
    weights = [_standing_at(data.mesh(f), height)[0].volume * DENSITY for f in (low, high)]
    if not weights[0] <= mass <= weights[1]:
        raise InputError(
            f"a person of {height:g} m and {mass:g} kg: the mesh can be made of "
            f"{weights[0]:.0f} to {weights[1]:.0f} kg at that height"
        )
    while high - low > 1e-4:
        middle = (low + high) / 2
        lighter = _standing_at(data.mesh(middle), height)[0].volume * DENSITY < mass
        low, high = (middle, high) if lighter else (low, middle)
    return (low + high) / 2


def _standing_at(mesh: SkinnedMesh, height: float) -> tuple[SkinnedMesh, Frames]:
    """The mesh `height` tall when it stands with straight legs, hips at the origin; and the frames of its segments."""
    frames = _frames(mesh)
    hips, knee, ankle = (frames[name][1] for name in ("thigh", "shin", "foot"))
    legs = np.linalg.norm(knee - hips) + np.linalg.norm(ankle - knee) + ankle[2] - mesh.vertices[:, 2].min()
    stature = legs + mesh.vertices[:, 2].max() - hips[2]
    mesh = mesh.moved(-frames["pelvis"][1]).scaled(height / stature)
    return mesh, _frames(mesh)


def _frames(mesh: SkinnedMesh) -> Frames:
    """For each segment the turn of its frame in the mesh's pose and its origin, midline and right side."""

    def joint(bone: str, ends: dict[str, np.ndarray] = mesh.heads) -> np.ndarray:
        return (ends[bone] + ends[other_side(bone)] * REFLECT) / 2

    at = {name: joint(bone) for name, bone in JOINTS.items()}
    at["pelvis"] = at["thigh"] * [1, 0, 1]
    hand = joint("RightFingerBase", mesh.tails) - at["hand"]
    toes = joint("RightToeBase") - at["foot"]
    upper, fore = (rotation.normalize(at[b] - at[a]) for a, b in (("upper_arm", "forearm"), ("forearm", "hand")))
    elbow = rotation.normalize(np.cross(fore, upper))  # the mesh's arms are bent: their plane tells the elbow's axis
    down = np.array([0.0, 0.0, -1.0])
    turns = {name: NO_TURN for name in MIDLINE}
    turns["upper_arm"], turns["forearm"] = (
        rotation.from_matrix(np.stack([np.cross(elbow, -d), elbow, -d], axis=1)) for d in (upper, fore)
    )
    # hands and legs are straightened the shortest way; feet only turned to point ahead, so that soles stay level
    turns["hand"] = rotation.multiply(rotation.between(fore, hand), turns["forearm"])
    turns["thigh"] = rotation.between(down, at["shin"] - at["thigh"])
    turns["shin"] = rotation.between(down, at["foot"] - at["shin"])
    turns["foot"] = rotation.about("z", np.arctan2(toes[1], toes[0]))
    return {name: (turns[name], at[name]) for name in PARENTS}


def _offset(name: str, frames: Frames) -> np.ndarray:
    parent = PARENTS[name]
    if parent is None:
        return np.zeros(3)
    turn, origin = frames[parent]
    return rotation.rotate_back(turn, frames[name][1] - origin)


def _fit_part(mesh: SkinnedMesh, name: str, part: ShapeToFit, frames: Frames, restarts: int) -> Shape:
    """One shape in its segment's frame."""
    areas = mesh.areas / mesh.areas.sum()
    right = areas * np.sum([mesh.weights[bone] for bone in part.bones], axis=0)
    left = areas * np.sum([mesh.weights[other_side(bone)] for bone in part.bones], axis=0)
    points, weights = both_sides(mesh.vertices, left, right)
    turn, origin = frames[name]
    points = rotation.rotate_back(turn, points - origin)
    floor = float(mesh.vertices[:, 2].min() - frames["foot"][1][2])
    ends = [_offset(child, frames)[2] for child, parent in PARENTS.items() if parent == name] or [floor]
    if np.isfinite(part.reach).any():
        down = points[:, 2] / ends[-1]
        chosen = (down >= part.reach[0]) & (down < part.reach[1])
        points, weights = points[chosen], weights[chosen]
    return fit_shape(points, weights, part.family or standing(floor), restarts=restarts)


def report(person: Person, mesh: SkinnedMesh, spacing: float = 0.008) -> FitReport:
    """How near the person's shapes come to the mesh."""
    shapes = [shape for body in person.spread().values() for shape in body]
    skin, areas = mesh.vertices, mesh.areas
    surface = np.concatenate(outside(shapes, spacing))
    outward, inward = nearest(skin, surface), nearest(surface, skin)
    return FitReport(
        mesh_to_shapes=float(outward @ areas / areas.sum()),
        shapes_to_mesh=float(inward.mean()),
        farthest=float(outward.max()),
        volume_ratio=union_volume(person.spread()) / mesh.volume,
    )


def outside(shapes: list[Shape], spacing: float) -> list[np.ndarray]:
    """For each shape points (n, 3) on its surface that lie in no other: together the surface of the union."""
    points = []
    bounds = [shape.bounds for shape in shapes]
    for shape, (low, high) in zip(shapes, bounds, strict=True):
        own = shape.surface(spacing)
        for other, (a, b) in zip(shapes, bounds, strict=True):
            if other is not shape and np.all(a < high) and np.all(b > low):
                own = own[other.distance(own) > 0]
        points.append(own)
    return points


def nearest(points: np.ndarray, cloud: np.ndarray) -> np.ndarray:
    """Distance of each point (n, 3) to the nearest of a cloud (m, 3)."""
    return cKDTree(cloud).query(points)[0]
