"""The high-level policy by reward: what is asked and paid, who is lost, that it learns, and a run."""

import dataclasses
import json

import numpy as np
import pytest
import torch

from lactic.body import muscle_man
from lactic.errors import InputError
from lactic.learn.ppo import log_probability
from lactic.learn.vae import export, steer_reward
from lactic.learn.vae.crowd import HEAD
from lactic.learn.vae.run import make, train
from lactic.learn.vae.settings import GuideSettings, NetSettings, PaySettings, StudySettings, VaeSettings
from lactic.learn.vae.state import ManState, turned_by
from lactic.learn.vae.steer_reward import SteerRewardTrainer, asked
from lactic.motion.man import ManLibrary

LYING = 0.2, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0
"""Height and rotation of the pelvis."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Two seconds of standing and of lying as a library, a run of MuscleVAE on it, and settings of a guide for that."""
    folder, model = tmp_path_factory.mktemp("steer"), muscle_man().model
    standing = np.tile(model.qpos0, (41, 1))
    lying = standing.copy()
    lying[:, 2:7] = LYING
    ManLibrary.of(20.0, {"stand": standing, "lie": lying}).save(folder / "man.npz")
    net = NetSettings(latent=8, experts=2, policy=(32,), gate=(8,), encoder=(32,), world=(32,))
    study = StudySettings(updates=1, batch=8, window=3, world_window=2, warm=2)
    own = VaeSettings(worlds=4, kept=12, device="cpu", switch=0.0, net=net, study=study, tires=False)
    train(own, folder / "vae", iterations=1, clips=folder, say=lambda _: None)
    pay = PaySettings(noise=0.3, value=(16,), minibatches=2)
    return folder, GuideSettings(
        vae=str(folder / "vae"), by="reward", hidden=(16,), worlds=4, steps=4, device="cpu", pay=pay
    )


@pytest.fixture
def trainer(home):
    made = make(home[1], home[0])
    assert isinstance(made, SteerRewardTrainer)
    return made


def moving(speed: tuple[float, float], yaw: float = 0.5) -> ManState:
    """A character that faces `yaw` and moves so over the floor."""
    turn = turned_by(torch.eye(3), torch.tensor([0.0, 0.0, yaw])).expand(1, 23, 3, 3)
    over = torch.tensor([[*speed, 0.0]])
    return ManState(torch.zeros(1, 3), turn, over, torch.zeros(1, 23, 3), torch.zeros(1, 15))


def test_a_fifth_stands_and_half_turn_anywhere():
    yaw = torch.full((20000,), 2.5)
    speed, heading = asked(yaw, 3.0)
    turn = (heading - yaw + torch.pi) % (2 * torch.pi) - torch.pi
    assert (speed == 0.0).float().mean() == pytest.approx(0.2, abs=0.015)
    assert speed[speed > 0].mean() == pytest.approx(1.5, abs=0.03) and speed.max() <= 3.0
    assert (turn.abs() <= torch.pi / 4).float().mean() == pytest.approx(0.5 + 0.5 / 4, abs=0.015)
    assert turn.abs().max() > 3.1 and turn.mean().abs() < 0.05


def test_pay_counts_speed_sideways_drift_and_heading():
    heading = torch.tensor([0.5])

    def pay(state: ManState, speed: float, way: torch.Tensor = heading) -> float:
        return float(steer_reward.paid(*steer_reward.apart(state, torch.tensor([speed]), way)))

    ahead, side = np.array([np.cos(0.5), np.sin(0.5)]), np.array([-np.sin(0.5), np.cos(0.5)])
    assert pay(moving((0.0, 0.0)), 0.0) == pytest.approx(1.0)
    assert pay(moving(tuple(2.0 * ahead)), 2.0) == pytest.approx(1.0, abs=1e-5)
    assert pay(moving(tuple(1.5 * ahead)), 2.0) == pytest.approx(0.5, abs=1e-5)
    assert pay(moving(tuple(2.0 * ahead + 0.5 * side)), 2.0) == pytest.approx(0.5, abs=1e-5)
    assert pay(moving((0.0, 0.0)), 0.0, heading + torch.pi) == pytest.approx(np.exp(-2.0), rel=1e-4)
    assert pay(moving((0.0, 0.0)), 3.0) < pay(moving(tuple(0.5 * ahead)), 3.0) - 0.005  # running can be found


