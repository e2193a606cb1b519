"""The two updates of Alg. 1: the world model on what happened, then posterior, prior and policy through it."""

import torch
from torch import Tensor, nn

from lactic.learn.graph import Captured
from lactic.learn.meter import Meter
from lactic.learn.ppo import adam
from lactic.learn.vae.crowd import Buffer
from lactic.learn.vae.losses import apart, discounted, divergence, effort, mistaken
from lactic.learn.vae.networks import Controller, WorldModel
from lactic.learn.vae.precision import swift
from lactic.learn.vae.reference import ManReference
from lactic.learn.vae.settings import VaeSettings
from lactic.learn.vae.state import seen

METERS = (
    "mistake",
    "still",
    "loss",
    "place",
    "turn",
    "motion",
    "spin",
    "height",
    "up",
    "length",
    "kl",
    "effort",
    "aim",
    "beta",
    "norm",
)


def descend(optimiser: torch.optim.Adam, loss: Tensor, largest: float) -> Tensor:
    """One step down the gradient of `loss`, its norm at most `largest`; none where it is not finite; gives the norm."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    with swift():
        gradients = torch.autograd.grad(loss, parameters)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient
    norm = nn.utils.clip_grad_norm_(parameters, largest)
    sound = norm.isfinite()
    for parameter in parameters:
        assert parameter.grad is not None
        parameter.grad.nan_to_num_(0.0, 0.0, 0.0).mul_(sound)
    optimiser.step()
    return norm


class Study:
    """Networks, optimisers and the updates, each of which asks the host for nothing."""

    def __init__(
        self, controller: Controller, model: WorldModel, reference: ManReference, buffer: Buffer, settings: VaeSettings
    ):
        self.controller, self.model, self.reference, self.buffer = controller, model, reference, buffer
        self.settings, device = settings, buffer.action.device
        self.optimisers = {
            "model": adam([model], settings.study.world_rate, device),
            "controller": adam([controller], settings.study.rate, device),
        }
        self.meter = Meter(METERS, device)
        self.beta = torch.full((), settings.loss.kl_first, device=device)
        """β of the next update: a tensor, since that may be a captured graph."""
        graphs = settings.graphs and device.type == "cuda"
        self.work = {
            "model": Captured(self._learn_model, "the world model's update", graphs),
            "controller": Captured(self._learn_controller, "the controller's update", graphs),
        }

    def begin(self, updates: int) -> None:
        """Go on after so many updates of the controller."""
        loss = self.settings.loss
        done = min(updates / max(loss.kl_updates, 1), 1.0)
        self.beta.fill_(loss.kl_first + done * (loss.kl - loss.kl_first))

    def learn_model(self) -> None:
        """An update of the world model on windows of what happened (Eq. 17)."""
        self.work["model"]()

    def learn_controller(self) -> None:
        """An update of posterior, prior and policy through the world model (Eq. 13)."""
        self.work["controller"]()

    def _learn_model(self) -> None:
        study, weights = self.settings.study, self.settings.world_loss
        row, world = self.buffer.draw(study.batch, study.world_window)
        first = state = self.buffer.state.at((row, world))
        loss = torch.zeros((), device=row.device)
        for k in range(study.world_window):
            true = self.buffer.state.at((row + k + 1, world))
            state, _ = self.model(state, self.buffer.action[row + k, world])
            loss = loss + mistaken(self.model.skeleton, state, true, weights).mean()
            if k == 0:  # beside a model that says that nothing changes
                self.meter.add("still", mistaken(self.model.skeleton, first, true, weights).mean())
                self.meter.add("mistake", loss)
        descend(self.optimisers["model"], loss / study.world_window, study.gradient)

    def _learn_controller(self) -> None:
        study, net, weights = self.settings.study, self.settings.net, self.settings.loss
        row, world = self.buffer.draw(study.batch, study.window)
        state = self.buffer.state.at((row, world))
        view, stretch = seen(self.model.skeleton, state), self.model.muscles.stretch(state)
        sums: dict[str, Tensor] = {}
        counted = 0.0
        for k in range(study.window):
            sight = self.controller.sight(view, state.fatigue)
            frame = self.buffer.goal[row + k, world]
            shift = self.controller.shift(sight, self.controller.view(self.reference.flat[frame]))
            mean = self.controller.middle(sight) + shift
            intent = self.controller.intent(sight, mean + net.deviation * torch.randn_like(mean))
            action = self.controller.act(intent + net.noise * torch.randn_like(intent), state, stretch)
            state, asked = self.model(state, action, view, stretch)
            view, stretch = seen(self.model.skeleton, state), self.model.muscles.stretch(state)
            terms = apart(view, self.reference.goal(frame), weights)
            terms["length"] = weights.length * (stretch.length - self.reference.lengths[frame]).abs().sum(-1)
            terms["kl"] = self.beta * divergence(shift, net.deviation)
            terms["effort"] = effort(asked, weights)
            counts = discounted(k, weights)
            counted += counts
            for name, term in terms.items():
                sums[name] = sums.get(name, 0.0) + counts * term.mean()
        loss = torch.stack(list(sums.values())).sum() / counted
        norm = descend(self.optimisers["controller"], loss, study.gradient)
        for name, value in sums.items():
            self.meter.add(name, value / counted)
        self.meter.add("loss", loss)
        self.meter.add("beta", self.beta)
        self.meter.add("norm", norm.nan_to_num(0.0))
        self.grow()

    def grow(self) -> None:
        """β after a further update of the controller."""
        weights = self.settings.loss
        grown = (weights.kl - weights.kl_first) / max(weights.kl_updates, 1)
        self.beta.add_(grown).clamp_(max=max(weights.kl, weights.kl_first))
