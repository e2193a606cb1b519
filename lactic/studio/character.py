"""One character on the stage: a brain in its body, what is asked of it, how it is pushed, whether it lies down."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic import fatigue, rotation
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import BrainFile
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.play.driver import Asked
from lactic.play.fall import FallRule
from lactic.play.player import Player, follows
from lactic.play.programme import Programme
from lactic.play.start import start_states
from lactic.play.steered import Steered, database_of
from lactic.play.velocity import takes_velocity, velocity_of
from lactic.steer.gamepad import COLUMNS
from lactic.steer.matching import Database
from lactic.studio.guide import Guide
from lactic.studio.tape import Tape
from lactic.studio.tour import tour

QUICK, SLOW = 2.0, 20.0
"""Seconds of holding half its strength between which tiring is neither missed nor awaited in vain."""
SLOWED, HASTENED = 0.5, 20.0
"""Time scale at which quicker and slower bodies open."""
FEELS = "with a reserve"
"""How a character that is steered asks for less when tired (`steer.steering.PACINGS`)."""
HARDEST, LONGEST = 5000.0, 10.0
"""The largest push, N, and the longest, s."""


@dataclass(frozen=True)
class Skill:
    """A brain that was found, read and tried for a step, with what its params.yaml says of it."""

    folder: BrainFolder
    brain: BrainFile
    programme: Programme
    """What is asked of it while nobody says anything; it starts again when it is over."""
    fall: FallRule
    """Bodies that must stay above a height in metres."""
    database: Database | None = None
    """What the kinematic character plays that it follows, if it follows one."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def goes(self) -> bool:
        """Whether its command is a velocity over the floor."""
        return takes_velocity(self.brain.info)

    @property
    def led(self) -> bool:
        """Whether keys and gamepads steer it."""
        return self.goes or self.database is not None


def read_skill(name: str | Path, database: str | Path | None = None) -> Skill:
    """Find a brain, read it and try one step; whatever is wrong with it is one line.

    `database` is for brains that follow a kinematic character; without one they use that in their folder, or else the
    shipped one.
    """
    folder = catalogue.find(name)
    try:
        params, brain = folder.params(), folder.load()
        info = brain.info
        if not (1 <= info.control_rate <= 240 and 1 <= info.substeps <= 100):
            raise InputError(f"{brain.path}: {info.control_rate} control, {info.physics_rate} physics steps a second")
        motion = None
        if follows(info):
            motion = database_of(folder, database)
        fall = FallRule.of(folder, bodies.get(info.body))
        skill = Skill(folder, brain, tour() if takes_velocity(info) else Programme.read(params, info), fall, motion)
        Character(skill).step(0.0)
    except InputError:
        raise
    except Exception as error:  # a file made by hand can be wrong in any way
        reason = " ".join(str(error).split())[:160]
        raise InputError(f"{folder.path}: cannot be played ({type(error).__name__}: {reason})") from error
    return skill


def opening_fitness(info_fitness: str) -> Fitness:
    """The preset a brain was made for, at a time scale that suits somebody who watches, unless it names one itself."""
    fitness = fatigue.preset(info_fitness)
    holds = float(fatigue.endurance_time(fitness.F * fitness.time_scale, fitness.R * fitness.time_scale, 0.5))
    if QUICK <= holds <= SLOW or math.isinf(holds) or fitness.time_scale != 1:
        return fitness
    return fitness.altered(time_scale=SLOWED if holds < QUICK else HASTENED)


class Character:
    """A skill in its body with its tape; times are those of the stage's clock."""

    def __init__(self, skill: Skill, fitness: Fitness | None = None, seed: int = 0, begin: int = 0):
        self.skill = skill
        self.player = Player(skill.brain, fitness or opening_fitness(skill.brain.info.fitness))
        self.body, self.info = self.player.body, self.player.info
        self.fitness, self.tires = self.player.fitness, True
        self.pad = np.zeros(COLUMNS)
        """The gamepad of one that is steered."""
        self.by_hand = False
        """Whether one that goes where it is asked does what the gamepad says."""
        self.steered: Steered | None = None
        if skill.database is not None:
            self.steered = Steered(self.player, skill.database, lambda second, roots: self.pad[None], FEELS)
        self.driver = self.steered or Asked(self.player, self.command, skill.fall)
        self.tape = Tape(self.driver, begin=begin)
        self.guide = None if self.steered is None else Guide(self.tape.size, len(self.body.bodies))
        self._push, self._pushed, self._push_left = np.zeros(3), 0, 0
        self.phase: float | None = None
        """What is asked of a brain with a one-number command, or how fast to go, m/s; None follows its programme."""
        self.heading: float | None = None
        """Direction to go in at that speed, radians from +x; None goes straight on."""
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Back to a start state, fresh."""
        self.tape.cut()
        if self.steered is not None:
            self.steered.reset()
        else:
            self.player.world.reset(None, *start_states(self.skill.folder, self.body, 1, seed))
        self.player.fatigue[:] = (0.0, 1.0, 0.0)
        self._push_left, self._own_time, self.down = 0, 0.0, 0.0

    def rise(self) -> None:
        """Stand up where it lies, as tired as before: as its kinematic character stands, or at rest."""
        self.tape.cut()
        if self.steered is not None:
            self.steered.reset(np.ones(1, bool))
        else:
            place, facing = self.player.world.qpos[0, :2].copy(), self.facing
            qpos, qvel = start_states(self.skill.folder, self.body, 1, 0)
            qpos[0, :2], qpos[0, 3:7] = place, rotation.about("z", np.array(facing))
            self.player.world.reset(None, qpos, qvel)
        self._push_left, self.down = 0, 0.0

    def take_after(self, other: "Character") -> None:
        """Be where another of the same skill is."""
        if self.steered is not None and other.steered is not None:
            self.steered.take_after(other.steered)
        else:
            self.player.world.reset(None, other.player.world.qpos, other.player.world.qvel)
        self.phase, self.heading, self.by_hand, self._own_time = (
            other.phase,
            other.heading,
            other.by_hand,
            other._own_time,
        )

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
        return programme.at(self._own_time / programme.rate(scale), scale) if size else np.zeros(0)

    def step(self, second: float) -> bool:
        """One control step; False where the simulation was lost and put back."""
        world, push = self.player.world, self._push if self._push_left else np.zeros(3)
        world.push[0, :, :3] = 0.0
        world.push[0, self._pushed, :3] = push
        if self.steered is not None and self.guide is not None:
            self.guide.keep(self.tape.count % self.tape.size, self.steered)
        self.tape.keep(second, push, self._pushed)
        self._push_left = max(0, self._push_left - 1)
        programme = self.skill.programme
        self._own_time = (self._own_time + self.player.dt * programme.rate(self.fitness.time_scale)) % programme.length
        self.down = self.down + self.player.dt if self.driver.fallen()[0] else 0.0
        return not world.faulted[0] and bool(np.isfinite(self.player.fatigue).all())
