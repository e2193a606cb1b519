"""The kinematic character: motion matching steered by a gamepad, for one character or many."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lactic.compiling import bound
from lactic.errors import InputError
from lactic.motion.standing import standing
from lactic.steer.compiled import heading
from lactic.steer.gamepad import COLUMNS, Gamepad, tidy
from lactic.steer.limb import limbs_of
from lactic.steer.matching import TAGS, Database, search
from lactic.steer.matching.features import COUNT, GROUPS, SLICES, steps_ahead
from lactic.steer.matching.search import searcher
from lactic.steer.playback import Frames, State, play, step_all, switch
from lactic.steer.steering import WALK, Steering, ask, ease_named
from lactic.steer.tree import tree_of

NEAR = 3
"""Frames within which a match is what plays already: then no transition is made."""
AGAIN = 0.9
"""Seconds for which what has just been played is not matched again, or a character would stutter through one step."""
STOPS, SETS_OUT = 0.1, 0.25
"""Share of its speed below which a tired character stops, and above which it sets out again while the stick is held;
once that has been let go and is pushed anew, it gives whatever there is."""
WEARY = 0.5
"""Share below which one that stands does so quietly: captured idling asks a tenth of an ankle's strength."""
STANDS, PATIENCE = 0.15, 1.5
"""m/s below which it stands, and seconds after which it stands quietly even so: who is stopped in mid-stride comes to
stand with its feet apart, which costs who follows a percent of its strength for as long as it rests."""


class Pose(NamedTuple):
    """What a kinematic character shows: MuJoCo's state and the rigid bodies in the world; views, valid for a step."""

    qpos: np.ndarray
    qvel: np.ndarray
    positions: np.ndarray
    rotations: np.ndarray
    velocities: np.ndarray
    """Of the bodies' origins, (…, body, 3)."""
    spins: np.ndarray
    """Angular velocities in the world, (…, body, 3)."""


def _frames(database: Database) -> Frames:
    """What can be played: the database, and after it half a minute of quiet standing, without the sway, which would ask
    an ankle for one percent of its strength: all that a body as tired as that can hold."""
    starts, quiet = np.asarray(database.clip_start), standing(database.body, fps=database.fps, sway=0.0)
    last = np.repeat(starts[1:] - 1, np.diff(starts))
    held = np.ones((quiet.frames, database.contacts.shape[1]), dtype=bool)
    tables = ((database.qpos, quiet.qpos), (database.qvel, quiet.qvel()))
    qpos, qvel = (np.ascontiguousarray(np.concatenate(pair), dtype=float) for pair in tables)
    last = np.append(last, np.full(quiet.frames, len(qpos) - 1)).astype(np.int64)
    return Frames(qpos, qvel, np.concatenate([np.asarray(database.contacts, dtype=bool), held]), last)


