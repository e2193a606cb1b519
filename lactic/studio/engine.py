"""The simulation behind the page: actors side by side, and their last minute. It knows no browser."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.steer.gamepad import COLUMNS, ArtificialUser
from lactic.studio.actor import FEELS, StageActor, read_skill
from lactic.studio.guest import Guest, invite
from lactic.studio.memory import give_back
from lactic.studio.realtime import RealTime
from lactic.studio.skill import LoadedSkill, regions

ACTOR = "actor"
"""The brain that follows any clip."""
MOST = 3
"""Actors side by side."""
LYING = 3.0
"""Seconds on the ground after which all start again, if they may."""
FALLEN = 0.8
"""Seconds after a fall at which an actor that is steered stands up again, if it may."""
HANDS_OFF = 4.0
"""Seconds without a key or a stick after which one that goes where it is asked follows its programme again."""


class Engine(RealTime):
    """What happens on the stage. Every method may be called from any thread and acts before the next control step."""

    def __init__(
        self,
        brain: str | Path = "pace",
        notify: Callable[[str], None] = lambda text: None,
        database: str | Path | None = None,
    ):
        super().__init__(notify)
        give_back()
        self.database = database
        self.gravity, self.restarts = 9.81, True
        self._ghostly = False
        self.ghost: StageActor | None = None
        self.guest: Guest | None = None
        self.pad = np.zeros(COLUMNS)
        """The gamepad (6,) in somebody's hands, its sticks as directions of the world."""
        self._untouched = math.inf
        """Seconds on the stage since it was last moved."""
        self.user: ArtificialUser | None = None
        """What steers instead of that."""
        self.feels = True
        """Whether a leader asks a tired body for less."""
        self._cast_anew(read_skill(brain, database), [None])

    # --- the cast

    def _cast_anew(self, skill: LoadedSkill, fitness: Sequence[Fitness | None]) -> None:
        """New actors of one skill, from the same start, with an empty tape."""
        cast = [StageActor(skill, row, seed=0) for row in fitness]
        with self.lock:
            self.skill, self.cast, self.seed = skill, cast, 0
            self._begin()
            if self.guest and self.guest.clip.body.name != self.body.name:
                self.guest = None
            self.show_ghost(self._ghostly)
            self.set_gravity(self.gravity)
            self.feel(self.feels)

    def _begin(self) -> None:
        """The clock at 0, and no marks."""
        self.frame, self._untouched, self.replaying = 0, math.inf, False
        self.cursor = self.mark_in = self.mark_out = None
        self.measure_anew()

    def load(self, brain: str | Path) -> None:
        """Another brain instead of the present one; a bad one raises and changes nothing.

        One that follows motions follows the clip that is open, or else a walk.
        """
        self._cast_anew(self._read(brain, self.guest), [None] * len(self.cast))

    def _read(self, brain: str | Path, guest: Guest | None) -> LoadedSkill:
        return read_skill(brain, self.database, None if guest is None else guest.clip)

    def _follow(self, guest: Guest | None) -> None:
        """Another clip, or none: those on stage that follow motions follow it from now on, fresh."""
        if self.skill.motion is None:
            self.guest = guest
            return
        skill = self._read(self.skill.folder.path, guest)
        with self.lock:
            self.guest = guest
            self._cast_anew(skill, [actor.fitness for actor in self.cast])

    def tire(self) -> None:
        """Let a body follow the clip that is open and tire: the brain on stage, if it can, or else `actor`."""
        if self.guest is None:
            raise InputError("no clip to tire: open one first")
        if self.skill.motion is not None:
            self._follow(self.guest)
        else:
            self.load(ACTOR)

    def compare(self, fitness: Sequence[Fitness]) -> None:
        """Bodies side by side, one for each fitness, from the same start."""
        if not 1 <= len(fitness) <= MOST:
            raise InputError(f"compare: {len(fitness)} bodies; there is room for 1 to {MOST}")
        phase, heading = self.cast[0].phase, self.cast[0].heading
        self._cast_anew(self.skill, fitness)
        for actor in self.actors:
            actor.phase, actor.heading = phase, heading

    def show_ghost(self, on: bool) -> None:
        """A second self of the first actor, where it is now, that does not tire."""
        with self.lock:
            self._ghostly, self.ghost = on, None
            if not on:
                return
            first = self.cast[0]
            ghost = StageActor(self.skill, first.fitness, self.seed, begin=self.frame)
            ghost.take_after(first)
            ghost.set_fitness(first.fitness, tires=False)  # after that, or its leader would go on as slowly
            ghost.player.world.gravity[:, 2] = -self.gravity
            self.ghost = ghost

    def invite(self, name: str, content: bytes) -> Guest:
        """Show the contents of a motion file beside the simulation; an unreadable one raises and changes nothing."""
        guest = invite(name, content, self.body, 1.0 / self.dt)
        self._follow(guest)
        return guest

    def dismiss(self) -> None:
        """Take the clip away."""
        self._follow(None)

    @property
    def actors(self) -> list[StageActor]:
        """Every actor that is simulated."""
        return self.cast + ([self.ghost] if self.ghost else [])

    @property
    def body(self) -> Body:
        """The body they all have."""
        return self.cast[0].body

    @property
    def dt(self) -> float:
        """Seconds of a control step."""
        return self.cast[0].player.dt

    @property
    def oldest(self) -> int:
        """The oldest frame on tape."""
        return self.cast[0].tape.first

    # --- what is done to them

    def set_fitness(self, index: int, fitness: Fitness, tires: bool = True) -> None:
        """Change how actor number `index` tires, now."""
        with self.lock:
            self.cast[index].set_fitness(fitness, tires)

    def exhaust(self, index: int, region: str, spent: float) -> None:
        """Take strength from a region of an actor's body (0 gives it back)."""
        if not 0.0 <= spent <= 1.0:
            raise InputError(f"exhaust: {spent:g} of a strength; give a number from 0 to 1")
        joints = regions(self.body).get(region)
        if joints is None:
            there = ", ".join(self.body.regions)
            raise InputError(f"exhaust: no region '{region}'; there are {there} and others of the list")
        with self.lock:
            self.cast[index].player.exhaust(joints, spent)

    def push(self, newtons: float, degrees: float, seconds: float, body: str = "pelvis") -> None:
        """Push everyone alike, each as it faces."""
        with self.lock:
            for actor in self.actors:
                actor.push(newtons, degrees, seconds, body)

    def set_gravity(self, gravity: float) -> None:
        """Change the fall's acceleration, m/s² downwards."""
        if not (math.isfinite(gravity) and 0 <= gravity <= 30):
            raise InputError(f"gravity: {gravity:g} m/s²; give a number from 0 to 30")
        with self.lock:
            self.gravity = gravity
            for actor in self.actors:
                actor.player.world.gravity[:, 2] = -gravity

    def set_heading(self, radians: float) -> None:
        """The direction to go in at a set speed."""
        with self.lock:
            for actor in self.actors:
                actor.heading = radians

    def hand_over(self, artificial: bool) -> None:
        """Let the artificial user steer, or whoever holds the gamepad."""
        crouches = self.skill.database is not None and "crouch" in self.skill.database.tags_present
        with self.lock:
            self.user = ArtificialUser(1, self.seed, self.dt, crouch=crouches) if artificial else None

    def feel(self, on: bool) -> None:
        """Whether leaders ask tired bodies for less."""
        with self.lock:
            self.feels = on
            for actor in self.actors:
                if actor.steered is not None:
                    actor.steered.kinematic.pace_by(FEELS if on else "tireless")

    def ask(self, phase: float | None) -> None:
        """The one-number command or the speed to go at, straight on; None for the brain's own programme."""
        with self.lock:
            first = self.cast[0]
            way = first.facing if self.skill.goes and first.heading is None else first.heading
            for actor in self.actors:
                actor.phase = phase
                if self.skill.goes:
                    actor.heading = None if phase is None else way

    @property
    def by_hand(self) -> bool:
        """Whether somebody has moved a key or a stick in the last seconds."""
        return self._untouched < HANDS_OFF

    def reset(self) -> None:
        """Everyone fresh again, from the same new start, with an empty tape; the clock begins at 0."""
        with self.lock:
            self.start_again()
            for actor in self.actors:
                actor.tape.clear()
            self._begin()

    def start_again(self) -> None:
        """Everyone fresh again, from the same new start; the tape and the clock go on."""
        with self.lock:
            self.seed += 1
            for actor in self.actors:
                actor.restart(self.seed)

    # --- time

    def single_step(self) -> None:
        """One control step, then pause."""
        with self.lock:
            self.pause(False)
            self.advance()
            self.pause()

    def advance(self, steps: int = 1) -> None:
        """Simulate so many control steps now."""
        with self.lock:
            for _ in range(steps):
                second = self.frame * self.dt
                pad = self.pad if self.user is None else self.user.step()[0]
                self._untouched = 0.0 if pad.any() else self._untouched + self.dt
                for actor in self.actors:
                    actor.pad, actor.by_hand = pad, self.by_hand
                    if actor.tracked is not None:
                        actor.tracked.back = self.restarts
                    if not actor.step(second):
                        actor.restart(self.seed)
                        self.notify("The simulation blew up and was started again.")
                self.frame += 1
                if self.restarts:
                    self._help_up()

    def _help_up(self) -> None:
        """One that is steered stands up a moment after a fall; others start again once all lie on the ground.

        Those that follow a motion are led back to it, as tired as they are, by their driver.
        """
        if self.skill.motion is not None:
            return
        if not self.skill.led:
            if all(actor.down > LYING for actor in self.cast):
                self.start_again()
            return
        for actor in self.actors:
            if actor.down > FALLEN:
                actor.rise()