def test_low_heads_are_lost_and_placed_again_and_clips_do_not_matter(trainer):
    crowd, reference = trainer.crowd, trainer.reference
    assert steer_reward.LOW == export.LOW
    assert reference.views.height[reference.begins, HEAD].min() > 1.2  # nobody starts lying
    rest = torch.zeros(4, trainer.model.muscles.count)
    qpos = np.tile(muscle_man().model.qpos0, (4, 1))
    qpos[1, 2:7] = LYING
    qpos[2, 2] += 1.0  # far above the clip's
    crowd.age[:] = torch.tensor([7, 7, 7, crowd.settings.episode - 1])
    crowd.men.reset(None, qpos, np.zeros((4, muscle_man().model.nv)))
    crowd.step(rest)
    assert crowd.after.lost.tolist() == [False, True, False, False]
    assert crowd.after.over.tolist() == [False, True, False, True]
    assert crowd.age.tolist() == [8, 0, 8, 0]
    state = crowd.state()
    assert (crowd.skeleton.places(state)[:, HEAD, 2] + state.root[:, 2]).min() > 1.2
    before = trainer.heading.clone()
    trainer.ask(state)
    assert (trainer.heading != before)[[1, 3]].all()


def test_nothing_is_paid_for_a_fall(trainer):
    qpos = np.tile(muscle_man().model.qpos0, (4, 1))
    qpos[1, 2:7] = LYING
    trainer.crowd.men.reset(None, qpos, np.zeros((4, muscle_man().model.nv)))
    trainer.roll()
    taken = trainer.taken
    assert taken["lost"][0].tolist() == [0.0, 1.0, 0.0, 0.0] and taken["paid"][0, 1] == 0.0
    assert (taken["paid"][taken["lost"] == 0.0] > 0.0).all() and taken["paid"].max() <= 1.0


def test_noise_of_a_code_lasts(trainer):
    before, after = [], []
    for _ in range(60):
        trainer.roll()
        taken = trainer.taken
        with torch.no_grad():
            off = taken["intent"] - trainer.actor(taken["sight"], taken["goal"])
        goes_on = (taken["over"][:-1] == 0.0)[..., None].expand_as(off[1:])
        before.append(off[:-1][goes_on])
        after.append(off[1:][goes_on])
    one, other = torch.cat(before), torch.cat(after)
    assert len(one) > 4000 and other.std() == pytest.approx(0.3, abs=0.05)
    assert torch.corrcoef(torch.stack([one, other]))[0, 1] == pytest.approx(steer_reward.LASTS, abs=0.05)
    chance = trainer.taken["chance"]
    again = log_probability(taken["intent"], trainer.mean({k: taken[k] for k in trainer.told})[0], trainer.deviation)
    torch.testing.assert_close(again, chance, atol=1e-3, rtol=1e-4)


def test_shifts_that_pay_become_likely_and_what_lies_below_stays(trainer, monkeypatch):
    below = [p.detach().clone() for network in (trainer.controller, trainer.model) for p in network.parameters()]
    rolled = trainer.roll

    def roll() -> None:  # as if the first number of a shift were all that is paid
        rolled()
        t = trainer.taken
        t["paid"].copy_(t["intent"][..., 0])
        t["over"].fill_(1.0)
        t["lost"].fill_(1.0)

    monkeypatch.setattr(trainer, "roll", roll)
    trainer.optimiser.param_groups[0]["lr"].fill_(trainer.settings.pay.rate)
    trainer.iterate()
    first = trainer.mean({name: trainer.taken[name] for name in trainer.told})[0].mean((0, 1))
    for _ in range(30):
        trainer.iterate()
    moved = trainer.mean({name: trainer.taken[name] for name in trainer.told})[0].mean((0, 1)) - first
    assert moved[0] > 0.1 and moved[0] > 2.0 * moved[1:].abs().max()
    found = trainer.report()
    assert np.isfinite(list(found.values())).all() and {"heading", "speed", "falls", "explained"} <= found.keys()
    after = [p for network in (trainer.controller, trainer.model) for p in network.parameters()]
    assert all(torch.equal(p, old) for p, old in zip(after, below, strict=True))


def test_a_run_is_resumed_and_becomes_a_brain(home, tmp_path):
    folder, settings = home
    train(settings, tmp_path / "run", iterations=2, clips=folder, say=lambda _: None)
    train(settings, tmp_path / "run", iterations=3, resume=True, clips=folder, say=lambda _: None)
    row = json.loads((tmp_path / "run" / "log.jsonl").read_text().splitlines()[-1])
    assert row["samples"] == 3 * 4 * 4 and 0.0 < row["reward"] < 1.0
    brain, info, _ = export.muscle_brain(tmp_path / "run")
    assert brain.guide is not None and brain.command == 2 and info.samples == 3 * 16 + (4 + 12) * 4
    again = make(settings, folder)
    assert isinstance(again, SteerRewardTrainer)
    again.resume(tmp_path / "run" / "checkpoint")
    assert again.iteration == 3
    for saved, held in zip(brain.guide.parameters(), again.actor.parameters(), strict=True):
        assert torch.equal(saved, held)
    with pytest.raises(InputError, match="must be model, reward"):
        make(dataclasses.replace(settings, by="luck"), folder)
    with pytest.raises(InputError, match="no clip has a frame"):
        make(dataclasses.replace(settings, low=3.0), folder)
