"""Own bodies: what is derived of an MJCF or URDF file, what a YAML file says, and that they stand, tire and train."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from made_up import ROBOT

from lactic import body as bodies
from lactic.body.own import examined
from lactic.body.xml import to_xml
from lactic.brain.catalogue import BrainFolder
from lactic.cli import main
from lactic.errors import InputError
from lactic.learn import config
from lactic.learn.export import export_run
from lactic.learn.trainer import Trainer, make_world
from lactic.play.player import Player
from lactic.task.ant import Ant
from lactic.world import CpuWorld

TABLE = """
<mujoco>
  <option timestep="0.002" integrator="RK4"/>
  <default><position ctrlrange="1 -1"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1"/>
    <body name="ball" pos="3 0 1"><freejoint/><geom size="0.1"/></body>
    <body name="slab" pos="0 0 2">
      <freejoint/>
      <geom type="box" size="0.3 0.2 0.05" mass="20"/>
      %s
    </body>
  </worldbody>
  <actuator><motor joint="front_left_knee" gear="50"/></actuator>
</mujoco>
"""
LEG = """
<body name="{0}_leg" pos="{1} {2} 0">
  <joint name="{0}_knee" axis="0 1 0" range="-60 60"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" mass="2"/>
</body>
"""
PLACES = {
    "front_left": (0.25, 0.15),
    "front_right": (0.25, -0.15),
    "back_left": (-0.25, 0.15),
    "back_right": (-0.25, -0.15),
}


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "table.xml"
    path.write_text(TABLE % "".join(LEG.format(name, *at) for name, at in PLACES.items()))
    return path


def test_a_creature_is_taken_out_of_its_scene_and_stands(table):
    body, notes = examined(str(table))
    assert body.joints == tuple(f"{name}_knee" for name in PLACES) and set(body.groups) == {"knee"}
    assert set(body.feet) == {f"{name}_leg" for name in PLACES} and "ball" not in body.bodies
    assert any("integrator RK4" in note for note in notes) and any("1 actuators" in note for note in notes)
    assert body.model.opt.timestep == pytest.approx(1 / 120) and body.model.nu == 4
    assert body.rest[2] == pytest.approx(0.44, abs=1e-6)  # it stands on the floor, wherever the file has it
    # half the weight of 28 kg at the least lever
    assert body.torque_limit == pytest.approx(0.5 * 28 * 9.81 * 0.4)
    world = CpuWorld(bodies.get(str(table)))
    for _ in range(60):
        world.step(4)
    assert not world.faults and world.qpos[0, 2] == pytest.approx(0.44, abs=0.02)


def test_the_yaml_file_has_the_last_word(table):
    path = table.with_suffix(".yaml")
    path.write_text(
        "model: table.xml\njoints: ['front_*']\ngroups: {elbow: ['*_left_*']}\nfeet: [back_left_leg, back_right_leg]\n"
        "strength: {'*': 70, front_left_knee: 80}\nstiffness: 300\n"
    )
    body = bodies.get(str(path))
    assert body.joints == ("front_left_knee", "front_right_knee") and body.groups == ("elbow", "knee")
    assert body.torque_limit.tolist() == [80, 70] and body.stiffness.tolist() == [300, 300]
    assert body.damping.tolist() == [30, 30] and body.feet == ("back_left_leg", "back_right_leg")
    model = body.model
    assert model.actuator_forcerange.tolist() == [[-80, 80], [-70, 70]] and model.njnt == 3


def test_a_urdf_file_floats_and_has_its_own_strength(tmp_path):
    path = tmp_path / "post.urdf"
    path.write_text(ROBOT)
    body, notes = examined(str(path))
    assert body.joints == ("waist",) and body.groups == ("abdomen",) and body.torque_limit.tolist() == [5]
    assert body.model.joint(0).type[0] == mujoco.mjtJoint.mjJNT_FREE and body.range[0].tolist() == [-1, 1]
    assert body.stiffness[0] == pytest.approx(2 * 2 * 9.81 * 0.2)  # twice what keeps the mast from tipping over
    assert any("no joint: it floats now" in note for note in notes)


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("model: none.xml", "no file"),
        ("model: table.xml\nfoot: [a]", "unknown 'foot'"),
        ("model: table.xml\nfeet: [paw]", "nothing is called 'paw'"),
        ("model: table.xml\nstrength: {wing: 3}", "no joint's positive number"),
        ("model: table.xml\njoints: front", "must be a list"),
    ],
)
def test_mistakes_are_one_line(table, said, about, capsys):
    path = table.with_suffix(".yaml")
    path.write_text(said)
    with pytest.raises(InputError, match=about):
        examined(str(path))
    assert main(["bodies", "check", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_check_says_what_was_derived_and_that_it_stands(table, capsys):
    assert main(["bodies", "check", str(table)]) == 0
    said = capsys.readouterr()
    assert "integrator RK4" in said.out + said.err and "yes, for 3 s" in said.out


def trained(table: Path, out: Path) -> Trainer:
    """A run of the creature, after two iterations."""
    changes = {
        "task.kind": "ant",
        "task.body": str(table),
        "task.fall.bodies": ["slab"],
        "task.fall.height": 0.2,
        "task.fatigue": {"mode": "limits", "fitness": "human-100", "fresh": 1.0},
        "worlds": 8,
        "device": "cpu",
        "learn.policy": [8],
        "learn.value": [8],
    }
    settings = config.changed(config.RunSettings(), changes)
    config.write(settings, out / "params.yaml")
    trainer = Trainer(settings, Ant.reference_of(settings.task, Path()), make_world(settings))
    for _ in range(2):
        trainer.iterate()
    trainer.save(out / "checkpoint", light=True)
    return trainer


def test_a_creature_tires_in_training(table, tmp_path):
    spent = trained(table, tmp_path).task.fatigue[..., 2]
    assert spent.shape == (8, 4) and 0.001 < float(spent.max()) < 1.0


def test_its_xml_is_the_body_though_it_has_defaults(table):
    body = bodies.get(str(table))
    read = mujoco.MjModel.from_xml_string(to_xml(body))
    for field in ("body_pos", "body_inertia", "geom_size", "jnt_range", "actuator_gainprm", "actuator_forcerange"):
        np.testing.assert_array_equal(getattr(read, field), getattr(body.model, field), field)


def test_its_brain_is_exported_and_plays(table, tmp_path):
    trained(table, tmp_path)
    export_run(tmp_path, tmp_path / "brain")
    player = Player(BrainFolder(tmp_path / "brain").load())
    for _ in range(30):
        player.step(command=np.array([5.0, 0.0]))
    assert np.isfinite(player.world.qpos).all() and 0.0 < player.fatigue[0, :, 2].max() < 1.0
