"""Tasks as Gymnasium environments: its own checker, seeds, many side by side as in training, fatigue in `info`."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

gymnasium = pytest.importorskip("gymnasium", reason="no gymnasium: pip install 'lactic[gym]'")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from lactic.gym import environments  # noqa: E402
from lactic.gym.environment import TaskEpisodes  # noqa: E402
from lactic.learn import config  # noqa: E402
from lactic.learn.run import transfer  # noqa: E402
from lactic.learn.trainer import make_world  # noqa: E402
from lactic.task.ant import Ant  # noqa: E402

IDS = sorted(environments())


def test_every_recipe_has_an_id_and_the_issue_s_are_among_them():
    assert set(environments().values()) == set(config.recipes())
    assert {"lactic/Pace-v0", "lactic/Track-v0", "lactic/Kick-v0", "lactic/RunBox-v0"} <= set(IDS)
    pages = (Path(__file__).parents[2] / "docs").glob("*.md")
    assert {name for page in pages for name in re.findall(r"lactic/\w+-v0", page.read_text())} <= set(IDS)


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_s_checker_finds_nothing(name):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(gymnasium.make(name).unwrapped, skip_render_check=True)
    # observations have no bounds: that is all it may say
    assert all("infinity" in str(warning.message) or "a Box" in str(warning.message) for warning in said)


def course(name: str, seed: int, **options) -> list[np.ndarray]:
    """All that a vector environment gives in 40 steps of random actions."""
    env = gymnasium.make_vec(name, num_envs=3, **options)
    draw, given = np.random.default_rng(1), []
    for _ in range(2):  # the second time it must have forgotten the first
        seen, info = env.reset(seed=seed)
        given = [seen, info["fatigue"]]
        for _ in range(40):
            action = draw.uniform(-1, 1, env.action_space.shape).astype(np.float32)
            seen, *rest, info = env.step(action)
            given += [seen, *rest, info["fatigue"], info["limits"]]
        draw = np.random.default_rng(1)
    return given


@pytest.mark.parametrize("name", ["lactic/Pace-v0", "lactic/Track-v0", "lactic/Kick-v0"])
def test_a_seed_gives_the_same_bit_for_bit_and_another_something_else(name):
    first, again, other = (course(name, seed) for seed in (7, 7, 8))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_it_does_what_the_task_does_in_training():
    count, generator = 4, torch.Generator().manual_seed(5)
    settings = config.changed(transfer(config.read("ant")), {"worlds": count, "device": "cpu", "task.episode": 12})
    task = Ant(make_world(settings), Ant.reference_of(settings.task, Path()), settings.task)
    chance = lambda: torch.rand(count, task.chance, generator=generator)  # noqa: E731
    env = gymnasium.make_vec("lactic/Ant-v0", num_envs=count, changes={"task.episode": 12})
    task.begin(chance())
    task.age.zero_()
    seen, _ = env.reset(seed=5)
    for k in range(30):
        assert np.array_equal(seen, task.observation().numpy())
        action = torch.full((count, task.action.size), 0.5 * np.sin(k))
        task.decide(action)
        task.arena.step(settings.task.substeps)
        spent = task.fatigue[..., 2].clone()
        made = task.judge(chance())
        task.restart()
        seen, reward, fell, late, info = env.step(action.numpy())
        assert np.array_equal(reward, (made.reward * made.ease).numpy())
        assert np.array_equal(fell, made.fell.numpy()) and np.array_equal(late, (made.done & ~made.fell).numpy())
        if made.done.any():
            over = info["_final_obs"]
            assert np.array_equal(info["final_obs"][over], made.observation.numpy()[over])
            assert np.array_equal(info["final_info"]["fatigue"], spent.numpy())
    assert k == 29 and made.age.max() <= 12


def test_a_body_tires_and_its_limits_shrink_with_it():
    env = gymnasium.make("lactic/Ant-v0", changes={"task.fatigue.fresh": 1.0, "task.fall.height": -9.0})
    _, first = env.reset(seed=0)
    assert not first["fatigue"].any()
    for _ in range(60):
        *_, info = env.step(np.ones(env.action_space.shape, np.float32))
    assert info["fatigue"].max() > 0.1
    fresh = env.unwrapped.episodes.task.fresh_limit.numpy()
    assert info["limits"] == pytest.approx((1 - info["fatigue"]) * fresh, rel=1e-5)


def test_tensors_of_mujoco_warp_agree_with_the_cpu():
    options = {"num_envs": 2, "changes": {"task.episode": 1000}}
    many = [
        gymnasium.make_vec("lactic/Ant-v0", **options, **engine)
        for engine in ({}, {"device": "warp-cpu", "tensors": True})
    ]
    seen = [env.reset(seed=1)[0] for env in many]
    assert isinstance(seen[1], torch.Tensor)
    for _ in range(3):
        steps = [env.step(torch.full(env.action_space.shape, 0.2)) for env in many]
        assert steps[1][0].numpy() == pytest.approx(steps[0][0], abs=2e-3)
        assert steps[1][1].numpy() == pytest.approx(steps[0][1], abs=2e-3)


def test_clips_of_a_folder_take_the_place_of_what_ships(tmp_path):
    with pytest.raises(ValueError, match="no such clip"):
        TaskEpisodes("kick", 1, clips=tmp_path)


def test_stable_baselines_trains():
    stable = pytest.importorskip("stable_baselines3", reason="no stable-baselines3: pip install stable-baselines3")
    env = gymnasium.make("lactic/Ant-v0")
    learner = stable.PPO("MlpPolicy", env, n_steps=500, batch_size=250, n_epochs=1, device="cpu", seed=0)
    before = [weight.detach().clone() for weight in learner.policy.parameters()]
    learner.learn(10_000)
    assert learner.num_timesteps == 10_000
    assert any(not torch.equal(a, b) for a, b in zip(before, learner.policy.parameters(), strict=True))
    assert np.isfinite([episode["r"] for episode in learner.ep_info_buffer]).all() and learner.ep_info_buffer
