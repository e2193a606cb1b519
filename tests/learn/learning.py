"""Small trainers for tests."""

import made_up

from lactic.learn.config import LearnSettings, RunSettings, StyleSettings, changed
from lactic.learn.trainer import Trainer
from lactic.task.observe import Observer
from lactic.task.reference import from_clips
from lactic.task.settings import FallSettings, FatigueSettings, ImitateTaskSettings
from lactic.world import CpuWorld


def tiny_settings(**fatigue) -> RunSettings:
    """Settings for the tiny body: small networks, few worlds."""
    style = StyleSettings(batch=256, replay=2000, keep=512, rate=5e-4, gradient_penalty=0.5, logit_weight=0.01)
    learn = LearnSettings(horizon=8, policy=(32, 16), value=(32, 16), discriminator=(32, 16), rate=3e-3, style=style)
    task = ImitateTaskSettings(
        body=made_up.NAME,
        clips={"swing": 1.0},
        episode=60,
        fall=FallSettings(("ball",), 0.3),
        fatigue=FatigueSettings(**fatigue),
    )
    return RunSettings(name="swing", worlds=64, device="cpu", seed=1, task=task, learn=learn)


def tiny_trainer(settings: RunSettings | None = None, **options) -> Trainer:
    """A trainer of the tiny body on one CPU thread."""
    settings = settings or tiny_settings()
    body = made_up.tiny()
    task = settings.task
    reference = from_clips({made_up.swing(): 1.0}, Observer(body), task.control_rate, task.substeps)
    return Trainer(settings, reference, CpuWorld(body, settings.worlds, threads=1), **options)


def with_task(settings: RunSettings, **changes) -> RunSettings:
    """The settings with parts of the task replaced."""
    return changed(settings, {f"task.{name}": value for name, value in changes.items()})
