"""The brain: torch and ONNX agree, a policy can be swapped, and a broken file is named."""

import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import onnx
import pytest
import torch
from torch import nn

from lactic import body as bodies
from lactic import fatigue
from lactic.body import muscle_man
from lactic.brain import catalogue
from lactic.brain.arms import arms_info
from lactic.brain.export import example_inputs, export
from lactic.brain.file import INPUTS, OUTPUTS, BrainFile
from lactic.brain.module import Brain, PoseSequence, Senses
from lactic.brain.pose import pose_brain
from lactic.errors import InputError
from lactic.learn import config
from lactic.muscle.man.arms import balance, hanging
from lactic.muscle.man.muscled import muscled
from lactic.task.registry import TASKS

PARAMS = {"poses": [{}, {"right_shoulder_x": -90, "left_shoulder_x": 90}], "torque_limit": {"shoulder": 60}}


def inputs_for(brain: Brain, worlds: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = {name: x.numpy().copy() for name, x in zip(INPUTS, example_inputs(brain, 1, worlds), strict=True)}
    arrays["qpos"] += rng.normal(0, 0.3, arrays["qpos"].shape).astype(np.float32)
    arrays["qvel"] += rng.normal(0, 1.0, arrays["qvel"].shape).astype(np.float32)
    arrays["torque"][:] = rng.uniform(0, 100, arrays["torque"].shape)
    arrays["command"][:] = rng.uniform(0, 1, arrays["command"].shape)
    arrays["fatigue"][:] = rng.dirichlet(np.ones(3), arrays["fatigue"].shape[:2])
    arrays["fitness"][:] = fatigue.rates(fatigue.preset("cheema2023"), brain.body.groups)
    return arrays


def test_pose_sequence_interpolates_between_its_poses():
    policy = PoseSequence(torch.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 0.0]]))
    phase = torch.tensor([[0.0], [0.25], [1.0], [1.5], [2.0], [9.0]])
    targets, beta = policy(Senses(phase, phase, phase, phase, phase))
    assert targets.tolist() == [[0, 0], [0.25, 0.5], [1, 2], [2, 1], [3, 0], [3, 0]]
    assert beta.tolist() == [[1.0]] * 6


@pytest.mark.parametrize("kind", ["applied", "intended"])
def test_a_brain_is_its_law_step_by_step(kind):
    made, _ = pose_brain(PARAMS, "arms")
    brain = Brain(made.body, made.policy, torque_limit=made.torque_limit, load=kind)
    feed = {k: torch.tensor(v) for k, v in inputs_for(brain, 3, 1).items()}
    out = brain(**feed)
    q, qd, body = feed["qpos"][:, 7:], feed["qvel"][:, 6:], brain.body
    intent = torch.tensor(body.stiffness) * (out.targets - q) - torch.tensor(body.damping) * qd
    torque = feed["torque"].double() if kind == "applied" else intent.abs()
    load = (torque / brain.torque_limit).clamp(max=1.0)
    load = torch.where(load < 1e-3, 0.0, load)
    state = fatigue.step(feed["fatigue"].double(), load, feed["fitness"].double(), 1 / 30)
    assert torch.allclose(out.load.double(), load, atol=1e-5)
    assert torch.allclose(out.fatigue.double(), state, atol=1e-5)
    assert torch.allclose(out.limits, (1 - out.fatigue[..., 2]) * brain.torque_limit)


