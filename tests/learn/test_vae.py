"""MuscleVAE: kinematics and muscles in torch against MuJoCo and the law, the buffer, updates that learn, a run."""

import dataclasses

import mujoco
import numpy as np
import pytest
import torch

from lactic import fatigue
from lactic.body import muscle_man
from lactic.errors import InputError
from lactic.learn.__main__ import main
from lactic.learn.vae.command import RECIPES
from lactic.learn.vae.crowd import Buffer
from lactic.learn.vae.losses import apart, divergence
from lactic.learn.vae.muscles import TorchMuscles
from lactic.learn.vae.networks import Blend
from lactic.learn.vae.reference import TiredStarts
from lactic.learn.vae.reward import RewardTrainer
from lactic.learn.vae.run import train
from lactic.learn.vae.settings import LossSettings, NetSettings, PaySettings, StudySettings, VaeSettings
from lactic.learn.vae.state import ManState, Skeleton, seen, turned_by
from lactic.learn.vae.steer import errors, goal_of
from lactic.learn.vae.trainer import VaeTrainer, simulated
from lactic.motion.man import ManLibrary
from lactic.muscle.man import law
from lactic.muscle.man.musculature import musculature

SMALL = VaeSettings(
    worlds=8,
    steps=4,
    kept=24,
    device="cpu",
    tires=False,
    switch=0.0,
    net=NetSettings(latent=8, experts=2, policy=(32,), gate=(8,), encoder=(32,), world=(64,)),
    study=StudySettings(updates=2, batch=16, window=4, world_window=3, world_rate=3e-3, rate=1e-3, warm=20),
)


@pytest.fixture(scope="module")
def moving():
    """A random pose in motion, as MuJoCo has it and as a state."""
    model = muscle_man().model
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    mujoco.mj_integratePos(model, data.qpos, 0.4 * rng.normal(size=model.nv), 1.0)
    data.qvel[:] = rng.normal(size=model.nv)
    mujoco.mj_forward(model, data)
    skeleton = Skeleton()
    arrays = (torch.tensor(x, dtype=torch.float32)[None] for x in (data.qpos, data.qvel, data.xquat[1:]))
    return model, data, skeleton, skeleton.sensed(*arrays, torch.tensor([[0.0, 0.0, 1.0] * 5]))


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """Two seconds of standing with a swinging arm, as a library."""
    model = muscle_man().model
    qpos, knee = np.tile(model.qpos0, (41, 1)), model.joint("right_elbow").qposadr[0]
    qpos[:, knee] = 0.5 + 0.4 * np.sin(2 * np.pi * np.arange(41) / 20)
    path = tmp_path_factory.mktemp("clips") / "man.npz"
    ManLibrary.of(20.0, {"swing": qpos}).save(path)
    return path


def test_kinematics_are_mujocos(moving):
    model, data, skeleton, state = moving
    np.testing.assert_allclose((skeleton.places(state) + state.root[:, None])[0], data.xpos[1:], atol=1e-5)
    speed = np.zeros((skeleton.count, 6))
    for body in range(skeleton.count):
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body + 1, speed[body], 0)
    np.testing.assert_allclose(state.spin[0], speed[:, :3], atol=1e-4)
    np.testing.assert_allclose(skeleton.motions(state)[0], speed[:, 3:], atol=1e-4)


def test_a_view_does_not_change_with_place_and_heading(moving):
    _, _, skeleton, state = moving
    yaw = turned_by(torch.eye(3), torch.tensor([0.0, 0.0, 1.1]))
    moved = ManState(
        state.root @ yaw.T + torch.tensor([3.0, -2.0, 0.0]),
        yaw @ state.turn,
        state.speed @ yaw.T,
        state.spin @ yaw.T,
        state.fatigue,
    )
    np.testing.assert_allclose(seen(skeleton, moved).flat(), seen(skeleton, state).flat(), atol=1e-5)


