"""Many episodes side by side: strength, fatigue, failure and restart, all on the device.

Every tensor is made once and written in place, randomness is handed in as uniform numbers, and nothing asks the host:
`decide` and `judge` can so be captured as CUDA graphs, with the world's own step between them.
"""

from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from lactic import body as bodies
from lactic import fatigue as law
from lactic.body import Body
from lactic.errors import InputError
from lactic.strength import pd_torque, spend
from lactic.task.arena import Arena
from lactic.task.mirror import Mirror, mirror_of_action
from lactic.task.settings import TaskSettings
from lactic.task.tiring import at_rest, common_fatigue, exertion, rate_factors, without_noise
from lactic.world.interface import World

S = TypeVar("S", bound=TaskSettings)


class StepOutcome(NamedTuple):
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


class Task(Generic[S]):
    """Episodes of one task in all worlds; subclasses say what is seen, asked and paid, and where episodes start."""

    command_kind = "none"
    imitates = False
    """Whether style is learnt from clips."""
    interferes = False
    """Whether `before` does anything."""
    watched: tuple[str, ...] = ()
    """Names of what `watch` tells of."""
    kept: tuple[str, ...] = ("fatigue", "rates", "age")
    """Names of what a resumed run needs beyond the world's own state."""
    moving_starts = False
    """Whether a brain is played from states of its own motion; from standing where not."""
    farsighted: tuple[int, float] | None = None
    """The first of the worlds, up to the last, whose pay is discounted by another γ than that of the others, and it."""
    own_chance = 0
    """Uniform random numbers that the task itself needs in each step."""

    def __init__(self, world: World, reference: Any, settings: S, torque_limit: Tensor | None = None):
        self.arena, self.settings = Arena(world), settings
        body, device = world.body, self.arena.device
        self.body, self.device, self.count, self.joints = body, device, world.count, len(body.joints)
        observer, action = self.parts(body, settings)
        self.observer, self.action, self.reference = observer.to(device), action.to(device), reference.to(device)
        self.control_dt = 1.0 / settings.control_rate
        if abs(world.timestep * settings.substeps - self.control_dt) > 1e-6:
            raise InputError(
                f"task.substeps {settings.substeps} of {world.timestep:.5f} s do not make a step at "
                f"{settings.control_rate:g} Hz (task.control_rate)"
            )
        limit = torch.tensor(body.torque_limit) if torque_limit is None else torque_limit
        self.fresh_limit = limit.to(device=device, dtype=torch.float32).clamp(min=1.0)
        """Of the task's own body, (joint,)."""
        each = [world.variants[i % len(world.variants)] for i in range(world.count if len(world.variants) > 1 else 1)]
        scale = torch.tensor([[own.scale / body.scale] for own in each], device=device)
        self.tall = torch.tensor([[float(own.rest[2] / body.rest[2])] for own in each], device=device)
        """How tall each world's body is beside the task's own, (world, 1); one row where all are the same."""
        self.metres = torch.ones(1, 1, device=device)
        """What the lengths of each world's body multiply features by, (world, size of the features)."""
        self.stiffness = scale * torch.tensor(body.stiffness, dtype=torch.float32, device=device)
        self.damping = scale * torch.tensor(body.damping, dtype=torch.float32, device=device)
        self.torque_limit = scale * self.fresh_limit
        f, fall = settings.fatigue, settings.fall
        self.typical = torch.tensor(law.rates(law.preset(f.fitness), body.groups), dtype=torch.float32, device=device)
        self.spread = torch.tensor((f.F_spread, f.R_spread, f.time_spread), device=device).log()
        self.noise = torch.zeros(self.joints, device=device)
        """What exploration adds to the torque of each joint, as a share of its fresh limit, (joint,)."""
        self._fallen = self._bodies(fall.bodies)
        allowed = body.bodies if fall.may_touch is None else fall.may_touch
        self._barred = self._bodies(tuple(name for name in body.bodies if name not in allowed))
        self._allocate()

    def _bodies(self, names: tuple[str, ...]) -> Tensor:
        unknown = [name for name in names if name not in self.body.bodies]
        if unknown:
            known = ", ".join(self.body.bodies)
            raise InputError(f"task.fall: no body '{unknown[0]}' in {self.body.name}; there are: {known}")
        return torch.tensor([self.body.bodies.index(name) for name in names], dtype=torch.long, device=self.device)

    def _allocate(self) -> None:
        n, nu, zeros = self.count, self.joints, lambda *s: torch.zeros(*s, device=self.device)
        self.fatigue, self.rates = law.fresh((n, nu), zeros(1)), self.typical.repeat(n, 1, 1)
        self.age = torch.zeros(n, dtype=torch.int32, device=self.device)
        self.intent, self.limits, self.effort, self.exertion = zeros(n, nu), zeros(n, nu), zeros(n), zeros(n)
        self.fell, self.over = (torch.zeros(n, dtype=torch.bool, device=self.device) for _ in range(2))
        self.start_qpos, self.start_qvel = zeros(n, 7 + nu), zeros(n, 6 + nu)
        limbs = [joints for name, joints in self.body.regions.items() if name != "trunk"]
        self.limbs = torch.tensor([[joint in limb for joint in self.body.joints] for limb in limbs], device=self.device)

    # What a subclass says

    @classmethod
    def own_body(cls, settings: S) -> Body:
        """The body of the task, with the gains and limits it asks for."""
        body = bodies.get(settings.body)
        return body if settings.strength == "own" else body.of_strength(settings.strength)

    @classmethod
    def parts(cls, body: Body, settings: S) -> tuple[Any, Any]:
        """What the policy sees by and acts through: the same in training and in a brain."""
        raise NotImplementedError

    @classmethod
    def reference_of(cls, settings: S, clips: Path) -> Any:
        """Where episodes start, and what is imitated; `clips` is the folder of clips."""
        raise NotImplementedError

    @classmethod
    def growth(cls, before: S, now: S) -> Tensor | None:
        """Factors on the first actions, the joints' or all, of a policy that learnt under the settings `before`, which
        make them mean the same `now`; None where they do."""
        return None

    def start(self, u: Tensor, own: Tensor) -> None:
        """Write start states, of a uniform number (world,), and begin anew what else the task has where `over`; `own`
        are its own random numbers."""
        raise NotImplementedError

    def observation(self) -> Tensor:
        """What the policy sees now, (world, size)."""
        raise NotImplementedError

    def look(self) -> Tensor:
        """Look at the state reached: what the policy sees of it."""
        return self.observation()

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """The task's own reward for the state reached, (world,)."""
        raise NotImplementedError

    def aim(self, action: Tensor) -> tuple[Tensor, Tensor]:
        """Targets and β that an action stands for now."""
        return self.action(action)

    def failed(self) -> Tensor:
        """Which episodes have failed in the state reached, (world,)."""
        fell = (self.arena.xpos.index_select(1, self._fallen)[..., 2] < self.settings.fall.height).any(1)
        if len(self._barred):
            fell = fell | (self.arena.touch.index_select(1, self._barred) > 0).any(1)
        return fell

    def finished(self) -> Tensor:
        """Which episodes are over without failure, (world,)."""
        return self.age >= self.settings.episode

    def felt(self) -> Tensor:
        """The exertion that counts, (world,)."""
        return self.exertion

    def ended(self, own: Tensor) -> None:
        """Hear that `fell` and `over` tell of the step just taken; `own` are the task's own random numbers."""

    def drive(self, targets: Tensor, stiffness: Tensor, damping: Tensor, limits: Tensor) -> None:
        """Give the engine the PD law of the control step to come."""
        self.arena.drive(targets, stiffness, damping, limits)

    def before(self) -> None:
        """Ahead of every physics step, where the task `interferes`; it may be captured too."""

    def watch(self) -> tuple[Tensor, ...]:
        """Numbers (world,) whose means the progress line and the log show."""
        return ()

    def modules(self) -> dict[str, nn.Module]:
        """What a checkpoint keeps beside the networks, by name."""
        return {}

    # What training calls

    @property
    def fatigue_chance(self) -> int:
        """Uniform numbers for fatigue at the start: two for each joint, three for the rates, one for being fresh."""
        return 2 * self.joints + 4

    @property
    def chance(self) -> int:
        """Uniform random numbers a world needs in each step: for a start state, its fatigue, and the task's own."""
        return 1 + self.fatigue_chance + self.own_chance

    def begin(self, u: Tensor) -> None:
        """Start every episode, at random ages so that they do not all end together."""
        self.over.fill_(True)
        self.renew(u)
        self.age.copy_((u[:, 1] * self.settings.episode).to(torch.int32))
        self.restart()

    def decide(self, action: Tensor) -> None:
        """Turn the policy's action into targets, gains and limits of the engine, and let the body tire."""
        f = self.settings.fatigue
        targets, beta = self.aim(action)
        qpos, qvel = self.arena.qpos, self.arena.qvel
        intent = pd_torque(targets, beta, qpos[:, 7:], qvel[:, 6:], self.stiffness, self.damping)
        self.intent.copy_(intent)
        limits = self.torque_limit
        if f.mode != "off":
            torque = self.given() if f.load == "applied" else intent
            left = spend(self.fatigue, torque, self.torque_limit, self.rates, self.control_dt)
            self.fatigue.copy_(left.fatigue)
            self.effort.copy_((left.fatigue[..., 0] - left.load).abs().mean(1))
            self.exertion.copy_(exertion(left.load, left.fatigue[..., 2], self.settings.exertion_power))
            if f.mode == "limits":
                limits = left.limits
        self.limits.copy_(limits)
        self.drive(targets, beta * self.stiffness, beta * self.damping, self.limits)

    def given(self) -> Tensor:
        """Torque that the joints gave in the last control step, noise taken off, (world, joint)."""
        if not self.settings.fatigue.noiseless:
            return self.arena.torque
        return without_noise(self.arena.torque, self.noise * self.torque_limit)

    def judge(self, u: Tensor) -> StepOutcome:
        """Look at the state reached, and prepare the restart of episodes that are over."""
        seen, s = self.look(), self.settings
        fell = self.arena.faulted | self.failed()
        self.fell.copy_(fell)
        self.age.add_(1)
        done = fell | self.finished()
        reward = s.task_weight * self.reward(self.arena.qpos, self.arena.qvel)
        if s.fatigue.mode == "reward":
            reward = reward - s.fatigue.reward_weight * self.effort
        ease = torch.exp(-s.exertion_weight * self.felt())
        outcome = StepOutcome(seen, reward, ease, fell, done, self.age.clone())
        self.over.copy_(done)
        self.ended(u[:, 1 + self.fatigue_chance :])
        self.renew(u)
        return outcome

    def renew(self, u: Tensor) -> None:
        """Start states, fatigue and ages of new episodes, where `over`."""
        place, fatigue, own = u.split([1, self.fatigue_chance, self.own_chance], dim=1)
        self.start(place[:, 0].contiguous(), own)
        self._new_fatigue(fatigue)
        self.age.mul_(~self.over)

    def restart(self) -> None:
        """Place the worlds whose episodes are over; call after `judge`, outside any graph."""
        self.arena.reset(self.over, self.start_qpos, self.start_qvel)

    def mirrors(self) -> tuple[Mirror, Mirror]:
        """How observations and actions change when the whole scene is mirrored."""
        seen, done = self.observer.image(self.body), mirror_of_action(self.body, self.action.layout)
        return seen.to(self.device), done.to(self.device)

    def state(self) -> dict[str, Tensor]:
        """Everything a resumed run needs beyond the world's own state."""
        return {name: getattr(self, name) for name in self.kept}

    def _new_fatigue(self, u: Tensor) -> None:
        """Where `over`: a fatigue state to start with, and the episode's own rates."""
        over, (numbers, factors, chance) = self.over[:, None, None], u.split([2 * self.joints, 3, 1], dim=1)
        kept = self.goes_on(chance)[..., None]
        self.fatigue.copy_(torch.where(over & ~kept, self.first_fatigue(numbers, chance), self.fatigue))
        self.rates.copy_(torch.where(over, rate_factors(factors, self.spread) * self.typical, self.rates))

    def goes_on(self, chance: Tensor) -> Tensor:
        """Which episodes start as fatigued as the last one of their world ended, by uniform numbers (world, 1)."""
        f = self.settings.fatigue
        return (chance >= f.fresh) & (chance < f.fresh + f.keep)

    def first_fatigue(self, u: Tensor, chance: Tensor) -> Tensor:
        """States (world, joint, 3) of uniform numbers, two a joint; by `chance` a share starts fresh."""
        f = self.settings.fatigue
        fresh, lame = (chance < 1.0, 0.0) if f.mode == "off" else (chance < f.fresh, f.lame)
        pairs = u.reshape(self.count, self.joints, 2)
        if f.start == "uniform":
            return law.uniform(torch.where(fresh[..., None], 1.0, pairs))  # 1 is all at rest
        return at_rest(common_fatigue(pairs, self.limbs, lame, f.levels, f.most, fresh))
