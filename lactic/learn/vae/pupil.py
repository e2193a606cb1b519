"""Posterior, prior and policy of MuscleVAE as pupils of an expert: they act, and learn what it would have wished.

The world model is fitted on the same steps, for the high-level policy (Alg. 2); one that learns by reward needs none.
"""

import torch

from lactic.errors import InputError
from lactic.learn import checkpoint, config
from lactic.learn.graph import Captured
from lactic.learn.vae.expert import Expert
from lactic.learn.vae.losses import divergence
from lactic.learn.vae.settings import VaeSettings
from lactic.learn.vae.state import seen
from lactic.learn.vae.study import descend
from lactic.learn.vae.trainer import VaeTrainer
from lactic.motion.man import ManLibrary
from lactic.muscle.man.men import MuscleMen


class PupilTrainer(VaeTrainer):
    """A run of Alg. 1 in which the expert, not the world model, says what the policy should have done."""

    def __init__(self, settings: VaeSettings, library: ManLibrary, men: MuscleMen, device: torch.device):
        super().__init__(settings, library, men, device)
        if self.controller.wishes is None:
            raise InputError("by pupil: needs control wish, as its expert has")
        folder = checkpoint.find(settings.teacher)
        own = config.read_as(VaeSettings, folder.parent / "params.yaml")
        self.expert = Expert(self.controller.wishes, own.pay.expert).to(device)
        held = checkpoint.load(folder, ("weights",), device)[0]["weights"]
        checkpoint.fill(self.expert.state_dict(), checkpoint.below(held, "expert"), str(folder))
        self.expert.requires_grad_(False)
        graphs = settings.graphs and device.type == "cuda"
        self.study.work["controller"] = Captured(self._learn, "the pupil's update", graphs)

    @property
    def model_updates(self) -> int:
        """As many as where it learns by reward: a pupil needs no world model, but Alg. 2 does."""
        return self.settings.pay.model_updates

    def _learn(self) -> None:
        study, net, meter = self.settings.study, self.settings.net, self.study.meter
        row, world = self.buffer.draw(study.batch, 1)
        state, frame = self.buffer.state.at((row, world)), self.buffer.goal[row, world]
        wanted = self.expert(self.expert.senses(state, frame, self.reference))
        sight = self.controller.sight(seen(self.model.skeleton, state), state.fatigue)
        shift = self.controller.shift(sight, self.controller.view(self.reference.flat[frame]))
        z = self.controller.middle(sight) + shift + net.deviation * torch.randn_like(shift)
        off = (self.controller.intent(sight, z) - wanted).square().mean()
        apart = divergence(shift, net.deviation).mean()
        norm = descend(self.study.optimisers["controller"], off + self.study.beta * apart, study.gradient)
        for name, value in {
            "aim": off.sqrt(),
            "kl": apart,
            "beta": self.study.beta,
            "norm": norm.nan_to_num(0.0),
        }.items():
            meter.add(name, value)
        self.study.grow()
