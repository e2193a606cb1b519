"""OpenSim models: bodies, custom joints and muscles with their paths, of documents 2.x/3.x and 4.x alike.

What is read here is what gait2392 and its kin use. Anything else that would change a muscle's length (wrapping
surfaces, other joints, constraints) is refused by name and not passed over.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lactic.muscle.curve import Curve, read_curve
from lactic.muscle.osim_xml import Element, parse

MUSCLES = ("Thelen2003Muscle", "Millard2012EquilibriumMuscle", "DeGrooteFregly2016Muscle")
GROUND = "ground"
ROTATIONS = ("rotation1", "rotation2", "rotation3")
TRANSLATIONS = ("translation1", "translation2", "translation3")


@dataclass(frozen=True)
class Coordinate:
    """A degree of freedom; radians or metres."""

    name: str
    default: float
    range: tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """Turn about, or shift along, a direction by a function of one coordinate (none: a constant)."""

    coordinate: str | None
    direction: np.ndarray
    curve: Curve


@dataclass(frozen=True)
class OsimJoint:
    """Child against parent: fixed offset, three turns one after the other, three shifts, inverse of a fixed offset."""

    name: str
    parent: str
    child: str
    parent_offset: np.ndarray  # (4, 4)
    child_offset: np.ndarray  # (4, 4)
    turns: tuple[Axis, ...]
    shifts: tuple[Axis, ...]


@dataclass(frozen=True)
class Point:
    """A point of a muscle's path in the frame of its body: fixed, present only in a range, or moved by coordinates."""

    name: str
    body: str
    location: np.ndarray  # (3,); where a coordinate moves it, the curve counts instead
    moved: tuple[tuple[str, Curve] | None, ...] = (None, None, None)  # coordinate and curve of x, y, z
    condition: tuple[str, float, float] | None = None  # coordinate, lowest, highest


@dataclass(frozen=True)
class Muscle:
    """A muscle–tendon unit; newtons, metres, radians, optimal lengths a second."""

    name: str
    points: tuple[Point, ...]
    force: float
    fibre: float
    tendon: float
    pennation: float
    speed: float


@dataclass(frozen=True)
class Osim:
    """A model, bodies and coordinates by name, joints by the name of their child."""

    file: Path
    name: str
    bodies: dict[str, float]  # mass, kg
    coordinates: dict[str, Coordinate]
    joints: dict[str, OsimJoint]
    muscles: tuple[Muscle, ...]

    @property
    def mass(self) -> float:
        """Of all bodies, kg."""
        return sum(self.bodies.values())


FoundJoint = tuple[OsimJoint, list[Coordinate], Element]


def read_osim(path: str | Path) -> Osim:
    """Read an OpenSim model; InputError names the element that is missing, damaged or not supported."""
    root = parse(path)
    if root.tag != "OpenSimDocument":
        root.fail("not an OpenSim model (its outermost element must be <OpenSimDocument>)")
    model = root.child("Model")
    for constraint in model.objects("ConstraintSet"):
        constraint.fail("constraints are not supported: they tie coordinates that muscles depend on")
    entries = model.objects("BodySet")
    if not entries:
        model.fail("has no bodies (<BodySet><objects>)")
    bodies = {element.name: _mass(element) for element in entries if element.name != GROUND}
    coordinates: dict[str, Coordinate] = {}
    joints: dict[str, OsimJoint] = {}
    for joint, freedoms, element in _joints(model, entries):
        for end in (joint.parent, joint.child):
            if end not in bodies and end != GROUND:
                element.fail(f"joins '{end}', which is not a body of this model")
        if joint.child in joints:
            element.fail(f"'{joint.child}' hangs from a joint already; loops are not supported")
        joints[joint.child] = joint
        coordinates |= {freedom.name: freedom for freedom in freedoms}
    muscles = tuple(_muscles(model, bodies, coordinates))
    if not muscles:
        model.fail(f"has no muscles (<ForceSet><objects> with {', '.join(MUSCLES)})")
    return Osim(root.file, model.node.get("name", root.file.stem), bodies, coordinates, joints, muscles)


