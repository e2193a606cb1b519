"""Reading OpenSim models: both dialects, and damage named by file and element."""

import numpy as np
import pytest
from tiny_osim import tiny_file, tiny_text

from lactic.errors import InputError
from lactic.muscle.curve import spline
from lactic.muscle.osim import read_osim


def test_spline_reproduces_a_cubic_and_goes_on_straight():
    x = np.array([-1.0, -0.2, 0.1, 0.8, 2.0])
    curve = spline(x, 2 * x**3 - x**2 + 3)
    inside, beyond = np.linspace(-1, 2, 50), np.array([-3.0, 4.0])
    assert curve(inside) == pytest.approx(2 * inside**3 - inside**2 + 3, abs=1e-13)
    ends = np.array([-1.0, 2.0])
    assert curve(beyond) == pytest.approx(2 * ends**3 - ends**2 + 3 + (beyond - ends) * (6 * ends**2 - 2 * ends))


def test_spline_of_two_points_is_a_line_and_of_three_a_parabola():
    assert spline(np.array([0.0, 2.0]), np.array([1.0, 5.0]))(np.array([-1.0, 1.0, 3.0])) == pytest.approx([-1, 3, 7])
    curve = spline(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 9.0]))
    assert curve(np.array([0.5, 2.0])) == pytest.approx([0.25, 4.0])


@pytest.mark.parametrize("four", [True, False], ids=["4.x", "2.x"])
def test_both_dialects_say_the_same(tmp_path, four):
    model = read_osim(tiny_file(tmp_path, four))
    assert (model.name, list(model.bodies), list(model.coordinates)) == ("tiny", ["base", "limb"], ["angle"])
    assert model.mass == 5.0
    assert model.joints["limb"].parent == "base"
    assert [m.name for m in model.muscles] == ["reach", "bent", "moved"]
    muscle = model.muscles[1]
    assert (muscle.force, muscle.fibre, muscle.tendon, muscle.pennation, muscle.speed) == (1000, 0.1, 0.2, 0.2, 8)
    assert muscle.points[1].condition == ("angle", 0, 1)
    assert muscle.points[1].body == "base"


def test_a_disabled_muscle_is_left_out(tmp_path):
    path = tmp_path / "off.osim"
    path.write_text(tiny_text().replace('"bent">', '"bent"><appliesForce>false</appliesForce>'))
    assert [m.name for m in read_osim(path).muscles] == ["reach", "moved"]


BELL = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
DAMAGE = {
    "cut short": (lambda t: t[: len(t) // 2], ["damaged or cut short"]),
    "not a model": (lambda t: "<html></html>", ["html", "not an OpenSim model"]),
    "entities": (lambda t: t.replace("?>", "?>" + BELL, 1), ["document type"]),
    "encoding": (lambda t: t.replace('"1.0"', '"1.0" encoding="klingon"'), ["klingon"]),
    "no bodies": (lambda t: t.replace("BodySet", "Bodies"), ["<Model> tiny", "no bodies"]),
    "no joints": (lambda t: t.replace("JointSet", "Joints"), ["<Model> tiny", "no joints"]),
    "no muscles": (lambda t: t.replace("ForceSet", "Forces"), ["<Model> tiny", "no muscles"]),
    "joint type": (lambda t: t.replace("CustomJoint", "BallJoint"), ["<BallJoint> root", "not supported"]),
    "point type": (lambda t: t.replace("ConditionalPathPoint", "OddPoint"), ["<OddPoint> P2", "bent", "not supported"]),
    "muscle type": (lambda t: t.replace("Thelen2003", "Odd"), ["<OddMuscle> reach", "not supported"]),
    "function": (lambda t: t.replace("LinearFunction", "Sine"), ["rotation1", "Sine", "not known"]),
    "wrapping": (
        lambda t: t.replace("<objects/>", '<objects><PathWrap name="w"/></objects>', 1),
        ["reach", "<PathWrap> w"],
    ),
    "constraint": (
        lambda t: t.replace("<BodySet>", '<ConstraintSet><objects><Weld name="c"/></objects></ConstraintSet><BodySet>'),
        ["<Weld> c", "constraints"],
    ),
    "no parameter": (
        lambda t: t.replace("tendon_slack_length", "slack", 2),
        ["<Thelen2003Muscle> reach", "<tendon_slack_length>"],
    ),
    "no number": (lambda t: t.replace("-0.2 0 0", "-0.2 zero 0", 1), ["P1", "<location>", "'zero' is not a number"]),
    "not finite": (lambda t: t.replace("-0.2 0 0", "-0.2 nan 0", 1), ["P1", "<location>", "not finite"]),
    "too few": (lambda t: t.replace("-0.2 0 0", "-0.2 0", 1), ["P1", "<location>", "needs 3 numbers and has 2"]),
    "no force": (lambda t: t.replace(">1000<", ">-1<", 1), ["<max_isometric_force>", "above 0"]),
    "unknown body": (lambda t: t.replace("/bodyset/limb</socket_parent_f", "/bodyset/leg</socket_parent_f"), ["'leg'"]),
    "unknown coordinate": (lambda t: t.replace("/jointset/hinge/angle", "/jointset/hinge/knee"), ["P2", "'knee'"]),
    "knots": (lambda t: t.replace("-2 -1 0 0.5", "-2 -1 0 0"), ["P9", "<SimmSpline>", "rise"]),
    "uneven": (lambda t: t.replace("<y>-8 ", "<y>"), ["<SimmSpline>", "6 x and 5 y"]),
    "axis": (lambda t: t.replace('name="rotation2"', 'name="rotation9"'), ["<SpatialTransform>", "rotation2"]),
    "no direction": (lambda t: t.replace("<axis>0 1 0", "<axis>0 0 0", 1), ["rotation2", "no direction"]),
    "no path": (lambda t: t.replace("PathPointSet", "Points"), ["reach", "two points or more and has 0"]),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_named(tmp_path, kind):
    change, words = DAMAGE[kind]
    path = tmp_path / "bad.osim"
    path.write_text(change(tiny_text()))
    with pytest.raises(InputError) as caught:
        read_osim(path)
    message = str(caught.value)
    assert "\n" not in message and "bad.osim" in message
    assert all(word in message for word in words), message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot read it"):
        read_osim(tmp_path / "nowhere.osim")
