"""Strides as a run: mirrors, a few iterations on both engines, checkpoints, export and play, and what it needs."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from made_up import random_clip
from test_no_host import asks_nothing

from lactic import body
from lactic.brain.catalogue import BrainFolder
from lactic.learn import checkpoint, config
from lactic.learn.config import RunSettings, changed
from lactic.learn.export import brain_of, export_run
from lactic.learn.ppo import mirror_loss
from lactic.learn.run import train
from lactic.learn.trainer import Trainer, make_world
from lactic.play.player import Player
from lactic.task.action import ActionMap
from lactic.task.mirror import Mirror, mirror_of_action
from lactic.task.observe import Observer
from lactic.task.registry import TASKS

HUMAN = body.get("humanoid")
SMALL = {
    "learn": {"horizon": 4, "policy": [16], "value": [16], "discriminator": [8]},
    "worlds": 4,
    "device": "cpu",
    "task.stride.help": {"window": 2, "standing": 0.0},
}


def small(name: str = "walk-lrle", **more: object) -> RunSettings:
    return changed(changed(config.read(name), SMALL), more)


def test_mirrors_are_what_a_mirrored_motion_shows():
    clip = random_clip()
    observer, shown = Observer(HUMAN, "lane"), []
    for each in (clip, clip.mirror()):
        places, _ = each.positions()
        qpos, qvel, xpos = (torch.tensor(x, dtype=torch.float32) for x in (each.qpos, each.qvel(), places))
        speed, tired = torch.full((len(qpos), 1), 1.25), torch.zeros(len(qpos), 28)
        seen = observer.features(qpos, qvel, xpos)
        tired[:, HUMAN.joints.index("left_knee" if each is clip else "right_knee")] = 0.5
        shown.append(observer.assemble(seen, observer.command(qpos, speed), tired)[1:-1])
    observer.fatigue = True
    mirror = Observer(HUMAN, "lane").image(HUMAN)
    torch.testing.assert_close(mirror(shown[0]), shown[1], atol=2e-3, rtol=0)
    torch.testing.assert_close(mirror(mirror(shown[0])), shown[0])
    assert (shown[0] - shown[1]).abs().max() > 0.3
    for kind in ("none", "velocity", "goal", "lane"):
        assert len(Observer(HUMAN, kind).image(HUMAN).sign) == Observer(HUMAN, kind).size


def test_a_mirrored_action_aims_at_the_mirrored_pose():
    for centre in ("middle", "rest"):
        actions = ActionMap(HUMAN, centre=centre)  # type: ignore[arg-type]
        action = torch.randn(5, 29, generator=torch.Generator().manual_seed(0))
        (pose, beta), (image, same) = actions(action), actions(mirror_of_action(HUMAN, actions.layout)(action))
        wanted = torch.tensor(HUMAN.mirror_sign, dtype=torch.float32) * pose[:, HUMAN.mirror]
        torch.testing.assert_close(image, wanted, atol=1e-5, rtol=0)
        assert torch.equal(beta, same)


def test_the_mirror_loss_by_hand():
    class Fixed:
        """An actor of two numbers that doubles the first and leaves the second."""

        def mean(self, observation: torch.Tensor) -> torch.Tensor:
            return observation * torch.tensor([2.0, 1.0])

    swap = Mirror([1, 0], [1.0, -1.0])  # (a, b) to (b, −a)
    keep = Mirror([0, 1], [1.0, 1.0])
    observation = torch.tensor([[1.0, 3.0], [0.0, 1.0]])
    actor = Fixed()
    # (1, 3): mean (2, 3), of the image (3, −1): (6, −1); off by (4, −4): 32. (0, 1): (0, 1), (1, 0): (2, 0): 4 + 1
    found = mirror_loss(actor, observation, actor.mean(observation), swap, keep)  # type: ignore[arg-type]
    assert found.item() == (32.0 + 5.0) / 2


def test_the_mirror_loss_makes_a_policy_even():
    losses = []
    for weight in ("0.0", "10.0"):
        run = Trainer(
            s := small("walk-box", learn={"mirror": weight, "rate": 3e-3}),
            TASKS[s.task.kind].reference_of(s.task, Path()),
            make_world(s),
        )
        with torch.no_grad():
            run.algorithm.actor.network[-1].weight.mul_(100.0)
        for _ in range(6):
            run.iterate()
        seen = run.rollout.observation.flatten(0, 1)
        maps = run.task.mirrors()
        losses.append(mirror_loss(run.algorithm.actor, seen, run.algorithm.actor.mean(seen), *maps).item())
        assert ("asymmetry" in run.report()) == (weight != "0.0")
    assert losses[1] < 0.5 * losses[0]


def test_a_run_keeps_its_curriculum_and_its_brain_plays(tmp_path: Path):
    out = tmp_path / "run"
    said: list[str] = []
    means = train(small("walk-lrle", task={"episode": 3}), out, iterations=2, light=True, say=said.append)
    assert {"help", "pace", "effort", "beyond", "asymmetry"} <= set(means) and "help" in said[1]
    held = checkpoint.load(out / "checkpoint", ("weights",))[0]["weights"]
    share = held["fading.share"].item()
    again = Trainer(s := small(), TASKS[s.task.kind].reference_of(s.task, tmp_path), make_world(s))
    again.resume(out / "checkpoint")
    assert again.task.modules()["fading"].share.item() == share < 1.0
    reference = TASKS[s.task.kind].reference_of(s.task, tmp_path)
    anew = Trainer(small("run-lrle"), reference, make_world(s), start=out / "checkpoint")
    assert anew.task.modules()["fading"].share.item() == 1.0  # another task, all the help
    first, asked = anew.algorithm.actor.network[0].weight, anew.task.observer.features_size
    assert not first[:, asked].any() and first[:, asked + 1].any()  # one speed taught nothing, the lane did

    _, info = brain_of(out)
    assert (info.command, info.usual, info.host) == (1, (1.25,), "muscle")
    assert info.stiffness[14] == 160.0 and info.torque_limit[14] == 320.0
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    export_run(out, tmp_path / "brain")
    folder = BrainFolder(tmp_path / "brain")
    player = Player(folder.load(), count=2)
    assert player.muscles is not None and player.muscles.enforce
    for _ in range(3):
        outputs = player.step(np.array([1.25]))
    ratio = outputs["stiffness"] / outputs["damping"]
    np.testing.assert_allclose(ratio, [[20.0 if "ankle_y" in name else 10.0 for name in HUMAN.joints]] * 2, rtol=1e-5)
    assert player.muscles.report()["seconds"] == pytest.approx(0.1)
    assert Player(folder.load(), strength="box").muscles is None


def test_warp_worlds_learn_to_stride_without_asking_the_host():
    pytest.importorskip("mujoco_warp", reason="no mujoco_warp: pip install lactic[train]")
    settings = replace(small(), device="warp-cpu")
    run = Trainer(settings, TASKS[settings.task.kind].reference_of(settings.task, Path()), make_world(settings))
    asks_nothing(run)
    held = {name: t.data_ptr() for name, t in vars(run.task).items() if isinstance(t, torch.Tensor)}
    run.iterate()
    assert held == {name: t.data_ptr() for name, t in vars(run.task).items() if isinstance(t, torch.Tensor)}
    assert run.task.arena.world.push[:, 0].abs().max() > 1.0 and run.task.arena.world.check() == 0


NEEDED_ONLY = """
import sys
for name in ("numba", "onnxruntime", "onnx", "onnxscript", "tyro", "rich", "viser", "matplotlib", "PIL", "scipy",
             "casadi", "tensorboard", "opensim"):
    sys.modules[name] = None
from lactic.learn.__main__ import main
words = sys.argv[2:] + ["--device", "cpu", "--worlds", "4", "--iterations", "2", "--out", sys.argv[1]]
sys.exit(main(words + ["--learn.horizon", "4", "--learn.policy", "[16]", "--learn.value", "[16]"]))
"""


def test_training_needs_only_what_a_gpu_machine_has(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", NEEDED_ONLY, str(tmp_path / "run"), "walk-lrle"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert checkpoint.exists(tmp_path / "run" / "checkpoint")
