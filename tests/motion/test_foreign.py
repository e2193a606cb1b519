"""A BVH file on a humanoid that is not ours: one hinge a link, other names, other rest pose, and roles in its YAML."""

from pathlib import Path

import numpy as np
import pytest
import skeletons

from lactic import body as bodies
from lactic import rotation
from lactic.cli import main
from lactic.errors import InputError
from lactic.motion import BodyClip, ground, read, retarget
from lactic.motion.roles import find_roles

BALL = 'type="sphere" size="0.03" mass="0.3"'
TRUNK = """
<mujoco>
  <worldbody>
    <body name="base" pos="0 0 1" euler="0 0 90">
      <freejoint/>
      <geom type="box" size="0.1 0.12 0.05" mass="8"/>
      <body name="chest" pos="0 0 0.2">
        <joint name="waist" axis="0 0 1" range="-120 120"/>
        <geom type="box" size="0.1 0.15 0.15" mass="15"/>
        {arms}
      </body>
      {legs}
    </body>
  </worldbody>
</mujoco>
"""
# hinges of their own at every link, the arm held to the side at rest and the knee bent
ARM = """
<body name="{s}1" pos="0 {y} 0.15"><joint name="{s}_a" axis="0 1 0" range="-170 170"/><geom {ball}/>
  <body name="{s}2"><joint name="{s}_b" axis="1 0 0" range="-170 170"/><geom {ball}/>
    <body name="{s}3"><joint name="{s}_c" axis="0 0 1" range="-170 170"/><geom {ball}/>
      <body name="{s}4" pos="0 {l} 0"><joint name="{s}_d" axis="0 0 1" range="-150 150"/><geom {ball}/>
        <body name="{s}5" pos="0 {m} 0"><geom {ball}/></body>
      </body>
    </body>
  </body>
</body>
"""
LEG = """
<body name="{s}6" pos="0 {y} -0.1"><joint name="{s}_e" axis="0 0 1" range="-90 90"/><geom {ball}/>
  <body name="{s}7"><joint name="{s}_f" axis="1 0 0" range="-60 60"/><geom {ball}/>
    <body name="{s}8"><joint name="{s}_g" axis="0 1 0" range="-120 120"/><geom {ball}/>
      <body name="{s}9" pos="0.05 0 -0.3" ><joint name="{s}_h" axis="0 -1 0" range="-150 60"/><geom {ball}/>
        <body name="{s}10" pos="-0.05 0 -0.3"><joint name="{s}_i" axis="0 1 0" range="-90 90"/>
          <geom type="box" size="0.12 0.05 0.02" pos="0.05 0 -0.04" mass="1"/></body>
      </body>
    </body>
  </body>
</body>
"""
ROLES = "".join(
    f"  {side}_{part}: {s}{number}\n"
    for side, s in (("left", "a"), ("right", "b"))
    for part, number in (("upper_arm", 3), ("forearm", 4), ("hand", 5), ("thigh", 8), ("shin", 9), ("foot", 10))
)


@pytest.fixture
def robot(tmp_path) -> Path:
    """A robot that looks along +y at rest; its YAML file names the bodies that a clip needs."""
    sides = {"a": 1, "b": -1}
    arms = "".join(ARM.format(s=s, y=0.2 * f, l=0.2 * f, m=0.15 * f, ball=BALL) for s, f in sides.items())
    legs = "".join(LEG.format(s=s, y=0.09 * f, ball=BALL) for s, f in sides.items())
    (tmp_path / "robot.xml").write_text(TRUNK.format(arms=arms, legs=legs))
    path = tmp_path / "robot.yaml"
    path.write_text(f"model: robot.xml\nroles:\n  pelvis: base\n  torso: chest\n{ROLES}")
    return path


@pytest.fixture
def walk(tmp_path) -> Path:
    path = tmp_path / "walk.bvh"
    path.write_text(skeletons.bvh(skeletons.names_of("cmu")))
    return path


def test_bones_point_as_the_clip_says_and_feet_stand(robot, walk):
    clip, body = read(walk), bodies.get(str(robot))
    moved, residual = retarget(clip, body, fps=30)
    there, roles = clip.globals()[0], find_roles(clip)
    at, turned = moved.positions()
    worst = 0.0
    for s, side in (("a", "left"), ("b", "right")):
        for part, end, start, stop in (
            ("upper_arm", "forearm", 3, 4),
            ("forearm", "hand", 4, 5),
            ("thigh", "shin", 8, 9),
            ("shin", "foot", 9, 10),
        ):
            mine = at[:, body.bodies.index(f"{s}{stop}")] - at[:, body.bodies.index(f"{s}{start}")]
            its = there[:, roles[f"{side}_{end}"]] - there[:, roles[f"{side}_{part}"]]
            apart = rotation.angle(rotation.between(rotation.normalize(mine), rotation.normalize(its)))
            worst = max(worst, float(apart.max()))
    assert np.degrees(worst) < 3 and residual.direction_max == pytest.approx(worst, abs=1e-6)
    # it goes where the clip goes, as much smaller as its legs are, and looks there too
    assert np.ptp(moved.qpos[:, 0]) == pytest.approx(residual.scale * np.ptp(clip.root_pos[:, 0]), abs=0.02)
    legs = 2 * np.hypot(0.05, 0.3)
    assert residual.scale == pytest.approx(legs / 0.83, abs=0.01)
    looks = rotation.rotate(turned[:, 0], np.array([1.0, 0.0, 0.0]))  # the base's own x axis, +y of the world at rest
    clip_looks = 0.3 + 0.1 * np.sin(2 * np.pi * np.arange(40) / 30)
    np.testing.assert_allclose(np.arctan2(looks[:, 1], looks[:, 0]), clip_looks, atol=0.02)
    heights = ground.clearance(body, moved.qpos)
    assert -0.02 < heights.min() < 0.02
    assert (moved.qpos[:, 7:] >= body.range[:, 0] - 1e-9).all() and (moved.qpos[:, 7:] <= body.range[:, 1] + 1e-9).all()
    assert np.abs(np.diff(moved.qpos[:, 7:], axis=0)).max() * 30 < 12


def test_the_command_line_converts_and_reads_it_again(robot, walk, tmp_path, capsys):
    assert main(["clips", "convert", str(walk), str(tmp_path / "walk.npz"), "--body", str(robot)]) == 0
    held = BodyClip.load(tmp_path / "walk.npz")
    assert held.body.joints == bodies.get(str(robot)).joints and held.qpos.shape == (40, 7 + 19)
    assert main(["bodies", "check", str(robot)]) == 0
    assert "takes clips  yes" in capsys.readouterr().out


def test_without_roles_it_says_what_is_missing(robot, walk, capsys):
    model = robot.with_suffix(".xml")
    with pytest.raises(InputError, match=r"left_thigh.*under `roles` in its YAML file"):
        retarget(read(walk), bodies.get(str(model)))
    assert main(["bodies", "check", str(model)]) == 0
    assert "no body for left_thigh" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("  left_wing: a4\n", "no role 'left_wing'"),
        ("  head: skull\n", "no body 'skull'"),
        ("  left_hand: null\n  right_hand: null\n", "name a left_hand"),  # a forearm whose end is unknown
    ],
)
def test_mistakes_in_roles_are_one_line(robot, walk, line, said):
    text = robot.read_text().replace("  left_hand: a5\n", "").replace("  right_hand: b5\n", "")
    robot.write_text(text + line)
    with pytest.raises(InputError, match=said):
        retarget(read(walk), bodies.get(str(robot)))
