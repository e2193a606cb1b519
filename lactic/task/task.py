"""Many episodes side by side: starts, strength, fatigue, failure and restart, all on the device.

Every tensor is made once and written in place, randomness is handed in as uniform numbers, and nothing asks the host:
`decide` and `judge` can so be captured as CUDA graphs, with the world's own step between them.
"""

from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from lactic import body as bodies
from lactic import fatigue as law
from lactic.body import Body
from lactic.errors import InputError
from lactic.strength import pd_torque, spend
from lactic.task.action import ActionMap
from lactic.task.arena import Arena
from lactic.task.observe import HEIGHT, Observer
from lactic.task.reference import find_clips, from_clips, from_rest
from lactic.task.settings import TaskSettings
from lactic.world.interface import World

LEAST_CAPACITY = 0.05
"""Residual capacity that exertion reckons with at least."""
TIREDNESS = 2.5
"""λ of the level's exponential distribution; tired_actor raises its own from 1 to 3."""
FINE = 4096.0
"""What a uniform number is multiplied by for another: its lower digits are independent of the upper ones."""
SPEED_NOISE = 10.0
"""1/s: how much more start velocities are disturbed than start poses."""
MOST_TIRED = 0.92
"""MF that an episode starts with at most."""


def exertion(load: Tensor, fatigued: Tensor) -> Tensor:
    """Σ (TL/RC)² over the joints, at most 1 each, (world,): how hard it feels to give these loads with RC = 1 − MF."""
    return (load / (1.0 - fatigued).clamp(min=LEAST_CAPACITY)).clamp(max=1.0).square().sum(1)


def tired_together(u: Tensor, limbs: Tensor, lame: float) -> Tensor:
    """MF (world, joint) of uniform numbers (world, joint, 2): a common level, each joint a little off it.

    The level's capacity is exponential, so that deep fatigue is common (tired_actor Eq. 7). By `lame` a share has one
    of the `limbs` (limb, joint) left with a tenth to a half of the others' capacity.
    """
    level = -torch.log((1.0 - u[:, :1, 0]).clamp(min=1e-6)) / TIREDNESS
    capacity = level.clamp(max=1.0) * (0.7 + 0.6 * u[..., 0])
    if lame and len(limbs):
        which = (u[:, 0, 1] * len(limbs)).long().clamp(max=len(limbs) - 1)
        hurt = limbs.index_select(0, which) * (u[:, 1:2, 1] < lame)
        third = min(2, u.shape[1] - 1)  # the smallest bodies have two joints
        capacity = torch.where(hurt, capacity * (0.1 + 0.4 * u[:, third, 1, None]), capacity)
    return (1.0 - capacity).clamp(0.0, MOST_TIRED)


class Outcome(NamedTuple):
    """What came of one control step, before failed and finished episodes start again."""

    observation: Tensor
    """Of the state reached, (world, size)."""
    reward: Tensor
    """The task's own, style not included."""
    ease: Tensor
    """Share of all pay that exertion leaves: a cost that was subtracted made falling the lesser evil."""
    fell: Tensor
    """The episode failed: no value lies beyond."""
    done: Tensor
    """The episode is over, by failure or by time."""
    age: Tensor
    """Steps of the episode so far."""