def _mass(element: Element) -> float:
    if element.tag != "Body":
        element.fail("is not a <Body>, the only kind supported")
    mass = element.number("mass")
    if mass < 0:
        element.fail(f"has a mass below 0 ({mass:g} kg)")
    return mass


def _joints(model: Element, entries: list[Element]) -> list[FoundJoint]:
    found = [_joint_of_4(element) for element in model.objects("JointSet")]
    for element in entries:  # documents before 4.0 keep a joint inside its child
        holder = element.maybe("Joint")
        found += [_joint_of_2(inner, element.name) for inner in holder.children()] if holder is not None else []
    if not found:
        model.fail("has no joints (<JointSet><objects>, or <Joint> in each body)")
    return found


def _joint_of_4(element: Element) -> FoundJoint:
    _check_joint(element)
    frames: dict[str, tuple[str, np.ndarray]] = {}
    holder = element.maybe("frames")
    for frame in holder.children() if holder is not None else ():
        if frame.tag != "PhysicalOffsetFrame":
            frame.fail("frame not supported; known is PhysicalOffsetFrame")
        zero = (0.0, 0.0, 0.0)
        offset = _transform(frame.numbers("orientation", 3, zero), frame.numbers("translation", 3, zero))
        frames[frame.name] = frame.target("socket_parent"), offset
    ends = []
    for tag in ("socket_parent_frame", "socket_child_frame"):
        name = element.target(tag)
        ends.append(frames.get(name, (name, np.eye(4))))  # a joint may also sit right on a body
    holder = element.maybe("coordinates")
    return _joint(element, ends[0], ends[1], [_coordinate(c) for c in holder.children()] if holder is not None else [])


def _joint_of_2(element: Element, child: str) -> FoundJoint:
    _check_joint(element)
    if element.flag("reverse"):
        element.fail("a reversed joint is not supported")
    parent_offset = _transform(element.numbers("orientation_in_parent", 3), element.numbers("location_in_parent", 3))
    child_offset = _transform(element.numbers("orientation", 3), element.numbers("location", 3))
    freedoms = [_coordinate(c) for c in element.objects("CoordinateSet")]
    return _joint(element, (element.target("parent_body"), parent_offset), (child, child_offset), freedoms)


def _check_joint(element: Element) -> None:
    if element.tag != "CustomJoint":
        element.fail("joint type not supported; known is CustomJoint")


def _joint(
    element: Element, parent: tuple[str, np.ndarray], child: tuple[str, np.ndarray], freedoms: list[Coordinate]
) -> FoundJoint:
    transform = element.child("SpatialTransform")
    given = {axis.name: axis for axis in transform.children()}
    known = {freedom.name for freedom in freedoms}
    for name in (*ROTATIONS, *TRANSLATIONS):
        if name not in given:
            transform.fail(f"has no <TransformAxis> {name}")
    turns = tuple(_axis(given[name], known, unit=True) for name in ROTATIONS)
    shifts = tuple(_axis(given[name], known, unit=False) for name in TRANSLATIONS)
    return OsimJoint(element.name, parent[0], child[0], parent[1], child[1], turns, shifts), freedoms, element


def _axis(element: Element, known: set[str], unit: bool) -> Axis:
    direction = np.array(element.numbers("axis", 3))
    length = float(np.linalg.norm(direction))
    if length < 1e-6:
        element.fail("its <axis> has no direction")
    holder, curve = element.maybe("coordinates"), read_curve(element)
    names = (holder.node.text or "").split() if holder is not None else []
    if len(names) > 1:
        element.fail("functions of several coordinates are not supported")
    if names and names[0] not in known:
        element.fail(f"depends on '{names[0]}', which is not a coordinate of this joint")
    if not names and curve.constant is None:
        element.fail("its function changes but no coordinate is named")
    return Axis(names[0] if names else None, direction / length if unit else direction, curve)


