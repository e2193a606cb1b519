"""An actor on the stage: a brain in its body, what is asked of it, how it is pushed, whether it lies down."""

import math
import weakref
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic import fatigue, rotation
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.motion import BodyClip
from lactic.muscle.man.muscled import muscled
from lactic.play.driver import Asked, Driver
from lactic.play.fall import FallRule
from lactic.play.job import player_of
from lactic.play.man import MusclePlayer, Sampling
from lactic.play.man.job import states
from lactic.play.programme import Programme
from lactic.play.start import start_states
from lactic.play.steered import Steered, database_of, steerable
from lactic.play.tire.blended import Blended
from lactic.play.velocity import takes_velocity, velocity_of
from lactic.steer.gamepad import COLUMNS
from lactic.studio.followed import endless, looks, walk
from lactic.studio.paths import LeadTape
from lactic.studio.skill import LoadedSkill, opening_fitness, tour
from lactic.studio.tape import Tape

FEELS = "with a reserve"
"""How a leader asks a tired body for less (`lactic.steer.steering.PACINGS`)."""
HARDEST, LONGEST = 5000.0, 10.0
"""The largest push, N, and the longest, s."""
OUTRUN = 10.0
"""m/s along a push at which a character outruns whatever pushes it; beyond it, impacts are too hard for the physics."""