def test_muscles_are_those_of_the_law(moving):
    model, data, skeleton, state = moving
    muscles, strands = TorchMuscles(skeleton), musculature().strands
    turns = data.xmat.reshape(-1, 3, 3)
    points = law.anchors(strands, data.xpos, turns)
    length = law.lengths(strands, points)
    stretch = muscles.stretch(state)
    np.testing.assert_allclose(stretch.length[0].numpy() * strands.rest, length, atol=1e-6)

    later = mujoco.MjData(model)
    later.qpos[:] = data.qpos
    mujoco.mj_integratePos(model, later.qpos, data.qvel, 1e-5)
    mujoco.mj_kinematics(model, later)
    after = law.lengths(strands, law.anchors(strands, later.xpos, later.xmat.reshape(-1, 3, 3)))
    rate = (after - length) / 1e-5
    np.testing.assert_allclose(stretch.rate[0].numpy() * strands.rest, rate, atol=1e-4)

    swift = np.tile([0.01, 0.002, 2.0, 1e5, 0.0], (len(length), 1))  # any activation within a step
    fresh = fatigue.fresh((len(length),))
    pulled = law.pull(strands, length, rate, 0.9 * strands.rest, fresh, swift, 1 / 120)
    asked, active, passive = muscles.asked(stretch, torch.full((1, muscles.count), -0.1))
    tension = muscles.reached(asked, state.fatigue) * active + passive
    np.testing.assert_allclose(tension[0].numpy() * strands.force, pulled.force, atol=0.05)

    wrench = law.wrenches(strands, data.xpos, turns, data.xipos, points, pulled.force)
    about = np.zeros(model.nv)
    for body in range(1, model.nbody):
        place, turn = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, place, turn, body)
        about += place.T @ wrench[body, :3] + turn.T @ wrench[body, 3:]
    moments = muscles.moments(state, stretch, tension)[0].numpy()
    local = np.einsum("bji,bj->bi", turns[1:], moments)
    np.testing.assert_allclose(np.einsum("bkv,bk->v", skeleton.rates, local), about, atol=0.05)


def test_the_fatigue_state_weighs_muscles_by_their_force():
    muscles, held = TorchMuscles(Skeleton()), musculature()
    state = torch.tensor(fatigue.fresh((muscles.count,)), dtype=torch.float32)
    strongest = int(np.argmax(held.strands.force))
    state[strongest] = torch.tensor([0.0, 0.0, 1.0])
    part = next(k for k, group in enumerate(held.groups.values()) if strongest in group)
    group = list(list(held.groups.values())[part])
    share = held.strands.force[strongest] / held.strands.force[group].sum()
    tired = muscles.fatigue(state).reshape(5, 3)
    assert tired[part, 1] == pytest.approx(share, rel=1e-5)
    assert tired.sum(-1) == pytest.approx(torch.ones(5), abs=1e-5)


def test_starts_lie_on_the_curve():
    muscles = TorchMuscles(Skeleton())
    starts = TiredStarts(fatigue.preset("feng2023"), muscles)
    drawn = starts.draw(64)
    assert drawn.shape == (64, muscles.count, 3)
    torch.testing.assert_close(drawn.sum(-1), torch.ones(64, muscles.count), atol=1e-5, rtol=0)
    assert 0.5 < starts.curve[:, 2].max() < 0.8 and drawn[..., 2].std() > 0.05


def test_experts_are_blended_by_their_weights():
    net = Blend(3, 2, (4,), 2, experts=2, gate=(3,))
    seen_, z = torch.randn(5, 3), torch.randn(5, 2)
    share = torch.softmax(net.gate(torch.cat([seen_, z], -1)), -1)
    for row in range(5):  # the weights blended first, as the paper says
        x = seen_[row]
        for k in range(2):
            weight = sum(share[row, e] * net.weights[k][e] for e in range(2))
            bias = sum(share[row, e] * net.biases[k][e] for e in range(2))
            x = torch.nn.functional.elu(x) if k else x
            x = torch.cat([x, z[row]]) @ weight + bias
        torch.testing.assert_close(net(seen_, z)[row], x, atol=1e-6, rtol=1e-5)


def test_windows_never_span_a_new_start():
    state = ManState(*(torch.zeros(3, *s) for s in ((3,), (1, 3, 3), (3,), (1, 3), (15,))))
    buffer = Buffer(6, state, 1)
    for k in range(6):
        age = torch.tensor([k, k - 3 if k >= 3 else k, 0])
        buffer.write(6 - k, state, torch.zeros(3, 1), torch.zeros(3, dtype=torch.long), age)
    row, world = buffer.draw(500, 3)
    found = set(zip(row.tolist(), world.tolist(), strict=True))
    assert found == {(0, 0), (1, 0), (2, 0)}
    row, world = buffer.draw(500, 2)
    assert {r for r, w in zip(row.tolist(), world.tolist(), strict=True) if w == 1} == {0, 3}
    buffer.forget(2)
    assert buffer.age[:4, 0].tolist() == [2, 3, 4, 5]