class Task:
    """Episodes of one task in all worlds; subclasses say what is commanded and paid."""

    command_kind = "none"
    imitates = True
    """Whether style is learnt from clips."""
    interferes = False
    """Whether `before` does anything."""
    watched: tuple[str, ...] = ()
    """Names of what `watch` tells of."""
    tires_at_first = True
    """Whether a brain that knows fatigue is played in a body that tires, unless told otherwise."""
    moving_starts = True
    """Whether a brain is played from states of its own motion; from standing where not."""
    updates = 1
    """Times in a control step that targets change: `between` is called before each but the first."""

    def __init__(
        self,
        world: World,
        reference: Any,
        settings: TaskSettings,
        torque_limit: Tensor | None = None,
    ):
        self.arena, self.settings = Arena(world), settings
        body, device = world.body, self.arena.device
        self.body, self.device, self.count, self.joints = body, device, world.count, len(body.joints)
        observer, action = self.parts(body, settings)
        self.observer, self.action = observer.to(device), action.to(device)
        self.reference = reference.to(device)
        self.control_dt = 1.0 / settings.control_rate
        if abs(world.timestep * settings.substeps - self.control_dt) > 1e-6:
            raise InputError(
                f"task.substeps {settings.substeps} of {world.timestep:.5f} s do not make a step at "
                f"{settings.control_rate:g} Hz (task.control_rate)"
            )
        limit = torch.tensor(body.torque_limit) if torque_limit is None else torque_limit
        self.fresh_limit = limit.to(device=device, dtype=torch.float32).clamp(min=1.0)
        """Of the task's own body, (joint,)."""
        scale, self.metres = self._sizes(world)
        self.stiffness = scale * torch.tensor(body.stiffness, dtype=torch.float32, device=device)
        self.damping = scale * torch.tensor(body.damping, dtype=torch.float32, device=device)
        self.torque_limit = scale * self.fresh_limit
        f = settings.fatigue
        rates = law.rates(law.preset(f.fitness), body.groups)
        self.typical = torch.tensor(rates, dtype=torch.float32, device=device)
        spreads = (f.F_spread, f.R_spread, f.time_spread)
        self.spread = torch.tensor(spreads, device=device).log()
        self._fallen = self._bodies(settings.fall.bodies)
        barred = None if settings.fall.may_touch is None else set(body.bodies) - set(settings.fall.may_touch)
        self._barred = None if barred is None else self._bodies(tuple(sorted(barred)))
        self._allocate()

    def _sizes(self, world: World) -> tuple[Tensor, Tensor]:
        """How strong each world's body is beside the task's own, (world, 1), and what its lengths multiply features by,
        (world, size of the features); one row where all bodies are the same."""
        kinds = world.variants
        each = [kinds[i % len(kinds)] for i in range(world.count if len(kinds) > 1 else 1)]
        scale = torch.tensor([[body.scale / world.body.scale] for body in each], device=self.device)
        size = torch.tensor([[float(body.rest[2] / world.body.rest[2])] for body in each], device=self.device)
        return scale, torch.where(self.observer.lengths, size, 1.0)

    @classmethod
    def own_body(cls, settings: TaskSettings) -> Body:
        """The body of the task, with the gains and limits it asks for."""
        body = bodies.get(settings.body)
        return body if settings.strength == "own" else body.of_strength(settings.strength)

    @classmethod
    def parts(cls, body: Body, settings: TaskSettings) -> tuple[Any, Any]:
        """What the policy sees by and acts through: the same in training and in a brain."""
        fatigue = settings.fatigue
        return Observer(body, cls.command_kind, fatigue.seen), ActionMap(body, fatigue.beta, settings.centre)

    @classmethod
    def reference_of(cls, settings: TaskSettings, clips: Path) -> Any:
        """Where episodes start, and what is imitated: the clips found in a folder, or poses about the body's rest."""
        observer = Observer(bodies.get(settings.body))
        if not cls.imitates:
            return from_rest(bodies.get(settings.body), observer)
        found = find_clips(settings.clips, clips, settings.body, settings.mirror, settings.straighten)
        return from_clips(found, observer, settings.control_rate, settings.substeps)

    def _bodies(self, names: tuple[str, ...]) -> Tensor:
        unknown = [name for name in names if name not in self.body.bodies]
        if unknown:
            known = ", ".join(self.body.bodies)
            raise InputError(f"task.fall: no body '{unknown[0]}' in {self.body.name}; there are: {known}")
        return torch.tensor([self.body.bodies.index(name) for name in names], dtype=torch.long, device=self.device)

    def _allocate(self) -> None:
        n, nu, zeros = self.count, self.joints, lambda *s: torch.zeros(*s, device=self.device)
        self.features = zeros(n, self.observer.features_size)
        self.fatigue, self.rates = law.fresh((n, nu), zeros(1)), self.typical.repeat(n, 1, 1)
        self.command = zeros(n, self.observer.command_size)
        self.age = torch.zeros(n, dtype=torch.int32, device=self.device)
        self.intent, self.effort, self.exertion = zeros(n, nu), zeros(n), zeros(n)
        self.over = torch.zeros(n, dtype=torch.bool, device=self.device)
        self.start_qpos, self.start_qvel = zeros(n, 7 + nu), zeros(n, 6 + nu)
        limbs = [joints for name, joints in self.body.regions.items() if name != "trunk"]
        self.limbs = torch.tensor([[joint in limb for joint in self.body.joints] for limb in limbs], device=self.device)

    # how many uniform numbers a step uses, and for what: frame, fatigue at the start, command, its change
    @property
    def chance(self) -> int:
        """Uniform random numbers a world needs in each step."""
        return 1 + self.fatigue_chance + self.observer.command_size + 1

    @property
    def fatigue_chance(self) -> int:
        """Of these for fatigue at the start: two for each joint, three for the rates, one for being fresh."""
        return 2 * self.joints + 4

    def _split(self, u: Tensor) -> tuple[Tensor, ...]:
        return u.split([1, self.fatigue_chance, self.observer.command_size, 1], dim=1)

    def begin(self, u: Tensor) -> None:
        """Start every episode, at random ages so that they do not all end together."""
        self.over.fill_(True)
        self._restart(u, self.features, self.command)
        self.age.copy_((u[:, 1] * self.settings.episode).to(torch.int32))
        self.restart()

    def observation(self) -> Tensor:
        """What the policy sees now, (world, size)."""
        command = self.observer.command(self.arena.qpos, self.command)
        return self.observer.assemble(self.features, command, self.fatigue[..., 2])

    def decide(self, action: Tensor) -> None:
        """Turn the policy's action into targets, gains and limits of the engine, and let the body tire."""
        f = self.settings.fatigue
        targets, beta = self.aim(action)
        qpos, qvel = self.arena.qpos, self.arena.qvel
        intent = pd_torque(targets, beta, qpos[:, 7:], qvel[:, 6:], self.stiffness, self.damping)
        self.intent.copy_(intent)
        limits = self.torque_limit.expand(self.count, -1)
        if f.mode != "off":
            torque = self.arena.torque if f.load == "applied" else intent
            left = spend(self.fatigue, torque, self.torque_limit, self.rates, self.control_dt)
            self.fatigue.copy_(left.fatigue)
            self.effort.copy_((left.fatigue[..., 0] - left.load).abs().mean(1))
            self.exertion.copy_(exertion(left.load, left.fatigue[..., 2]))
            if f.mode == "limits":
                limits = left.limits
        self.drive(targets, beta * self.stiffness, beta * self.damping, limits)

    def drive(self, targets: Tensor, stiffness: Tensor, damping: Tensor, limits: Tensor) -> None:
        """Give the engine the PD law of the control step to come."""
        self.arena.drive(targets, stiffness, damping, limits)

    def aim(self, action: Tensor) -> tuple[Tensor, Tensor]:
        """Targets and β that an action stands for now."""
        return self.action(action)

    def between(self) -> None:
        """Change the targets within a control step, where `updates` says so; it may be captured too."""

    def before(self) -> None:
        """Ahead of every physics step, where the task `interferes`; it may be captured too."""

    def failed(self, qpos: Tensor, xpos: Tensor) -> Tensor:
        """Which episodes have failed in the state reached, (world,)."""
        fell = (xpos.index_select(1, self._fallen)[..., 2] < self.settings.fall.height).any(1)
        if self._barred is not None:
            fell = fell | (self.arena.touch.index_select(1, self._barred) > 0).any(1)
        return fell

    def judge(self, u: Tensor) -> Outcome:
        """Look at the state reached, and prepare the restart of episodes that are over."""
        qpos, qvel, xpos, lost = self.arena.qpos, self.arena.qvel, self.arena.xpos, self.arena.faulted
        # a lost world was reset by the engine: what it shows now belongs to another episode
        seen = torch.where(lost[:, None], self.features, self.observer.features(qpos, qvel, xpos))
        fell = lost | self.failed(qpos, xpos)
        self.age.add_(1)
        done = fell | (self.age >= self.settings.episode)
        reward = self.settings.task_weight * self.reward(qpos, qvel)
        if self.settings.fatigue.mode == "reward":
            reward = reward - self.settings.fatigue.reward_weight * self.effort
        outcome = Outcome(
            self.observer.assemble(seen, self.observer.command(qpos, self.command), self.fatigue[..., 2]),
            reward,
            torch.exp(-self.settings.exertion_weight * self.felt()),
            fell,
            done,
            self.age.clone(),
        )
        self.over.copy_(done)
        self.ended(fell, done)
        self._restart(u, seen, self._changed_command(qpos, u))
        return outcome

    def restart(self) -> None:
        """Place the worlds whose episodes are over; call after `judge`, outside any graph."""
        self.arena.reset(self.over, self.start_qpos, self.start_qvel)

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """The task's own reward for the state reached, (world,)."""
        return torch.zeros_like(qpos[:, 0])

    def felt(self) -> Tensor:
        """The exertion that counts, (world,)."""
        return self.exertion

    def ended(self, fell: Tensor, done: Tensor) -> None:
        """Hear which episodes have just failed and which are over, (world,)."""

    def watch(self) -> tuple[Tensor, ...]:
        """Numbers (world,) whose means the progress line and the log show."""
        return ()

    def modules(self) -> dict[str, nn.Module]:
        """What a checkpoint keeps beside the networks, by name."""
        return {}

    def new_command(self, qpos: Tensor, u: Tensor) -> Tensor:
        """Commands made of uniform numbers (world, size of the command) for bodies at `qpos`."""
        return u

    def _changed_command(self, qpos: Tensor, u: Tensor) -> Tensor:
        """Now and then another command in mid-episode, so that live changes are nothing new."""
        if not self.observer.command_size:
            return self.command
        *_, numbers, chance = self._split(u)
        change = chance < self.control_dt / self.settings.command_change
        return torch.where(change, self.new_command(qpos, numbers), self.command)

    def _restart(self, u: Tensor, seen: Tensor, command: Tensor) -> None:
        """New start states, fatigue and commands where `over`; the features are the reference's own."""
        frame_u, fatigue_u, command_u, _ = self._split(u)
        frame, over = self.reference.draw(frame_u.contiguous())[:, 0], self.over[:, None]
        self.start_qpos.copy_(self.reference.qpos.index_select(0, frame))
        self.start_qvel.copy_(self.reference.qvel.index_select(0, frame))
        self.start_qpos[:, 2].mul_(self.metres[:, HEIGHT])
        if noise := self.settings.start_noise:
            pairs = fatigue_u[:, : 2 * self.joints].reshape(self.count, self.joints, 2)
            off = 3.0**0.5 * noise * (2.0 * (pairs * FINE).frac() - 1.0)  # uniform, of that deviation
            self.start_qpos[:, 7:].add_(off[..., 0])
            self.start_qvel[:, 6:].add_(SPEED_NOISE * off[..., 1])
        self.features.copy_(torch.where(over, self.reference.features.index_select(0, frame) * self.metres, seen))
        if self.observer.command_size:
            self.command.copy_(torch.where(over, self.new_command(self.start_qpos, command_u), command))
        self._new_fatigue(fatigue_u)
        self.age.mul_(~self.over)

    def _new_fatigue(self, u: Tensor) -> None:
        """Where `over`: a fatigue state to start with, and the episode's own rates."""
        over, (numbers, factors, chance) = self.over[:, None, None], u.split([2 * self.joints, 3, 1], dim=1)
        f = self.settings.fatigue
        kept = ((chance >= f.fresh) & (chance < f.fresh + f.keep))[..., None]
        self.fatigue.copy_(torch.where(over & ~kept, self.first_fatigue(numbers, chance), self.fatigue))
        F, R, both = torch.exp((2.0 * factors - 1.0) * self.spread).split(1, dim=1)
        one = torch.ones_like(F)
        factors = torch.stack([F * both, R * both, one, both, one], dim=2)
        self.rates.copy_(torch.where(over, factors * self.typical, self.rates))

    def first_fatigue(self, u: Tensor, chance: Tensor) -> Tensor:
        """States (world, joint, 3) of uniform numbers, two a joint; by `chance` a share starts fresh."""
        f = self.settings.fatigue
        fresh = chance < (1.0 if f.mode == "off" else f.fresh)
        pairs = u.reshape(self.count, self.joints, 2)
        if f.start == "uniform":
            return law.uniform(torch.where(fresh[..., None], 1.0, pairs))  # 1 is all at rest
        spent = torch.where(fresh, 0.0, tired_together(pairs, self.limbs, f.lame))
        return torch.stack([torch.zeros_like(spent), 1.0 - spent, spent], dim=2)

    def state(self) -> dict[str, Tensor]:
        """Everything a resumed run needs beyond the world's own state."""
        return {name: getattr(self, name) for name in ("features", "fatigue", "rates", "command", "age")}