class StageActor:
    """A skill in its body with its tape; times are those of the stage's clock."""

    def __init__(self, skill: LoadedSkill, fitness: Fitness | None = None, seed: int = 0, begin: int = 0):
        self.skill = skill
        self.player = player_of(skill.brain, fitness or opening_fitness(skill.brain.info.fitness))
        self.body, self.info = self.player.body, self.player.info
        self.fitness, self.tires = self.player.fitness, True
        self.pad = np.zeros(COLUMNS)
        """The gamepad of one that is steered."""
        self.by_hand = False
        """Whether one that goes where it is asked does what the gamepad says."""
        me = self._me()
        self.steered: Steered | None = None
        if skill.database is not None:
            self.steered = Steered(self.player, skill.database, lambda second, roots: me.pad[None], FEELS)
        self.tracked = None if skill.motion is None else Blended(self.player, skill.motion)
        """What makes it follow a motion, if it does."""
        self.driver: Driver = self.steered or self.tracked or self._asked(seed)
        self.tape = Tape(self.driver, begin, **({} if self.tracked is None else looks(self.tracked)))
        self.leads = None if self.steered is None else LeadTape(self.tape.size, len(self.body.bodies))
        self._push, self._pushed, self._push_left = np.zeros(3), 0, 0
        self.phase: float | None = None
        """What is asked of a brain with a one-number command, or how fast to go, m/s; None follows its programme."""
        self.heading: float | None = None
        """Direction to go in at that speed, radians from +x; None goes straight on."""
        self.restart(seed)

    def _me(self) -> "StageActor":
        """For what the actor owns: so one that leaves is gone at once, with its tape, and waits for no collector."""
        return weakref.proxy(self)

    def _asked(self, seed: int) -> Driver:
        """What drives one that is not led: its command or, without one, samples of what it learnt."""
        player, fall, me = self.player, self.skill.fall, self._me()
        if isinstance(player, MusclePlayer) and self.info.asks == "motion":
            return Sampling(player, self._starts(seed), fall, seed)
        return Asked(player, lambda: me.command(), fall, self._starts(seed))

    def _starts(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """A start state (1, …)."""
        if isinstance(self.player, MusclePlayer):
            return states(self.skill.folder, self.player, seed)
        return start_states(self.skill.folder, self.body, 1, seed)

    def restart(self, seed: int) -> None:
        """Back to a start state, fresh."""
        self.tape.cut()
        if self.steered is not None or self.tracked is not None:
            self.driver.reset()
        else:
            self.player.place(None, *self._starts(seed))
        self.player.fatigue[:] = (0.0, 1.0, 0.0)
        self._push_left, self.own_time, self.down = 0, 0.0, 0.0

    def rise(self) -> None:
        """Stand up where it lies, as tired as before: as its leader stands, as its motion goes, or at rest."""
        self.tape.cut()
        if self.steered is not None or self.tracked is not None:
            self.driver.reset(np.ones(1, bool))
        else:
            place, facing = self.player.world.qpos[0, :2].copy(), self.facing
            qpos, qvel = self._starts(0)
            qpos[0, :2], qpos[0, 3:7] = place, rotation.about("z", np.array(facing))
            self.player.place(None, qpos, qvel)
        self._push_left, self.down = 0, 0.0

    def take_after(self, other: "StageActor") -> None:
        """Be where another of the same skill is."""
        if self.steered is not None and other.steered is not None:
            self.steered.take_after(other.steered)
        elif self.tracked is not None and other.tracked is not None:
            self.tracked.take_after(other.tracked)
        else:
            self.player.place(None, other.player.world.qpos, other.player.world.qvel)
        self.phase, self.heading = other.phase, other.heading
        self.by_hand, self.own_time = other.by_hand, other.own_time

    def set_fitness(self, fitness: Fitness, tires: bool = True) -> None:
        """Change how it tires from the next step on; one that does not tire is fresh at once and stays so."""
        self.fitness, self.tires = fitness, tires
        self.player.set_fitness(fitness if tires else fatigue.preset("off").altered(L=fitness.L))
        if not tires:
            self.player.fatigue[:] = (0.0, 1.0, 0.0)
            if self.steered is not None:
                self.steered.kinematic.state.pacing[:] = 1.0

    def push(self, newtons: float, degrees: float, seconds: float, body: str) -> None:
        """Push a body for a while; 0° is along the way the character faces, 90° to its left."""
        for what, value, most in (("force", newtons, HARDEST), ("duration", seconds, LONGEST)):
            if not (math.isfinite(value) and 0 < value <= most):
                raise InputError(f"push: a {what} of {value:g}; give a number above 0 and at most {most:g}")
        if not math.isfinite(degrees) or body not in self.body.bodies:
            raise InputError(f"push: no direction {degrees:g}°, or no body part '{body}'")
        way = self.facing + math.radians(degrees)
        self._push = newtons * np.array([math.cos(way), math.sin(way), 0.0])
        self._pushed = self.body.bodies.index(body)
        self._push_left = max(1, round(seconds / self.player.dt))

    @property
    def facing(self) -> float:
        """Direction the root faces, radians from +x."""
        return float(rotation.heading(self.player.world.qpos[0, 3:7]))

    def command(self) -> np.ndarray:
        """What is asked of the brain now."""
        size = self.info.command
        if self.phase is not None and size == 1:
            return np.array([self.phase])
        if self.skill.goes and self.by_hand:
            return velocity_of(self.pad)
        if self.skill.goes and self.phase is not None:
            way = 0.0 if self.heading is None else self.heading
            return self.phase * np.array([math.cos(way), math.sin(way)])
        scale, programme = self.fitness.time_scale, self.skill.programme
        return programme.at(self.own_time / programme.rate(scale), scale) if size else np.zeros(0)

    def step(self, second: float) -> bool:
        """One control step; False where the simulation was lost and put back."""
        world, push = self.player.world, self._push if self._push_left else np.zeros(3)
        if world.qvel[0, :3] @ push > OUTRUN * np.linalg.norm(push):
            push = np.zeros(3)
        self.player.push[0, :, :3] = 0.0
        self.player.push[0, self._pushed, :3] = push
        if self.steered is not None and self.leads is not None:
            self.leads.record(self.tape.count % self.tape.size, self.steered)
        self.tape.record(second, push, self._pushed)
        self._push_left = max(0, self._push_left - 1)
        programme = self.skill.programme
        self.own_time = (self.own_time + self.player.dt * programme.rate(self.fitness.time_scale)) % programme.length
        self.down = self.down + self.player.dt if self.driver.fallen()[0] else 0.0
        if self.tracked is not None and self.tracked.finished[0]:
            self.tape.cut()
            self.tracked.reset()
        return not world.faulted[0] and bool(np.isfinite(self.player.fatigue).all())


def read_skill(name: str | Path, database: str | Path | None = None, clip: BodyClip | None = None) -> LoadedSkill:
    """Find a brain, read it and try one step; whatever is wrong with it is one line.

    Those that follow motions are steered where there is a `database`, here or in their folder. Else they follow the
    `clip`, or a walk.
    """
    folder = catalogue.find(name)
    try:
        params, brain = folder.params(), folder.load()
        info = brain.info
        if not (1 <= info.control_rate <= 240 and 1 <= info.substeps <= 100):
            raise InputError(f"{brain.path}: {info.control_rate} control, {info.physics_rate} physics steps a second")
        steers = clip is None and steerable(folder, info, database)
        motion = database_of(folder, database) if steers else None
        body = muscled(info.pinned) if info.moves_muscles else bodies.get(info.body)
        followed = None if info.tracking is None or steers else endless(clip or walk(), body, info.control_rate)
        programme = tour() if takes_velocity(info) else Programme.read(params, info)
        skill = LoadedSkill(folder, brain, programme, FallRule.of(folder, body), motion, followed)
        StageActor(skill).step(0.0)
    except InputError:
        raise
    except Exception as error:  # a file made by hand can be wrong in any way
        reason = " ".join(str(error).split())[:160]
        raise InputError(f"{folder.path}: cannot be played ({type(error).__name__}: {reason})") from error
    return skill
