"""A made-up OpenSim model of two mirrored legs: a pelvis, thighs, shanks and feet, and ten straight muscles a leg."""

from pathlib import Path

from tiny_osim import PARAMETERS

RANGE = {"knee_angle": "-2.1 0.2", "ankle_angle": "-1.6 1.6"}
MUSCLES = {
    # from a point of one body to a point of another, on the right: x ahead, y up, z to the right
    "iliacus": ("pelvis", (0.04, 0.08, 0.09), "femur", (0.03, -0.08, 0.02)),
    "glut_max": ("pelvis", (-0.14, 0.04, 0.06), "femur", (-0.03, -0.12, 0.04)),
    "glut_med": ("pelvis", (-0.03, 0.10, 0.14), "femur", (-0.01, -0.02, 0.07)),
    "add_long": ("pelvis", (0.02, -0.04, 0.01), "femur", (0.01, -0.21, 0.01)),
    "piri": ("pelvis", (-0.13, 0.0, 0.02), "femur", (-0.02, -0.01, 0.05)),
    "vas_int": ("femur", (0.05, -0.20, 0.02), "tibia", (0.06, -0.03, 0.0)),
    "bifem": ("pelvis", (-0.12, -0.10, 0.06), "tibia", (-0.04, -0.05, 0.03)),
    "gas": ("femur", (-0.04, -0.38, 0.0), "foot", (-0.06, -0.03, 0.0)),
    "tib_ant": ("tibia", (0.04, -0.15, 0.01), "foot", (0.07, -0.03, -0.01)),
    "soleus": ("tibia", (-0.03, -0.15, 0.0), "foot", (-0.06, -0.03, 0.0)),
}
DROPS = {"femur": (-0.06, -0.07, 0.08), "tibia": (0.0, -0.4, 0.0), "foot": (0.0, -0.42, 0.0)}
AXES = {
    # a mirrored leg adducts and turns in about mirrored axes
    "femur": (("hip_flexion", (0, 0, 1)), ("hip_adduction", (1, 0, 0)), ("hip_rotation", (0, 1, 0))),
    "tibia": (("knee_angle", (0, 0, 1)),),
    "foot": (("ankle_angle", (0, 0, 1)),),
}


def _vector(values: tuple[float, ...]) -> str:
    return " ".join(map(str, values))


def _joint(side: str, parent: str, child: str) -> str:
    sign, (x, y, z) = (1 if side == "r" else -1), DROPS[child]
    own = [(f"{name}_{side}", axis if axis[2] else tuple(sign * a for a in axis)) for name, axis in AXES[child]]
    still = [("", (0, 0, 1)), ("", (1, 0, 0)), ("", (0, 1, 0))]
    text, names = "", [f"{way}{i}" for way in ("rotation", "translation") for i in (1, 2, 3)]
    for name, (coordinate, axis) in zip(names, [*own, *still[len(own) :], *still], strict=True):
        line = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
        curve = line if coordinate else "<Constant><value>0</value></Constant>"
        text += f'<TransformAxis name="{name}"><coordinates>{coordinate}</coordinates><axis>{_vector(axis)}</axis>'
        text += f"{curve}</TransformAxis>"
    freedom = "".join(
        f'<Coordinate name="{name}"><default_value>0</default_value>'
        f"<range>{RANGE.get(name[:-2], '-2 2')}</range></Coordinate>"
        for name, _ in own
    )
    frames = ((parent, (x, y, sign * z)), (f"{child}_{side}", (0, 0, 0)))
    offsets = "".join(
        f'<PhysicalOffsetFrame name="{body}_offset"><socket_parent>/bodyset/{body}</socket_parent>'
        f"<translation>{_vector(at)}</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame>"
        for body, at in frames
    )
    return (
        f'<CustomJoint name="{child}_{side}"><socket_parent_frame>{frames[0][0]}_offset</socket_parent_frame>'
        f"<socket_child_frame>{frames[1][0]}_offset</socket_child_frame><coordinates>{freedom}</coordinates>"
        f"<frames>{offsets}</frames><SpatialTransform>{text}</SpatialTransform></CustomJoint>"
    )


def _muscle(side: str, name: str, longer: float) -> str:
    first, start, second, end = MUSCLES[name]
    points = ""
    for k, (body, (x, y, z)) in enumerate(((first, start), (second, end))):
        where = body if body == "pelvis" else f"{body}_{side}"
        place = _vector((x, y + longer * k, z if side == "r" else -z))
        points += f'<PathPoint name="{name}_{side}-P{k}"><socket_parent_frame>/bodyset/{where}</socket_parent_frame>'
        points += f"<location>{place}</location></PathPoint>"
    return (
        f'<Thelen2003Muscle name="{name}_{side}"><appliesForce>true</appliesForce><GeometryPath><PathPointSet>'
        f"<objects>{points}</objects></PathPointSet><PathWrapSet><objects/></PathWrapSet></GeometryPath>{PARAMETERS}"
        "</Thelen2003Muscle>"
    )


def legs_file(folder: Path, lopsided: float = 0.0) -> Path:
    """The model as a file; `lopsided` moves the end of the left vastus by so many metres."""
    body = '<Body name="{}"><mass>2.5</mass><mass_center>0 0 0</mass_center><inertia>1 1 1 0 0 0</inertia></Body>'
    bodies, joints, muscles = body.format("pelvis"), "", ""
    for side in ("r", "l"):
        for parent, child in (("pelvis", "femur"), (f"femur_{side}", "tibia"), (f"tibia_{side}", "foot")):
            bodies += body.format(f"{child}_{side}")
            joints += _joint(side, parent, child)
        for name in MUSCLES:
            muscles += _muscle(side, name, lopsided * (side == "l" and name == "vas_int"))
    path = folder / "legs.osim"
    path.write_text(
        '<?xml version="1.0"?><OpenSimDocument Version="40000"><Model name="legs">'
        f"<BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>{joints}</objects></JointSet>"
        f"<ForceSet><objects>{muscles}</objects></ForceSet></Model></OpenSimDocument>"
    )
    return path
