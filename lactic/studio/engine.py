"""The simulation behind the page: characters side by side, in a thread at real time, idle when unwatched."""

import math
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence, Set
from pathlib import Path

import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.steer.gamepad import COLUMNS, ArtificialUser, tidy
from lactic.studio.character import FEELS, Character, Skill, read_skill
from lactic.studio.guest import Guest, invite

MOST = 3
"""Characters side by side."""
SLOWEST, FASTEST = 0.25, 4.0
LYING = 3.0
"""Seconds on the ground after which all start again, if they may."""
FALLEN = 0.8
"""Seconds after a fall at which a character that is steered stands up again, if it may."""
HANDS_OFF = 4.0
"""Seconds without a key or a stick after which one that goes where it is asked follows its programme again."""
BEHIND = 0.25
"""Seconds behind the wall clock that are given up instead of being raced after."""


class Engine:
    """What happens on the stage. Every method may be called from any thread and acts before the next control step."""

    def __init__(
        self,
        brain: str | Path = "pace",
        notify: Callable[[str], None] = lambda text: None,
        database: str | Path | None = None,
    ):
        self.notify, self.database = notify, database
        self.lock = threading.RLock()
        self._wake = threading.Condition(self.lock)
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._viewers: set[object] = set()
        self.paused, self.speed, self.gravity, self.restarts = False, 1.0, 9.81, True
        self.cursor: int | None = None
        """The frame on show; None is the newest."""
        self.replaying = False
        self.mark_in: int | None = None
        self.mark_out: int | None = None
        self._ghostly = False
        self.ghost: Character | None = None
        self.guest: Guest | None = None
        self._marks: deque[tuple[float, float]] = deque(maxlen=120)
        self.effort = 0.0
        """Share of real time that simulating takes, smoothed."""
        self.pad = np.zeros(COLUMNS)
        """The gamepad in somebody's hands."""
        self._untouched = math.inf
        """Seconds on the stage since it was last moved."""
        self.user: ArtificialUser | None = None
        """Who steers instead of that."""
        self.feels = True
        """Whether a character that is steered asks for less when tired."""
        self._take(read_skill(brain, database), [None])

    # --- the cast

    def _take(self, skill: Skill, fitness: Sequence[Fitness | None]) -> None:
        """New characters of one skill, from the same start, with an empty tape."""
        cast = [Character(skill, row, seed=0) for row in fitness]
        with self.lock:
            self.skill, self.cast, self.seed, self.frame = skill, cast, 0, 0
            self.cursor = self.mark_in = self.mark_out = None
            self.replaying = False
            if self.guest and self.guest.clip.body.name != self.body.name:
                self.guest = None
            self.show_ghost(self._ghostly)
            self.set_gravity(self.gravity)
            self.feel(self.feels)
            self._wake.notify_all()

    def load(self, brain: str | Path) -> None:
        """Another brain instead of the present one; a bad one raises and changes nothing."""
        self._take(read_skill(brain, self.database), [None] * len(self.cast))

    def compare(self, fitness: Sequence[Fitness]) -> None:
        """Bodies side by side, one for each fitness, from the same start."""
        if not 1 <= len(fitness) <= MOST:
            raise InputError(f"compare: {len(fitness)} bodies; there is room for 1 to {MOST}")
        phase, heading = self.cast[0].phase, self.cast[0].heading
        self._take(self.skill, fitness)
        for actor in self.actors:
            actor.phase, actor.heading = phase, heading

    def show_ghost(self, on: bool) -> None:
        """A second self of the first character, where it is now, that does not tire."""
        with self.lock:
            self._ghostly, self.ghost = on, None
            if not on:
                return
            first = self.cast[0]
            ghost = Character(self.skill, first.fitness, self.seed, begin=self.frame)
            ghost.set_fitness(first.fitness, tires=False)
            ghost.take_after(first)
            ghost.player.world.gravity[:, 2] = -self.gravity
            self.ghost = ghost

    def invite(self, name: str, content: bytes) -> Guest:
        """Show the contents of a motion file beside the simulation; an unreadable one raises and changes nothing."""
        guest = invite(name, content, self.body, 1.0 / self.dt)
        with self.lock:
            self.guest = guest
        return guest

    def dismiss(self) -> None:
        """Take the clip off the stage."""
        self.guest = None

    @property
    def actors(self) -> list[Character]:
        """Every character that is simulated."""
        return self.cast + ([self.ghost] if self.ghost else [])

    @property
    def body(self) -> Body:
        """The body they all have."""
        return self.cast[0].body

    @property
    def dt(self) -> float:
        """Seconds of a control step."""
        return self.cast[0].player.dt

    # --- what is done to them

    def set_fitness(self, who: int, fitness: Fitness, tires: bool = True) -> None:
        """Change how character number `who` tires, now."""
        with self.lock:
            self.cast[who].set_fitness(fitness, tires)

    def exhaust(self, who: int, region: str, spent: float) -> None:
        """Take strength from a region of a character's body (0 gives it back)."""
        if not 0.0 <= spent <= 1.0:
            raise InputError(f"exhaust: {spent:g} of a strength; give a number from 0 to 1")
        joints = regions(self.body).get(region)
        if joints is None:
            raise InputError(f"exhaust: no region '{region}'; there are {', '.join(regions(self.body))}")
        with self.lock:
            self.cast[who].player.exhaust(joints, spent)

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

    def steer(self, radians: float) -> None:
        """The direction steerable characters are to face."""
        with self.lock:
            for actor in self.actors:
                actor.heading = radians

    def hold(self, pad: np.ndarray) -> None:
        """Hold the gamepad (6,) so, as directions of the world, until it is held otherwise."""
        self.pad = tidy(pad)

    def hand_over(self, artificial: bool) -> None:
        """Let the artificial user steer, or whoever holds the gamepad."""
        with self.lock:
            self.user = ArtificialUser(1, self.seed, self.dt, crouch=self.crouches) if artificial else None

    @property
    def crouches(self) -> bool:
        """Whether a character that is steered can crouch."""
        return self.skill.database is not None and "crouch" in self.skill.database.tags_present

    def feel(self, on: bool) -> None:
        """Whether a character that is steered asks for less when tired."""
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
            self.frame, self._untouched = 0, math.inf
            self.cursor = self.mark_in = self.mark_out = None
            self.replaying = False
            self._marks.clear()

    def start_again(self) -> None:
        """Everyone fresh again, from the same new start; the tape and the clock go on."""
        with self.lock:
            self.seed += 1
            for actor in self.actors:
                actor.restart(self.seed)

    # --- time

    def set_speed(self, speed: float) -> None:
        """How many times faster than the wall clock."""
        if not (math.isfinite(speed) and SLOWEST <= speed <= FASTEST):
            raise InputError(f"speed: {speed:g}; give a number from {SLOWEST:g} to {FASTEST:g}")
        with self.lock:
            self.speed = speed
            self._marks.clear()
            self._wake.notify_all()

    def pause(self, paused: bool = True) -> None:
        """Stop or go on; going on shows the newest frame again."""
        with self.lock:
            self.paused = paused
            self._marks.clear()
            if not paused:
                self.cursor, self.replaying = None, False
            self._wake.notify_all()

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
                    if not actor.step(second):
                        actor.restart(self.seed)
                        self.notify("The simulation blew up and was started again.")
                self.frame += 1
                if self.restarts:
                    self._help_up()

    def _help_up(self) -> None:
        """One that is steered stands up a moment after a fall; others start again once all lie on the ground."""
        if not self.skill.led:
            if all(actor.down > LYING for actor in self.cast):
                self.start_again()
            return
        for actor in self.actors:
            if actor.down > FALLEN:
                actor.rise()

    # --- the last minute

    @property
    def oldest(self) -> int:
        """The first frame still on tape."""
        return self.cast[0].tape.first

    @property
    def shown(self) -> int:
        """The frame on show."""
        with self.lock:
            newest = max(self.frame - 1, 0)
            return newest if self.cursor is None else min(max(self.cursor, self.oldest), newest)

    def scrub(self, frame: int) -> None:
        """Pause and show a frame of the last minute."""
        with self.lock:
            self.paused, self.replaying, self.cursor = True, False, frame
            self.cursor = self.shown

    def span(self) -> tuple[int, int]:
        """The frames from the mark in to the mark out; all that are on tape without marks."""
        with self.lock:
            newest = max(self.frame - 1, 0)
            first = self.oldest if self.mark_in is None else min(max(self.mark_in, self.oldest), newest)
            last = newest if self.mark_out is None else min(max(self.mark_out, self.oldest), newest)
            return min(first, last), max(first, last)

    def replay(self) -> None:
        """Pause and show the marked span over and over."""
        with self.lock:
            self.paused, self.replaying, self.cursor = True, True, self.span()[0]
            self._wake.notify_all()

    # --- the thread

    def watch(self, viewer: object) -> None:
        """Somebody looks: run."""
        with self.lock:
            self._viewers.add(viewer)
            self._marks.clear()
            self._wake.notify_all()

    def leave(self, viewer: object) -> None:
        """Somebody has gone; when nobody is left, idle."""
        with self.lock:
            self._viewers.discard(viewer)

    def attend(self, viewers: Set[object]) -> None:
        """These look, and nobody else."""
        with self.lock:
            for viewer in viewers - self._viewers:
                self.watch(viewer)
            self._viewers = set(viewers)

    @property
    def viewers(self) -> int:
        """How many look."""
        return len(self._viewers)

    @property
    def running(self) -> bool:
        """Whether the thread has anything to do."""
        return bool(self._viewers) and (self.replaying or not self.paused)

    @property
    def pace(self) -> float | None:
        """Simulated seconds for each second of the wall clock, over the last two; None when that cannot be said yet."""
        with self.lock:
            marks = [mark for mark in self._marks if mark[0] > time.perf_counter() - 2.0]
        if len(marks) < 8 or self.paused:
            return None
        return (marks[-1][1] - marks[0][1]) / (marks[-1][0] - marks[0][0])

    def start(self) -> None:
        """Start the thread."""
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="lactic-engine", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self.lock:
            self._stopped = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(5)

    def _run(self) -> None:
        due = time.perf_counter()
        while True:
            with self.lock:
                if not self.running and not self._stopped:
                    self._wake.wait()
                    due = time.perf_counter()
                if self._stopped:
                    return
                if not self.running:
                    continue
                ahead = due - time.perf_counter()
                if ahead > 0:
                    self._wake.wait(ahead)
                    continue
                self._tick()
                due = max(due + self.dt / self.speed, time.perf_counter() - BEHIND)

    def _tick(self) -> None:
        """One frame of the simulation, or of the replay."""
        began = time.perf_counter()
        if self.replaying:
            first, last = self.span()
            at = self.shown + 1
            self.cursor = at if first <= at <= last else first
            return
        try:
            self.advance()
        except Exception:  # the page must stay up whatever a brain does
            traceback.print_exc()
            self.paused = True
            self.notify("The character could not go on; the studio is paused. Choose a skill or reset.")
        ended = time.perf_counter()
        self._marks.append((ended, self.frame * self.dt))
        self.effort += 0.05 * ((ended - began) / self.dt - self.effort)


def regions(body: Body) -> dict[str, tuple[str, ...]]:
    """The body's regions, pairs of limbs together, and all of it."""
    found = {"whole body": body.joints, **body.regions}
    for pair in ("legs", "arms"):
        parts = [body.regions.get(f"{side} {pair[:-1]}", ()) for side in ("left", "right")]
        if all(parts):
            found[pair] = parts[0] + parts[1]
    return found
