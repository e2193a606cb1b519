"""Features of the pose: what they leave out, and what they must be equal to."""

import numpy as np
import pytest
import torch
from made_up import random_clip

from lactic import body, rotation
from lactic.brain.module import Senses
from lactic.task.arena import Arena
from lactic.task.observe import Observer, features, layout_of, local_direction, local_goal
from lactic.task.reference import from_clips
from lactic.world import CpuWorld


def state(count: int = 5) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    clip = random_clip()
    at, _ = clip.positions()
    qpos, qvel, xpos = (torch.tensor(x[:count], dtype=torch.float64) for x in (clip.qpos, clip.qvel(), at))
    return qpos, qvel, xpos


def test_humanoid_has_81_features_and_109_observations():
    human = body.get("humanoid")
    assert Observer(human).features_size == 81
    assert Observer(human).size == 109
    assert Observer(human, "velocity").size == 111


def test_place_and_heading_change_nothing():
    observer = Observer(body.get("humanoid"))
    qpos, qvel, xpos = state()
    before = observer.features(qpos, qvel, xpos)
    turn = torch.tensor(rotation.about("z", np.array(2.1))).expand(len(qpos), 4)
    shift = torch.tensor([3.0, -7.0, 0.0])
    moved, speeds = qpos.clone(), qvel.clone()
    moved[:, :3] = rotation.rotate(turn, qpos[:, :3]) + shift
    moved[:, 3:7] = rotation.multiply(turn, qpos[:, 3:7])
    speeds[:, :3] = rotation.rotate(turn, qvel[:, :3])
    places = rotation.rotate(turn[:, None].expand(-1, xpos.shape[1], -1), xpos) + shift
    torch.testing.assert_close(observer.features(moved, speeds, places), before)


def test_features_of_a_known_pose():
    human = body.get("humanoid")
    qpos = torch.tensor(human.rest)[None].clone()
    qpos[:, 3:7] = torch.tensor([np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)])  # facing +y
    qvel = torch.zeros(1, human.model.nv, dtype=torch.float64)
    qvel[0, 1], qvel[0, 4], qvel[0, 6] = 2.0, 0.5, 3.0  # forwards in the world's y; nodding in its own frame
    xpos = torch.zeros(1, len(human.bodies), 3, dtype=torch.float64)
    key = torch.tensor([human.bodies.index("left_foot")])
    xpos[0, key] = qpos[:, :3] + torch.tensor([[-0.3, 0.2, -0.8]])
    seen = features(qpos, qvel, xpos, key)[0]
    layout = layout_of(human)
    assert seen[layout["height"]] == pytest.approx(human.rest[2])
    np.testing.assert_allclose(seen[layout["axes"]], [1, 0, 0, 0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(seen[layout["velocity"]], [2, 0, 0], atol=1e-12)
    np.testing.assert_allclose(seen[layout["spin"]], [0, 0.5, 0], atol=1e-12)
    np.testing.assert_allclose(seen[layout["joints"]], human.rest[7:], atol=1e-12)
    assert seen[layout["speeds"]][0] == pytest.approx(0.3)  # joint speeds are scaled by a tenth
    np.testing.assert_allclose(seen[-3:], [0.2, 0.3, -0.8], atol=1e-7)


def test_commands_are_seen_from_the_body():
    qpos = torch.zeros(1, 35)
    qpos[:, 3:7] = torch.tensor([np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)])
    qpos[:, :2] = 1.0
    ahead = local_direction(qpos, torch.tensor([[0.0, 5.0]]))
    torch.testing.assert_close(ahead, torch.tensor([[1.0, 0.0]]), atol=1e-6, rtol=0)
    goal = local_goal(qpos, torch.tensor([[4.0, 1.0]]))  # three metres to the right
    torch.testing.assert_close(goal, torch.tensor([[0.0, -1.0, 0.3]]), atol=1e-6, rtol=0)


def test_an_observer_blind_to_fatigue_sees_zeros():
    human = body.get("humanoid")
    qpos, qvel, xpos = state(2)
    senses = Senses(qpos, qvel, xpos, torch.zeros(2, 0), torch.rand(2, 28, 3))
    torch.testing.assert_close(Observer(human)(senses)[:, -28:].float(), senses.fatigue[..., 2])
    assert not Observer(human, fatigue=False)(senses)[:, -28:].any()


@pytest.mark.parametrize("engine", ["cpu", "warp"])
def test_a_world_placed_in_a_clip_shows_the_clips_features(engine: str):
    observer = Observer(body.get("humanoid"))
    reference = from_clips({random_clip(): 1.0}, observer, 30.0, 4)
    count = 16
    frames = torch.linspace(0, len(reference.qpos) - 1, count).long()
    if engine == "cpu":
        world = CpuWorld(body.get("humanoid"), count, threads=1)
        world.reset(np.ones(count, bool), reference.qpos[frames].numpy(), reference.qvel[frames].numpy())
    else:
        from lactic.world.gpu import WarpWorld

        world = WarpWorld(body.get("humanoid"), count, "cpu")
        world.reset(torch.ones(count, dtype=torch.bool), reference.qpos[frames], reference.qvel[frames])
    arena = Arena(world)
    shown = observer.features(arena.qpos, arena.qvel, arena.xpos)
    torch.testing.assert_close(shown, reference.features[frames], atol=1e-5, rtol=0)


def test_pairs_lie_one_control_step_apart_and_cycles_close(monkeypatch):
    from made_up import NAME, swing, tiny

    monkeypatch.setitem(body.BUILDERS, NAME, tiny)
    reference = from_clips({swing(seconds=1.0): 1.0}, Observer(tiny()), 30.0, 4)
    assert len(reference.qpos) == len(reference.pairs) == 120  # one cycle at the physics rate, the seam not twice
    width = reference.features.shape[1]
    torch.testing.assert_close(reference.pairs[:-4, width:], reference.features[4:])
    torch.testing.assert_close(reference.pairs[-4:, width:], reference.features[:4])


def test_an_export_leaves_nothing_behind_that_later_steps_would_meet():
    import importlib

    from lactic.task import frame

    importlib.reload(frame)  # as in a process whose first use of it is an export

    class Seen(torch.nn.Module):
        def forward(self, turn: torch.Tensor) -> torch.Tensor:
            return frame.axes(turn)

    turn = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    torch.export.export(Seen(), (turn,))
    found = frame.axes(turn)
    assert type(found) is torch.Tensor
    assert found.diagonal(dim1=1, dim2=2).tolist() == [[1, 1, 1], [-1, -1, 1]]
