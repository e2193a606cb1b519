"""The muscle man's law as a file: NumPy is the oracle, and a host of MuJoCo and an ONNX runtime alone."""

import json

import mujoco
import numpy as np
import pytest

from lactic import fatigue
from lactic.body import muscle_man
from lactic.muscle.man import law
from lactic.muscle.man.men import muscle_men
from lactic.muscle.man.musculature import musculature
from lactic.rotation import to_matrix

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx", reason="no onnx: pip install lactic[train]")
pytest.importorskip("torch", reason="no torch: pip install lactic[train]")

FENG, STRANDS = fatigue.preset("feng2023"), musculature().strands


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory):
    from lactic.brain.law_file import export_law

    path = tmp_path_factory.mktemp("law") / "law.onnx"
    export_law(path, FENG)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def test_a_step_is_that_of_numpy(session):
    rng, model, count = np.random.default_rng(0), muscle_man().model, 6
    dt, data = model.opt.timestep, mujoco.MjData(model)
    single = np.float32
    xpos, xquat = np.zeros((count, model.nbody, 3), single), np.zeros((count, model.nbody, 4), single)
    for i in range(count):
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, rng.normal(0, 0.4, model.nv), 1.0)
        mujoco.mj_kinematics(model, data)
        xpos[i], xquat[i] = data.xpos, data.xquat
    turns = to_matrix(xquat.astype(float))
    points = law.anchors(STRANDS, xpos.astype(float), turns)
    length = law.lengths(STRANDS, points)
    before = (length * rng.normal(1, 0.003, length.shape)).astype(single)
    before[0] = 0.0  # just placed: no length before
    rate = rng.normal(0, 0.1, length.shape).astype(single)
    state = fatigue.uniform(rng.random((*length.shape, 2))).astype(single)
    rates = np.tile(fatigue.rates(FENG, ["whole body"] * 284), (count, 1, 1)).astype(single)
    rates[:, :, 4] = rng.integers(0, 2, rates.shape[:2])
    action = rng.normal(-0.2, 0.5, length.shape).astype(single)
    given = (xpos[:, 1:], xquat[:, 1:], action, before, rate, state, rates)
    names = [entry.name for entry in session.get_inputs()]
    wrench, *found, force = session.run(None, dict(zip(names, given, strict=True)))
    known = before > 0
    now = np.where(known, law.rate_of(length, before.astype(float), rate.astype(float), dt), rate)
    target = (1 + action.astype(float)) * STRANDS.rest
    pulled = law.pull(STRANDS, length, now, target, state.astype(float), rates.astype(float), dt)
    centre = xpos + np.einsum("...ij,...j->...i", turns, model.body_ipos)
    expected = law.wrenches(STRANDS, xpos.astype(float), turns, centre, points, pulled.force)[:, 1:]
    for one, other in zip(found, (length, now, pulled.state), strict=True):
        assert np.abs(one - other).max() < 1e-5
    for one, other in ((force, pulled.force), (wrench, expected)):
        assert np.abs(one - other).max() < 1e-5 * np.abs(other).max()


def test_a_host_of_mujoco_and_an_onnx_runtime_does_as_the_compiled_law(session):
    note = json.loads(session.get_modelmeta().custom_metadata_map["lactic"])
    assert note["physics_rate"] == 120 and len(note["muscles"]) == 284 and len(note["bodies"]) == 23
    model, rng = muscle_man().model, np.random.default_rng(1)
    data, man = mujoco.MjData(model), muscle_men(1, FENG)
    state = {name: np.zeros((1, 284), np.float32) for name in ("length", "rate")}
    state["fatigue"] = np.tile(np.float32([0, 1, 0]), (1, 284, 1))
    fitness = np.float32([note["rates"]])
    for _ in range(3):
        action = rng.normal(-0.1, 0.4, (1, 284)).astype(np.float32)
        for _ in range(6):
            mujoco.mj_step1(model, data)
            poses = {"xpos": np.float32(data.xpos[None, 1:]), "xquat": np.float32(data.xquat[None, 1:])}
            wrench, *after, _ = session.run(None, poses | state | {"action": action, "fitness": fitness})
            state = dict(zip(state, after, strict=True))
            data.xfrc_applied[1:] = wrench[0]
            mujoco.mj_step2(model, data)
        man.step(action)
    assert np.abs(data.qpos - man.qpos[0]).max() < 1e-5
    assert np.abs(state["fatigue"] - man.fatigue).max() < 1e-4