def test_kl_of_two_normals_of_one_deviation():
    shift = torch.tensor([0.3, 0.0, 0.6])
    one = torch.distributions.Normal(shift, 0.3)
    two = torch.distributions.Normal(torch.zeros(3), 0.3)
    assert divergence(shift, 0.3) == pytest.approx(float(torch.distributions.kl_divergence(one, two).sum()))


def test_errors_of_speed_and_heading():
    turn = turned_by(torch.eye(3), torch.tensor([0.0, 0.0, 0.5])).expand(1, 23, 3, 3)
    speed = 2.0 * torch.tensor([[np.cos(0.5), np.sin(0.5), 0.0]], dtype=torch.float32)
    state = ManState(torch.zeros(1, 3), turn, speed, torch.zeros(1, 23, 3), torch.zeros(1, 15))
    off, slow = errors(state, torch.tensor([3.0]), torch.tensor([-2.9]))
    assert off.item() == pytest.approx(2 * np.pi - 3.4, abs=1e-5) and slow.item() == pytest.approx(1.0, abs=1e-5)
    assert goal_of(state, torch.tensor([3.0]), torch.tensor([0.5]))[0].tolist() == pytest.approx([3.0, 1.0, 0.0])


def test_the_world_model_learns_and_the_controller_learns_through_it(standing):
    settings = dataclasses.replace(SMALL, library=str(standing))
    trainer = VaeTrainer(settings, ManLibrary.load(standing), *simulated(settings, settings.worlds, "feng2023"))
    trainer.iterate()
    first = trainer.report()
    for _ in range(8):
        trainer.study.learn_model()
        trainer.study.learn_controller()
    last = trainer.report()
    assert last["mistake"] < 0.7 * last["still"]
    assert last["loss"] < first["loss"] and 0.0 <= last["kl"] < 10.0


def test_losses_are_sums_over_bodies_and_velocities_count_for_a_step(moving):
    _, _, skeleton, state = moving
    view, weights = seen(skeleton, state), LossSettings()
    off = view._replace(place=view.place + 0.01, motion=view.motion + 0.2, height=view.height - 0.02)
    terms = apart(off, view, weights)
    assert terms["place"].item() == pytest.approx(0.2 * 0.01 * 3 * 23, rel=1e-3)
    assert terms["motion"].item() == pytest.approx(0.5 * 0.2 * 3 * 23 / 20, rel=1e-3)
    assert terms["height"].item() == pytest.approx(1.2 * 0.02 * 23, rel=1e-3)
    assert terms["up"].item() == terms["spin"].item() == 0.0


def test_beta_grows_to_its_end_and_is_the_same_after_a_resume(standing):
    loss = LossSettings(kl=0.09, kl_first=0.01, kl_updates=4)
    settings = dataclasses.replace(SMALL, library=str(standing), worlds=4, loss=loss)
    trainer = VaeTrainer(settings, ManLibrary.load(standing), *simulated(settings, 4, "feng2023"))
    trainer.fill()
    seen_ = []
    for _ in range(6):
        trainer.study.learn_controller()
        seen_.append(float(trainer.study.beta))
    assert seen_ == pytest.approx([0.03, 0.05, 0.07, 0.09, 0.09, 0.09])
    trainer.study.begin(2)
    assert float(trainer.study.beta) == pytest.approx(0.05)


def test_activations_are_elicited_by_targets(standing):
    settings = dataclasses.replace(SMALL, library=str(standing), worlds=2, control="activation")
    trainer = VaeTrainer(settings, ManLibrary.load(standing), *simulated(settings, 2, "feng2023"))
    wish = torch.full((2, trainer.model.muscles.count), 0.3)
    for _ in range(2):
        trainer.crowd.act(wish)
    reached = trainer.crowd.men.activation
    assert np.median(np.abs(reached - 0.3)) < 0.02  # lengths and rates are those of a physics step before