def _coordinate(element: Element) -> Coordinate:
    if element.tag != "Coordinate":
        element.fail("is not a <Coordinate>")
    low, high = element.numbers("range", 2)
    return Coordinate(element.name, element.number("default_value", 0.0), (low, high))


def _muscles(model: Element, bodies: dict[str, float], coordinates: dict[str, Coordinate]) -> list[Muscle]:
    found = []
    for element in model.objects("ForceSet"):
        path = element.maybe("GeometryPath")
        if element.tag not in MUSCLES:
            if path is not None:
                element.fail(f"muscle type not supported; known are {', '.join(MUSCLES)}")
            continue  # motors, contacts and springs are no muscles
        applies = element.maybe("appliesForce")
        if element.flag("isDisabled") or (applies is not None and not element.flag("appliesForce")):
            continue
        path = element.child("GeometryPath")
        for wrap in path.objects("PathWrapSet"):
            wrap.fail("wrapping surfaces are not supported")
        points = tuple(_point(p, bodies, coordinates) for p in path.objects("PathPointSet"))
        if len(points) < 2:
            path.fail(f"a path needs two points or more and has {len(points)}")
        if all(point.condition for point in points):
            path.fail("all points are conditional: the path may vanish")
        pennation = element.number("pennation_angle_at_optimal", 0.0)
        if not 0 <= pennation < np.pi / 2:
            element.child("pennation_angle_at_optimal").fail(f"must lie between 0 and π/2 and is {pennation:g}")
        found.append(
            Muscle(
                element.name,
                points,
                element.positive("max_isometric_force"),
                element.positive("optimal_fiber_length"),
                element.positive("tendon_slack_length"),
                pennation,
                element.positive("max_contraction_velocity", 10.0),
            )
        )  # OpenSim leaves out what has its default value
    return found


def _point(element: Element, bodies: dict[str, float], coordinates: dict[str, Coordinate]) -> Point:
    if element.tag not in ("PathPoint", "ConditionalPathPoint", "MovingPathPoint"):
        element.fail("point type not supported; known are PathPoint, ConditionalPathPoint and MovingPathPoint")
    body = element.target("socket_parent_frame", "body")
    if body not in bodies and body != GROUND:
        element.fail(f"stands on '{body}', which is not a body of this model")
    if element.tag == "MovingPathPoint":
        curves = [read_curve(element.child(f"{axis}_location")) for axis in "xyz"]
        names = [_named(element, coordinates, f"socket_{axis}_coordinate", f"{axis}_coordinate") for axis in "xyz"]
        return Point(element.name, body, np.zeros(3), tuple(zip(names, curves, strict=True)))
    location = np.array(element.numbers("location", 3))
    if element.tag == "PathPoint":
        return Point(element.name, body, location)
    low, high = element.numbers("range", 2)
    name = _named(element, coordinates, "socket_coordinate", "coordinate")
    return Point(element.name, body, location, condition=(name, min(low, high), max(low, high)))


def _named(element: Element, coordinates: dict[str, Coordinate], *tags: str) -> str:
    name = element.target(*tags)
    if name not in coordinates:
        element.child(*tags).fail(f"'{name}' is not a coordinate of this model")
    return name


def turn(direction: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix about a unit direction (Rodrigues)."""
    x, y, z = direction
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def _transform(orientation: tuple[float, ...], location: tuple[float, ...]) -> np.ndarray:
    """A frame from turns about x, then the new y, then the new z, and its origin."""
    made = np.eye(4)
    for direction, angle in zip(np.eye(3), orientation, strict=True):
        made[:3, :3] = made[:3, :3] @ turn(direction, angle)
    made[:3, 3] = location
    return made
