"""A body's XML is the body: to the last digit, and beside every brain."""

import re

import mujoco
import numpy as np
import pytest

from lactic import body as bodies
from lactic.body.xml import to_xml
from lactic.brain.catalogue import SHIPPED
from lactic.brain.file import BrainFile
from lactic.cli import main

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.mark.parametrize("name", ["humanoid", "ant", "person-1.80-85"])
def test_xml_compiles_to_the_same_model(name):
    body = bodies.get(name)
    own, read = body.model, mujoco.MjModel.from_xml_string(to_xml(body))
    assert read.opt.timestep == own.opt.timestep and read.opt.integrator == own.opt.integrator
    fields = [field for field in dir(own) if isinstance(getattr(own, field), np.ndarray)]
    assert {"body_inertia", "geom_quat", "jnt_range", "dof_armature", "actuator_forcerange"} <= set(fields)
    for field in fields:
        np.testing.assert_array_equal(getattr(read, field), getattr(own, field), field)


def test_every_brain_has_its_body_beside_it():
    folders = [path.parent for path in SHIPPED.rglob("brain.onnx")]
    assert len(folders) > 10
    for folder in folders:
        info, path = BrainFile(folder / "brain.onnx").info, folder / "body.xml"
        said = f"{path}: write it with `lactic bodies export {info.body}{' --pinned' * info.pinned} --out {path}`"
        muscled = info.body == bodies.muscle_man().name
        body = bodies.muscle_man(info.pinned) if muscled else bodies.get(info.body, info.pinned)
        assert path.is_file(), said
        held, made = path.read_text(), to_xml(body)
        if muscled:  # its shoulder blades are turned: processors differ in the last digit of that
            numbers = [np.array(NUMBER.findall(text), dtype=float) for text in (held, made)]
            np.testing.assert_allclose(*numbers, rtol=1e-11, atol=1e-13, err_msg=said)
            held, made = (NUMBER.sub("", text) for text in (held, made))
        assert held == made, said


def test_export_writes_a_body_or_says_why_not(tmp_path, capsys):
    out = tmp_path / "body.xml"
    assert main(["bodies", "export", "humanoid", "--out", str(out), "--pinned"]) == 0
    assert mujoco.MjModel.from_xml_path(str(out)).neq == 1
    assert main(["bodies", "export", "humanid", "--out", str(out)]) == 2
    assert "unknown body 'humanid'" in capsys.readouterr().err
    assert main(["bodies", "export", "ant", "--out", str(tmp_path / "body.txt")]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["body.xml"]