class Wild(nn.Module):
    """A policy that looks at everything: what training will put in the pose's place."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(35 + 34 + 45 + 1 + 28, 29)

    def forward(self, senses: Senses):
        seen = torch.cat([senses.qpos, senses.qvel, senses.xpos.flatten(1), senses.command, senses.fatigue[..., 2]], 1)
        action = self.net(seen)
        return action[:, :28], torch.exp(action[:, 28:])


def test_only_the_policy_is_swapped(tmp_path):
    torch.manual_seed(0)
    pose, info = pose_brain(PARAMS, "arms")
    brain = Brain(pose.body, Wild())
    export(brain, info, tmp_path / "brain.onnx")
    loaded = BrainFile(tmp_path / "brain.onnx")
    for worlds in (1, 5):
        feed = inputs_for(brain, worlds, worlds)
        expected = brain(**{k: torch.tensor(v) for k, v in feed.items()})
        for name, want in zip(OUTPUTS, expected[: len(OUTPUTS)], strict=True):
            assert loaded(**feed)[name] == pytest.approx(want.detach().numpy(), rel=1e-5, abs=1e-5), name


@pytest.mark.parametrize("kind", ["applied", "intended"])
def test_an_exported_brain_whose_rates_are_all_zero_stays_as_it_is(tmp_path, kind):
    made, info = pose_brain(PARAMS, "arms")
    brain = Brain(made.body, made.policy, torque_limit=made.torque_limit, load=kind)
    export(brain, info, tmp_path / "brain.onnx")
    feed = inputs_for(brain, 3, 2)
    feed["fitness"][:] = 0.0
    feed["fatigue"][0], feed["fatigue"][1, :9] = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    out, want = BrainFile(tmp_path / "brain.onnx")(**feed), brain(**{k: torch.tensor(v) for k, v in feed.items()})
    for name, other in zip(OUTPUTS, want[: len(OUTPUTS)], strict=True):
        assert out[name] == pytest.approx(other.numpy(), rel=1e-5, abs=1e-5), name
    assert out["fatigue_next"] == pytest.approx(feed["fatigue"], abs=1e-6)
    assert np.array_equal(out["fatigue_next"][..., 2], feed["fatigue"][..., 2])
    assert out["limits"] == pytest.approx((1 - feed["fatigue"][..., 2]) * brain.torque_limit.numpy(), rel=1e-6)


AGREE = """
import sys
class NoTorch:
    def find_spec(self, name, *rest):
        if name.split(".")[0] == "torch":
            raise ImportError("torch is not here")
sys.meta_path.insert(0, NoTorch())
import numpy as np
from lactic.brain.file import BrainFile
from lactic.play.player import Player
stored = np.load(sys.argv[2])
brain = BrainFile(sys.argv[1])
fatigue, worst = stored["fatigue"], 0.0
for k in range(len(stored["qpos"])):
    out = brain(qpos=stored["qpos"][k], qvel=stored["qvel"][k], xpos=stored["xpos"][k], torque=stored["torque"][k],
                command=stored["command"][k], fatigue=fatigue, fitness=stored["fitness"])
    for name in ("targets", "stiffness", "damping", "limits", "fatigue_next", "load"):
        scale = max(1.0, float(np.abs(stored["out_" + name][k]).max()))
        worst = max(worst, float(np.abs(out[name] - stored["out_" + name][k]).max()) / scale)
    fatigue = out["fatigue_next"]
