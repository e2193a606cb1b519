"""A made-up OpenSim model to compute by hand: a limb on a hinge about z and three muscles, in both dialects.

`reach` runs from (−.2, 0, 0) on the base to (0, −.3, 0) on the limb. `bent` does too, over a point at (0, .1, 0) on the
base while the hinge lies in [0, 1]. `moved` ends on the limb at (.1·q, −.3, spline(q) = q³) instead.
"""

from pathlib import Path

PARAMETERS = """<max_isometric_force>1000</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length>
<tendon_slack_length>0.2</tendon_slack_length><pennation_angle_at_optimal>0.2</pennation_angle_at_optimal>
<max_contraction_velocity>8</max_contraction_velocity>"""
SPLINE = "<SimmSpline><x>-2 -1 0 0.5 1 2</x><y>-8 -1 0 0.125 1 8</y></SimmSpline>"


def _axes(coordinate: str, four: bool) -> str:
    text = ""
    directions = ("0 0 1", "0 1 0", "1 0 0", "1 0 0", "0 1 0", "0 0 1")
    names = [f"{kind}{i}" for kind in ("rotation", "translation") for i in (1, 2, 3)]
    for name, direction in zip(names, directions, strict=True):
        own = coordinate if name == "rotation1" else ""
        curve = (
            "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
            if own
            else "<Constant><value>0</value></Constant>"
        )
        curve = curve if four else f"<function>{curve}</function>"
        text += f'<TransformAxis name="{name}"><coordinates>{own}</coordinates><axis>{direction}</axis>{curve}'
        text += "</TransformAxis>"
    return f"<SpatialTransform>{text}</SpatialTransform>"


def _joint(name: str, parent: str, child: str, coordinate: str, four: bool) -> str:
    freedom = f'<Coordinate name="{coordinate}"><default_value>0</default_value><range>-2 2</range></Coordinate>'
    freedom = freedom if coordinate else ""
    if not four:
        zero = "".join(
            f"<{tag}>0 0 0</{tag}>"
            for tag in ("location_in_parent", "orientation_in_parent", "location", "orientation")
        )
        return (
            f'<Joint><CustomJoint name="{name}"><parent_body>{parent}</parent_body>{zero}{_axes(coordinate, four)}'
            f"<CoordinateSet><objects>{freedom}</objects></CoordinateSet></CustomJoint></Joint>"
        )
    frame = "".join(
        f'<PhysicalOffsetFrame name="{body}_offset"><socket_parent>/bodyset/{body}</socket_parent>'
        "<translation>0 0 0</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame>"
        for body in (parent, child)
    )
    return (
        f'<CustomJoint name="{name}"><socket_parent_frame>{parent}_offset</socket_parent_frame>'
        f"<socket_child_frame>{child}_offset</socket_child_frame><coordinates>{freedom}</coordinates>"
        f"<frames>{frame}</frames>{_axes(coordinate, four)}</CustomJoint>"
    )


def _body(name: str, joint: str, four: bool) -> str:
    parts = ("xx", "yy", "zz", "xy", "xz", "yz")
    inertia = "<inertia>1 1 1 0 0 0</inertia>" if four else "".join(f"<inertia_{p}>1</inertia_{p}>" for p in parts)
    return (
        f'<Body name="{name}"><mass>2.5</mass><mass_center>0 0 0</mass_center>{inertia}{"" if four else joint}</Body>'
    )


def _muscle(name: str, points: str) -> str:
    return (
        f'<Thelen2003Muscle name="{name}"><GeometryPath><PathPointSet><objects>{points}</objects></PathPointSet>'
        f"<PathWrapSet><objects/></PathWrapSet></GeometryPath>{PARAMETERS}</Thelen2003Muscle>"
    )


def tiny_text(four: bool = True) -> str:
    """The model as OpenSim 4 writes it, or as OpenSim 2 did."""
    body = "<socket_parent_frame>/bodyset/{}</socket_parent_frame>" if four else "<body>{}</body>"
    base, limb = body.format("base"), body.format("limb")
    tag, where = ("socket_{}coordinate", "/jointset/hinge/angle") if four else ("{}coordinate", "angle")
    start = f'<PathPoint name="P1">{base}<location>-0.2 0 0</location></PathPoint>'
    end = f'<PathPoint name="P9">{limb}<location>0 -0.3 0</location></PathPoint>'
    over = (
        f'<ConditionalPathPoint name="P2">{base}<location>0 0.1 0</location><range>0 1</range>'
        f"<{tag.format('')}>{where}</{tag.format('')}></ConditionalPathPoint>"
    )
    curves = {
        "x": "<LinearFunction><coefficients>0.1 0</coefficients></LinearFunction>",
        "y": "<Constant><value>-0.3</value></Constant>",
        "z": f"<MultiplierFunction><function>{SPLINE}</function><scale>1</scale></MultiplierFunction>",
    }
    moved = (
        f'<MovingPathPoint name="P9">{limb}'
        + "".join(
            f"<{axis}_location>{curve}</{axis}_location><{tag.format(axis + '_')}>{where}</{tag.format(axis + '_')}>"
            for axis, curve in curves.items()
        )
        + "</MovingPathPoint>"
    )
    joints = [_joint("root", "ground", "base", "", four), _joint("hinge", "base", "limb", "angle", four)]
    bodies = "".join(_body(name, joint, four) for name, joint in zip(("base", "limb"), joints, strict=True))
    muscles = _muscle("reach", start + end) + _muscle("bent", start + over + end) + _muscle("moved", start + moved)
    joint_set = f"<JointSet><objects>{''.join(joints)}</objects></JointSet>" if four else ""
    return (
        f'<?xml version="1.0"?><OpenSimDocument Version="{40000 if four else 20303}"><Model name="tiny">'
        f"<BodySet><objects>{bodies}</objects></BodySet>{joint_set}"
        f"<ForceSet><objects>{muscles}</objects></ForceSet></Model></OpenSimDocument>"
    )


def tiny_file(folder: Path, four: bool = True) -> Path:
    """The model as a file."""
    path = folder / "tiny.osim"
    path.write_text(tiny_text(four))
    return path
