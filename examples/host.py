"""Run a character with MuJoCo and ONNX Runtime alone: python examples/host.py lactic/brains/pace 10 3.5 0

The arguments are a brain's folder, seconds, and the command; motion.npz holds qpos at each control step. It starts as
`lactic play` does with seed 0. Brains that need a leader, muscles or a motion around them need more of a host.
"""

import json
import sys
from pathlib import Path

import mujoco
import numpy as np
import onnxruntime

folder, seconds, command = Path(sys.argv[1]), float(sys.argv[2]), np.array([sys.argv[3:]], np.float32)
brain = onnxruntime.InferenceSession(folder / "brain.onnx", providers=["CPUExecutionProvider"])
info = json.loads(brain.get_modelmeta().custom_metadata_map["lactic"])
if info["host"] != "plain" or command.size != info["command"]:
    sys.exit(
        f"{folder}: host '{info['host']}', {info['command']} numbers of command; this runs 'plain', with all of them"
    )
model = mujoco.MjModel.from_xml_path(str(folder / "body.xml"))
data, joints = mujoco.MjData(model), len(info["joints"])
rng, starts = np.random.default_rng(0), folder / "starts.npz"
if starts.is_file():
    stored = np.load(starts)
    chosen = rng.integers(len(stored["qpos"]), size=1)[0]
    data.qpos, data.qvel = stored["qpos"][chosen], stored["qvel"][chosen]
    data.qpos[:2] = 0.0
else:
    data.qpos[7:] += rng.normal(0.0, 1e-3, joints)
fatigue = np.tile(np.float32([0, 1, 0]), (1, joints, 1))  # active, resting, fatigued: fresh
fitness, torque, motion = np.float32([info["rates"]]), np.zeros(joints), []
substeps = round(info["physics_rate"] / info["control_rate"])
mujoco.mj_kinematics(model, data)
for _ in range(round(seconds * info["control_rate"])):
    motion.append(data.qpos.copy())
    state = {"qpos": data.qpos, "qvel": data.qvel, "xpos": data.xpos[1:], "torque": torque}
    feed = {name: np.float32(values)[None] for name, values in state.items()}
    feed |= {"command": command, "fatigue": fatigue, "fitness": fitness}
    wanted = brain.run(None, {i.name: feed[i.name] for i in brain.get_inputs()})
    targets, stiffness, damping, limits, fatigue = (*(output[0] for output in wanted[:4]), wanted[4])
    data.ctrl = targets
    model.actuator_gainprm[:, 0], model.actuator_biasprm[:, 1], model.actuator_biasprm[:, 2] = (
        stiffness,
        -stiffness,
        -damping,
    )
    model.actuator_forcerange = np.stack([-limits, limits], axis=1)
    torque = np.zeros(joints)
    for _ in range(substeps):
        mujoco.mj_step(model, data)
        torque += np.abs(data.actuator_force) / substeps
    mujoco.mj_kinematics(model, data)  # after a step, positions of bodies lag one physics step behind
np.savez("motion.npz", qpos=motion)
print(f"{data.qpos[:2].round(2)} m, strength left {1 - fatigue[..., 2].mean():.0%}: motion.npz")