assert "torch" not in sys.modules
print(worst)
"""


def test_exported_brain_agrees_over_300_steps_where_torch_cannot_be_imported(tmp_path):
    brain, info = pose_brain(PARAMS, "arms")
    export(brain, info, tmp_path / "brain.onnx")
    rng = np.random.default_rng(5)
    steps, worlds = 300, 2
    feeds = [inputs_for(brain, worlds, int(rng.integers(1 << 30))) for _ in range(steps)]
    state = torch.tensor(feeds[0]["fatigue"])
    rows: dict[str, list[np.ndarray]] = {f"out_{name}": [] for name in OUTPUTS}
    for feed in feeds:
        out = brain(**{k: torch.tensor(v) for k, v in feed.items()} | {"fatigue": state})
        state = out.fatigue
        for name, value in zip(OUTPUTS, out[: len(OUTPUTS)], strict=True):
            rows[f"out_{name}"].append(value.numpy())
    stored = {k: np.stack([f[k] for f in feeds]) for k in ("qpos", "qvel", "xpos", "torque", "command")}
    np.savez(
        tmp_path / "feed.npz",
        fatigue=feeds[0]["fatigue"],
        fitness=feeds[0]["fitness"],
        **stored,
        **{k: np.stack(v) for k, v in rows.items()},
    )
    done = subprocess.run(
        [sys.executable, "-c", AGREE, str(tmp_path / "brain.onnx"), str(tmp_path / "feed.npz")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1e-5


@pytest.mark.parametrize("name", catalogue.names())
def test_every_shipped_brain_loads_and_matches_its_body(name):
    folder = catalogue.find(name)
    info = folder.load().info
    body = muscled() if info.moves_muscles else bodies.get(info.body)
    kind = (folder.params().get("task") or {}).get("kind", "imitate")
    if kind == "stride":  # whose gains are their own
        body = TASKS[kind].own_body(config.read(folder.path / "params.yaml").task)
    assert info.joints == body.joints
    assert info.stiffness == tuple(body.stiffness) and info.damping == tuple(body.damping)
    assert np.all(np.array(info.torque_limit) > 0) and info.substeps == (6 if info.moves_muscles else 4)
    assert fatigue.preset(info.fitness).name == info.fitness
    assert np.array(info.rates) == pytest.approx(fatigue.rates(fatigue.preset(info.fitness), body.groups))
    if not info.moves_muscles:  # the law of these tires by what muscles do
        assert ("torque" in folder.load().inputs) == (info.load == "applied")


def test_the_shipped_arms_are_what_their_params_say():
    folder = catalogue.find("hold-arms")
    brain, info = pose_brain(folder.params(), "hold-arms")
    assert folder.load().info == info
    feed = inputs_for(brain, 2, 8)
    want = brain(**{k: torch.tensor(v) for k, v in feed.items()})
    assert folder.load()(**feed)["limits"] == pytest.approx(want.limits.numpy(), rel=1e-5)


def test_the_shipped_muscles_hold_arms_as_their_params_say():
    folder, data = catalogue.find("muscle-arms"), np.array([[-1.0], [0.0], [0.25], [1.0], [7.0]], np.float32)
    brain = folder.load()
    assert brain.info == arms_info(folder.params(), "muscle-arms") and brain.inputs == ("command",)
    action = brain(command=data)["action"]
    low, high = hanging(), balance()
    assert np.allclose(action, [low, low, 0.75 * low + 0.25 * high, high, high], atol=1e-6)
    model, meant = mujoco.MjModel.from_xml_path(str(folder.path / "body.xml")), muscle_man(pinned=True).model
    assert model.neq == meant.neq == len(muscle_man().bodies) - 8 and model.opt.disableflags == meant.opt.disableflags
    assert np.array_equal(model.body_mass, meant.body_mass) and np.allclose(model.eq_data, meant.eq_data)
    with pytest.raises(InputError, match="'poses' is not known"):
        arms_info({"body": "muscle-man", "poses": []}, "muscle-arms")


def broken(tmp_path: Path, change: str) -> Path:
    brain, info = pose_brain(PARAMS, "arms")
    path = tmp_path / "brain.onnx"
    export(brain, info, path)
    if change == "truncated":
        path.write_bytes(path.read_bytes()[:200])
    elif change == "empty":
        path.write_bytes(b"")
    elif change == "text":
        path.write_text("hello")
    else:
        model = onnx.load(str(path))
        props = {"lactic": info.to_json()}
        if change == "no metadata":
            props = {"other": "x"}
        if change == "version":
            props = {"lactic": info.to_json().replace('"format": 2', '"format": 99')}
        if change == "format 1":  # had an entry of its own for the rule
            props = {"lactic": info.to_json().replace('"format": 2', '"format": 1, "rule": "held"')}
        if change == "garbled":
            props = {"lactic": "{"}
        if change == "shapes":
            props = {"lactic": info.to_json().replace('"neck_x", ', "")}
        del model.metadata_props[:]
        onnx.helper.set_model_props(model, props)
        onnx.save(model, str(path))
    return path


@pytest.mark.parametrize(
    "change", ["truncated", "empty", "text", "no metadata", "version", "format 1", "garbled", "shapes"]
)
def test_a_broken_brain_is_named_in_one_line(tmp_path, change):
    path = broken(tmp_path, change)
    with pytest.raises(InputError) as caught:
        BrainFile(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    if change == "format 1":
        assert "brain format 1, this version of Lactic reads 2" in str(caught.value)


@pytest.mark.parametrize(
    "params, word",
    [
        ({"poses": []}, "poses"),
        ({"poses": [{"tail": 3}]}, "tail"),
        ({"poses": [{"neck_x": "far"}]}, "neck_x"),
        ({"poses": [{}, {"right_shoulder_x": -9000}]}, "right_shoulder_x: -9000: give degrees from -180 to 45"),
        ({"poses": [{}], "torque_limits": {"shoulder": 60}}, "'torque_limits' is not known"),
        ({"poses": [{}], "torque_limit": {"shoulder": -60}}, "'torque_limit' must be above 0"),
        ({"poses": [{}], "body": "centaur"}, "centaur"),
        ({"poses": [{}], "fitness": "immortal"}, "immortal"),
    ],
)
def test_wrong_params_are_named(params, word):
    with pytest.raises(InputError, match=word):
        pose_brain(params, "mine")


def test_unknown_brain_lists_the_shipped_ones():
    with pytest.raises(InputError, match="hold-arms"):
        catalogue.find("hold-legs")