def test_reward_teaches_the_same_networks(standing):
    pay = PaySettings(value=(32,), minibatches=2, epochs=2, model_updates=1)
    settings = dataclasses.replace(SMALL, library=str(standing), by="reward", steps=8, kept=24, pay=pay)
    trainer = RewardTrainer(settings, ManLibrary.load(standing), *simulated(settings, settings.worlds, "feng2023"))
    before = [p.detach().clone() for p in trainer.controller.parameters()]
    trainer.iterate()
    found = trainer.report()
    assert 0.0 < found["reward"] < 1.0 and np.isfinite(found["explained"]) and 0.0 <= found["moved"] < 1.0
    assert any(not torch.equal(p, old) for p, old in zip(trainer.controller.parameters(), before, strict=True))
    taken = trainer.taken
    mean, _ = trainer.mean({name: taken[name][0] for name in trainer.told})
    assert mean.shape == taken["intent"][0].shape and taken["over"].sum() >= taken["lost"].sum()
    state, frame = trainer.crowd.state(), trainer.crowd.frame
    still = torch.zeros(trainer.crowd.count, trainer.model.muscles.count)
    goal = trainer.reference.goal(frame)
    assert goal.place.shape == seen(trainer.model.skeleton, state).place.shape
    best = trainer.pay(
        trainer.model.skeleton.sensed(
            trainer.reference.qpos[frame],
            trainer.reference.qvel[frame],
            torch.tensor(muscle_man().places(trainer.reference.qpos[frame].numpy())[1], dtype=torch.float32),
            state.fatigue,
        ),
        frame,
        still,
    )
    assert best.min() > 0.999  # of the clip's own frame


def test_only_the_value_function_learns_at_first(standing):
    pay = PaySettings(value=(32,), minibatches=2, epochs=1, model_updates=0, warm=1)
    settings = dataclasses.replace(SMALL, library=str(standing), by="reward", steps=8, kept=24, pay=pay)
    trainer = RewardTrainer(settings, ManLibrary.load(standing), *simulated(settings, settings.worlds, "feng2023"))

    def changed(work) -> tuple[bool, bool]:
        networks = trainer.controller, trainer.critic
        before = [[p.detach().clone() for p in network.parameters()] for network in networks]
        work()
        pairs = (zip(net.parameters(), old, strict=True) for net, old in zip(networks, before, strict=True))
        return tuple(any(not torch.equal(p, was) for p, was in pair) for pair in pairs)

    assert changed(trainer.iterate) == (False, True)
    assert changed(trainer.iterate) == (True, True)


def test_a_run_by_reward_goes_on_from_one_through_the_model(standing, tmp_path):
    settings = dataclasses.replace(SMALL, library=str(standing), worlds=4)
    train(settings, tmp_path / "model", iterations=1, say=lambda _: None)
    pay = PaySettings(value=(16,), minibatches=2, epochs=1, model_updates=1)
    own = dataclasses.replace(settings, by="reward", begin=str(tmp_path / "model"), pay=pay)
    found = train(own, tmp_path / "reward", iterations=1, say=lambda _: None)
    assert 0.0 < found["reward"] < 1.0
    with pytest.raises(InputError, match="must be model, reward, expert, pupil"):
        train(dataclasses.replace(settings, by="luck"), tmp_path / "luck", iterations=1)
    assert not (tmp_path / "luck").exists()


def test_a_run_can_be_stopped_and_resumed(standing, tmp_path):
    settings = dataclasses.replace(SMALL, library=str(standing), worlds=4)
    said: list[str] = []
    train(settings, tmp_path / "run", iterations=3, say=said.append)
    with pytest.raises(InputError, match="holds a checkpoint already"):
        train(settings, tmp_path / "run", iterations=3)
    train(settings, tmp_path / "run", iterations=4, resume=True, say=said.append)
    assert any("4 iterations" in line for line in said)
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 2


def test_recipes_can_be_read_and_flags_are_checked(capsys):
    for name in RECIPES:
        with pytest.raises(SystemExit):
            main([name, "--help"])
    assert main(["muscle-vae", "--wrlds", "3"]) == 2
    assert "did you mean --worlds?" in capsys.readouterr().err
