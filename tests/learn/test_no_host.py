"""The work to be captured never asks the host: checked operation by operation, on Warp's CPU device."""

import pytest
import torch
from made_up import random_clip
from torch.utils._python_dispatch import TorchDispatchMode

from lactic import body
from lactic.learn.config import LearnSettings, RunSettings, StyleSettings
from lactic.learn.distil import Lesson
from lactic.learn.trainer import Trainer
from lactic.motion.standing import standing
from lactic.task.kinds import KINDS
from lactic.task.observe import Observer
from lactic.task.reference import from_clips
from lactic.task.settings import FallSettings, FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings

WAITS = (
    "_local_scalar_dense",
    "nonzero",
    "masked_select",
    "lift_fresh",
    "unique",
    "equal.default",
    "randperm",
    "normal_",
    "uniform_",
)
"""Operations that read the device from the host, copy constants to it, have sizes only it knows, or draw numbers."""


class Watcher(TorchDispatchMode):
    """Notes every operation that could not be captured."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = str(func).removeprefix("aten.")
        places = args[1] if name.startswith("index") and isinstance(args[1], list) else ()
        masked = any(isinstance(x, torch.Tensor) and x.dtype == torch.bool for x in places)
        if name.startswith(WAITS) or masked:
            self.found.append(name)
        return func(*args, **(kwargs or {}))


def trainer(kind: str, fatigue: str) -> Trainer:
    from lactic.world.gpu import WarpWorld

    small = LearnSettings(
        horizon=4, policy=(16,), value=(16,), discriminator=(16,), style=StyleSettings(batch=4, replay=64, keep=8)
    )
    fall = FallSettings(may_touch=("left_foot", "right_foot"))
    human, task = body.get("humanoid"), KINDS[kind](fall=fall, fatigue=FatigueSettings(mode=fatigue), task_weight=1.0)
    settings = RunSettings(worlds=4, task=task, learn=small)
    reference = from_clips({random_clip(): 1.0}, Observer(human), 30.0, 4)
    return Trainer(settings, reference, WarpWorld(human, 4, "cpu", contacts=True))


def test_the_watcher_finds_what_it_looks_for():
    x = torch.rand(3)
    with Watcher() as watcher:
        _ = float(x.sum()), torch.tensor(1.0), x[x > 0.5]
    assert [name.split(".")[0] for name in watcher.found] == ["_local_scalar_dense", "lift_fresh", "index"]


def asks_nothing(run: Trainer) -> None:
    """Do each piece of work once that may be captured, and fail where one asked the host."""
    run.iterate()  # plain: makes the optimisers' state
    run.rollout.now.zero_()
    run.algorithm.turn.zero_()
    for name, act in {**run.rollout.work, **run.algorithm.work}.items():
        with Watcher() as watcher:
            act()
        # Adam reads its step count from the host unless it is capturable, which only a GPU's is
        found = [op for op in watcher.found if not (name == "minibatch" and op.startswith("_local_scalar_dense"))]
        assert not found, f"{name}: {found}"


@pytest.mark.parametrize(("kind", "fatigue"), [("imitate", "off"), ("imitate", "limits"), ("pace", "reward")])
def test_captured_work_never_asks_the_host(kind: str, fatigue: str):
    asks_nothing(trainer(kind, fatigue))


def follower(**track: object) -> Trainer:
    """A follower of motions, paid for style too."""
    from lactic.world.gpu import WarpWorld

    human, small = body.get("humanoid"), StyleSettings(batch=4, replay=64, keep=8)
    task = TrackTaskSettings(
        fatigue=FatigueSettings(mode="limits"),
        style_weight=0.5,
        track=TrackSettings(**track),  # type: ignore[arg-type]
    )
    learn = LearnSettings(horizon=4, policy=(16,), value=(16,), discriminator=(16,), style=small)
    table = motions([standing(human, 2.0, 30.0)], human, 30.0, style=True)
    return Trainer(RunSettings(worlds=4, task=task, learn=learn), table, WarpWorld(human, 4, "cpu"))


def test_neither_does_a_follower_of_motions_nor_a_lesson():
    run = follower(waits=True)
    asks_nothing(run)
    student = follower(targets="root", later=(20,), held=True)
    lesson = Lesson(student, (8,), run.algorithm.actor)
    lesson.round(0.0)
    student.rollout.now.zero_()
    with Watcher() as watcher:
        student.rollout.work["decide"]()
    assert not watcher.found
    # whoever leads is read from the device: a captured step changes over as well
    led, seen = lesson.guided, student.task.observation()
    led.leads.fill_(False)
    torch.testing.assert_close(led.mean(seen), lesson.pupil.mean(seen))
    led.leads.fill_(True)
    torch.testing.assert_close(led.mean(seen), led.right[student.rollout.now[0]])


def test_the_buffers_stay_where_they_are():
    run = trainer("imitate", "limits")
    held = {name: t for name, t in vars(run.task).items() if isinstance(t, torch.Tensor)}
    held |= {name: t for name, t in vars(run.rollout).items() if isinstance(t, torch.Tensor)}
    held |= {name: t for name, t in vars(run.algorithm).items() if isinstance(t, torch.Tensor)}
    held |= dict(run.algorithm.actor.named_buffers())
    places = {name: t.data_ptr() for name, t in held.items()}
    for _ in range(2):
        run.iterate()
    assert places == {name: t.data_ptr() for name, t in held.items()}