class KinematicCharacters:
    """Characters that play one database, each as its gamepad asks; a step is one frame of the database."""

    def __init__(
        self, database: Database, count: int = 1, steering: Steering | None = None, tired: str = "tireless"
    ) -> None:
        if count < 1:
            raise InputError(f"{count} characters: at least 1")
        self.database, self.count, self.dt = database, count, 1 / database.fps
        self.steering = steering or Steering()
        self.body = database.body
        self.tree, self.limbs = tree_of(self.body), limbs_of(self.body)
        self.missing = tuple(tag for tag in TAGS if tag not in database.tags_present)
        """Tags that the database has no frames for; walking is played instead."""
        if TAGS[WALK] in self.missing:
            database.index(TAGS[WALK])  # says so
        self.tire(tired)
        self.frames = _frames(database)
        self._quiet_from = database.frames  # where the frames of quiet standing begin
        self.resting = np.zeros(count, dtype=bool)
        """Which are too tired to go on."""
        self._stopping = np.zeros(count, dtype=np.int64)
        """Steps since each was asked to stand, where bodies tire."""
        self._due = np.zeros(count, dtype=bool)
        self._came_to = [0] * count
        self._played: list[deque[tuple[int, int, int]]] = [deque(maxlen=6) for _ in range(count)]
        self.steps = 0
        self.transitions = np.zeros(count, dtype=np.int64)
        """How often each has changed to another part of the database."""
        self.searches = np.zeros(count, dtype=np.int64)
        self.state = self._standing()
        self._searchers: dict[int, Callable[[np.ndarray, int], int]] = {}
        self._pads = np.zeros((count, COLUMNS))
        self._parts = self.steering, self.tree, self.limbs, self.frames, self.state
        self._step_all = bound(step_all, *self._parts, self._pads, self._due, self.dt)
        self._play = bound(play, *self._parts, 0, self.dt)
        self._switch = bound(switch, self.frames, self.state, 0, 0)
        self.place(np.zeros((count, 2)), np.zeros(count))

    def tire(self, rule: str) -> None:
        """Choose the rule (`steering.EASES`) by which bodies that tire ask for less, from the next step on."""
        self._ease = ease_named(rule)

    def take_after(self, other: "KinematicCharacters") -> None:
        """Be where another crowd of the same database and size is, and go on as it would."""
        for own, its in zip(self.state, other.state, strict=True):
            own[:] = its
        self.resting[:], self._stopping[:] = other.resting, other._stopping
        self._came_to, self._played = list(other._came_to), [deque(row, row.maxlen) for row in other._played]
        self._frame_of_query[:], self.steps = other._frame_of_query, other.steps

    def place(self, positions: np.ndarray, headings: np.ndarray) -> None:
        """Put the characters standing at positions (character, 2), looking along headings (character,)."""
        frame, s = self._still(), self.state
        positions, headings = np.broadcast_to(positions, (self.count, 2)), np.broadcast_to(headings, self.count)
        for i in range(self.count):
            s.blended[i], s.blended_rate[i] = self.frames.qpos[frame], 0.0
            # a pose that looks along +x at the place, so that the switch below finds its alignment
            turn = headings[i] / 2
            s.blended[i, :2], s.blended[i, 3:7] = positions[i], (np.cos(turn), 0, 0, np.sin(turn))
            self._switch(self.frames, s, i, frame)
            self._came_to[i] = frame
            self._played[i].clear()
            s.clock[i], s.drift[i] = 1e3, 0.0  # nothing to blend from
            s.hold[i], s.hold_clock[i], s.hold_points[i], s.bent[i] = 0, 1e3, 0.0, 0.0
            s.springs[i], s.goal[i] = (0, 0, 0, 0, headings[i], 0, headings[i], headings[i]), (0, 0, headings[i])
            s.counts[i], self.resting[i], self._stopping[i] = (self.steering.every, WALK), False, 0
            self._play(*self._parts, i, 0.0)

    def step(self, pads: np.ndarray, capacity: np.ndarray | float | None = None) -> Pose:
        """The next frame under gamepads (character, 6), for legs of residual capacity (character,) if they tire."""
        if np.shape(pads) != self._pads.shape:
            raise InputError(f"gamepads of shape {np.shape(pads)}: must be {self._pads.shape}")
        self._pads[:] = pads
        if capacity is not None:
            ease = self._ease(np.broadcast_to(capacity, self.count))
            pushed = np.hypot(self._pads[:, 0], self._pads[:, 1]) > self.steering.deadzone
            self.resting[:] = ease[:, 0] < np.where(self.resting & pushed, SETS_OUT, STOPS)
            ease[self.resting, 0] = 0.0
            self.state.ease[:] = ease
            self._stopping[:] = np.where(self.state.goal[:, :2].any(axis=1), 0, self._stopping + 1)
        self.steps += 1
        if self._step_all(*self._parts, self._pads, self._due, self.dt):
            for i in np.flatnonzero(self._due).tolist():
                self._search(i)
                self._play(*self._parts, i, self.dt)
        return self.pose

    @property
    def quiet(self) -> np.ndarray:
        """Which stand quietly, being tired."""
        return self.state.frame >= self._quiet_from

    @property
    def pose(self) -> Pose:
        """What is shown now."""
        s = self.state
        return Pose(s.qpos, s.qvel, s.at, s.turned, s.speed, s.spin)

    def predicted(self) -> np.ndarray:
        """Where each was asked at its last search to be after 0.33, 0.66 and 1.0 s, (character, 3, 2) in the world."""
        ahead = self.state.query[:, SLICES["trajectory"]].reshape(self.count, *GROUPS["trajectory"])
        yaw, origin = self._frame_of_query[:, 2], self._frame_of_query[:, :2]
        return _turned(ahead, yaw) + origin[:, None]

    def asked(self) -> np.ndarray:
        """Where each is asked now to be after 0.33, 0.66 and 1.0 s, (character, 3, 2) in the world."""
        s, ways = self.state, np.zeros((self.count, COUNT))
        for i in range(self.count):
            ask(self.steering, 0.0, s.ease[i], s.springs[i], s.goal[i], ways[i])
        return ways[:, SLICES["trajectory"]].reshape(self.count, *GROUPS["trajectory"]) + s.blended[:, None, :2]

    def matched(self) -> np.ndarray:
        """Where the clip that plays will take each in 0.33, 0.66 and 1.0 s, (character, 3, 2) in the world."""
        now = self.state.frame
        ahead = np.minimum(now[:, None] + np.array(steps_ahead(self.database.fps)), self.frames.last[now][:, None])
        return _turned(self.frames.qpos[ahead, :2], self.state.align[:, 0]) + self.state.align[:, None, 1:]

    def _tag(self, i: int) -> int:
        """The style asked for, or walking where the database has no such frames."""
        style = int(self.state.counts[i, 1])
        return WALK if TAGS[style] in self.missing else style

    def _search(self, i: int) -> None:
        """Find the frame that continues best, and go there unless it plays already."""
        s, tag = self.state, self._tag(i)
        if tag not in self._searchers:
            self._searchers[tag] = searcher(self.database, TAGS[tag])
        self._frame_of_query[i] = (*s.blended[i, :2], heading(s.blended[i, 3:7]))
        now, query, database, quiet = int(s.frame[i]), s.query[i], self.database, self._quiet_from
        if self._rests(i):
            if now < quiet or now >= self.frames.last[now] - 1:
                self._switch(self.frames, s, i, quiet)
                self._came_to[i] = quiet
            return
        self.searches[i] += 1
        found = self._searchers[tag](query, min(now, quiet - 1))
        playable = now < quiet and database.searchable[now] and database.tags[now, tag]
        if playable and (
            self._just_played(i, found)
            or database.cost(query, now) * (1 - self.steering.stay) <= database.cost(query, found)
        ):
            return
        self._switch(self.frames, s, i, found)
        self._played[i].append((self._came_to[i], now, self.steps))
        self._came_to[i] = found
        self.transitions[i] += 1

    def _rests(self, i: int) -> bool:
        """Whether the character is to stand quietly: tired, asked to stand, and come to a stop."""
        s = self.state
        if s.ease[i, 0] >= WEARY or s.goal[i, :2].any():
            return False
        stands = np.hypot(s.qvel[i, 0], s.qvel[i, 1]) < STANDS or self._stopping[i] * self.dt > PATIENCE
        return bool(stands or s.frame[i] >= self._quiet_from)

    def _just_played(self, i: int, frame: int) -> bool:
        """Whether the character plays that frame, or has played it a moment ago."""
        now, long = int(self.state.frame[i]), round(AGAIN * self.database.fps)
        if max(self._came_to[i], now - long) - NEAR <= frame <= now + NEAR:
            return True
        return any(
            first - NEAR <= frame <= last + NEAR and self.steps - left < long for first, last, left in self._played[i]
        )

    def _still(self) -> int:
        """The frame that stands most quietly."""
        query = np.zeros(COUNT)
        query[SLICES["foot_positions"]] = self.database.mean[SLICES["foot_positions"]]
        query[SLICES["headings"]] = [1, 0] * 3
        return search(self.database, query, TAGS[WALK])

    def _standing(self) -> State:
        n, bodies, limbs = self.count, len(self.tree.parents), len(self.limbs.tip)
        model = self.body.model
        pose, rate = (lambda: np.zeros((n, model.nq))), (lambda: np.zeros((n, model.nv)))
        self._frame_of_query = np.zeros((n, 3))
        return State(
            frame=np.zeros(n, dtype=np.int64),
            counts=np.zeros((n, 2), dtype=np.int64),
            clock=np.zeros(n),
            align=np.zeros((n, 3)),
            drift=np.zeros(n),
            source=pose(),
            source_rate=rate(),
            gap=np.zeros((n, 6)),
            blended=pose(),
            blended_rate=rate(),
            qpos=pose(),
            qvel=rate(),
            at=np.zeros((n, bodies, 3)),
            turned=np.zeros((n, bodies, 4)),
            speed=np.zeros((n, bodies, 3)),
            spin=np.zeros((n, bodies, 3)),
            feet=np.zeros((n, 4, 3)),
            hold=np.zeros((n, limbs), dtype=np.int64),
            hold_clock=np.zeros((n, limbs)),
            hold_points=np.zeros((n, limbs, 7, 3)),
            bent=np.zeros((n, limbs)),
            springs=np.zeros((n, 8)),
            goal=np.zeros((n, 3)),
            ease=np.ones((n, 2)),
            query=np.zeros((n, COUNT)),
        )


class KinematicCharacter(KinematicCharacters):
    """One character: the same without the axis of characters."""

    def __init__(self, database: Database, steering: Steering | None = None, tired: str = "tireless") -> None:
        super().__init__(database, 1, steering, tired)

    def step(self, pads: Gamepad | np.ndarray, capacity: np.ndarray | float | None = None) -> Pose:
        """The next frame under a gamepad, for legs of that residual capacity if they tire."""
        row = pads.array() if isinstance(pads, Gamepad) else tidy(pads)
        super().step(row.reshape(1, -1), capacity)
        return self.pose

    @property
    def pose(self) -> Pose:
        """What is shown now."""
        return Pose(*(array[0] for array in super().pose))


def _turned(points: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Points (character, k, 2) turned by angles (character,)."""
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    return np.stack([c * points[..., 0] - s * points[..., 1], s * points[..., 0] + c * points[..., 1]], -1)
