"""The kinematic character: motion matching steered by a gamepad, for one character or many."""

from collections import deque
from collections.abc import Callable

import numpy as np

from lactic.compiling import bound
from lactic.errors import InputError
from lactic.steer.gamepad import COLUMNS, LEFT
from lactic.steer.holding import BEGUN, CLIP, KEPT, LOCKED, SHOWN
from lactic.steer.limb import limbs_of
from lactic.steer.matching import TAGS, Database, search
from lactic.steer.matching.features import COUNT, GROUPS, SLICES, steps_ahead
from lactic.steer.matching.search import searcher
from lactic.steer.playback import play, step_all, switch
from lactic.steer.state import Frames, blank
from lactic.steer.steering import SPEED, SPRINGS, WALK, Steering, ask, pacing_named
from lactic.steer.tree import LeaderPose, tree_of

NEAR = 3
"""Frames within which a match is what plays already: then no transition is made."""
AGAIN = 0.9
"""Seconds for which what has just been played is not matched again, or a character would stutter through one step."""
STOPS, SETS_OUT = 0.1, 0.25
"""Share of its speed below which a leader stops, and above which it sets out again while the stick is held;
once that has been let go and is pushed anew, it gives whatever there is."""


def _frames(database: Database) -> Frames:
    """What can be played."""
    starts = np.asarray(database.clip_start, dtype=np.int64)
    qpos, qvel = (np.ascontiguousarray(table, dtype=float) for table in (database.qpos, database.qvel))
    contacts = np.ascontiguousarray(database.contacts, dtype=bool)
    return Frames(qpos, qvel, contacts, np.repeat(starts[1:] - 1, np.diff(starts)))


class KinematicCharacters:
    """Characters that play one database, each as its gamepad asks; a step is one frame of the database."""

    def __init__(
        self, database: Database, count: int = 1, steering: Steering | None = None, pacing: str = "tireless"
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
        self.pace_by(pacing)
        self.frames = _frames(database)
        self.resting = np.zeros(count, dtype=bool)
        """Which have too little strength to go on."""
        self._due = np.zeros(count, dtype=bool)
        self.came_to = [0] * count
        self.played: list[deque[tuple[int, int, int]]] = [deque(maxlen=6) for _ in range(count)]
        self.steps = 0
        self.transitions = np.zeros(count, dtype=np.int64)
        """How often each has changed to another part of the database."""
        self.searches = np.zeros(count, dtype=np.int64)
        self.state = blank(count, self.body.model.nq, len(self.tree.parents), len(self.limbs.tip), SPRINGS.size, COUNT)
        self.state.pacing[:] = 1.0
        self._searchers: dict[int, Callable[[np.ndarray, int], int]] = {}
        self._pads = np.zeros((count, COLUMNS))
        self._parts = self.steering, self.tree, self.limbs, self.frames, self.state
        self._step_all = bound(step_all, *self._parts, self._pads, self._due, self.dt)
        self._play = bound(play, *self._parts, 0, self.dt)
        self._switch = bound(switch, self.frames, self.state, 0, 0)
        self.place(np.zeros((count, 2)), np.zeros(count))

    def pace_by(self, rule: str) -> None:
        """Choose the rule (`steering.PACINGS`) by which bodies that tire ask for less, from the next step on."""
        self._pacing = pacing_named(rule)

    def take_after(self, other: "KinematicCharacters") -> None:
        """Be where another crowd of the same database and size is, and go on as it would."""
        for own, its in zip(self.state, other.state, strict=True):
            own[:] = its
        self.resting[:] = other.resting
        self.came_to, self.played = list(other.came_to), [deque(row, row.maxlen) for row in other.played]
        self.steps = other.steps

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
            self.came_to[i] = frame
            self.played[i].clear()
            s.clock[i], s.drift[i], s.slide[i] = 1e3, 0.0, 0.0  # nothing to blend from
            s.hold[i], s.hold_clock[i], s.hold_points[i], s.bent[i] = 0, 1e3, 0.0, 0.0
            s.springs[i], s.goal[i] = 0.0, (0, 0, headings[i])
            for name in ("heading", "way", "facing"):
                s.springs[i, SPRINGS[name]] = headings[i]
            s.since[i], s.style[i], self.resting[i] = self.steering.every, WALK, False
            self._play(*self._parts, i, 0.0)

    def carry(self, ways: np.ndarray) -> None:
        """Carry the characters over the floor by ways (character, 2); all else about them stays."""
        s = self.state
        for table in (s.shift, s.source, s.blended, s.qpos):
            table[:, :2] += ways
        for table in (s.at, s.feet):
            table[..., :2] += ways[:, None]
        s.hold_points[:, :, (KEPT, SHOWN, CLIP), :2] += ways[:, None, None]
        s.hold_points[:, :, BEGUN, :2] += (s.hold == LOCKED)[..., None] * ways[:, None]  # else it is a difference

    def step(self, pads: np.ndarray, capacity: np.ndarray | float | None = None) -> LeaderPose:
        """The next frame under gamepads (character, 6), for legs of residual capacity (character,) if they tire."""
        if np.shape(pads) != self._pads.shape:
            raise InputError(f"gamepads of shape {np.shape(pads)}: must be {self._pads.shape}")
        self._pads[:] = pads
        if capacity is not None:
            pacing = self._pacing(np.broadcast_to(capacity, self.count))
            pushed = np.hypot(*self._pads[:, LEFT].T) > self.steering.deadzone
            self.resting[:] = pacing[:, SPEED] < np.where(self.resting & pushed, SETS_OUT, STOPS)
            pacing[self.resting, SPEED] = 0.0
            self.state.pacing[:] = pacing
        self.steps += 1
        if self._step_all(*self._parts, self._pads, self._due, self.dt):
            for i in np.flatnonzero(self._due).tolist():
                self._search(i)
                self._play(*self._parts, i, self.dt)
        return self.pose

    @property
    def pose(self) -> LeaderPose:
        """What is shown now."""
        s = self.state
        return LeaderPose(s.qpos, s.qvel, s.at, s.turned, s.speed, s.spin)

    def asked(self) -> np.ndarray:
        """Where each is asked now to be after 0.33, 0.66 and 1.0 s, (character, 3, 2) in the world."""
        s, ways = self.state, np.zeros((self.count, COUNT))
        for i in range(self.count):
            ask(self.steering, 0.0, s.pacing[i], s.springs[i], s.goal[i], ways[i])
        return ways[:, SLICES["trajectory"]].reshape(self.count, *GROUPS["trajectory"]) + s.blended[:, None, :2]

    def matched(self) -> np.ndarray:
        """Where the clip that plays will take each in 0.33, 0.66 and 1.0 s, (character, 3, 2) in the world."""
        s, now = self.state, self.state.frame
        ahead = np.minimum(now[:, None] + np.array(steps_ahead(self.database.fps)), self.frames.last[now][:, None])
        cosine, sine = np.cos(s.turn)[:, None], np.sin(s.turn)[:, None]
        x, y = np.moveaxis(self.frames.qpos[ahead, :2], -1, 0)
        return np.stack([cosine * x - sine * y, sine * x + cosine * y], -1) + s.shift[:, None]

    def _tag(self, i: int) -> int:
        """The style asked for, or walking where the database has no such frames."""
        style = int(self.state.style[i])
        return WALK if TAGS[style] in self.missing else style

    def _search(self, i: int) -> None:
        """Find the frame that continues best, and go there unless it plays already."""
        s, tag = self.state, self._tag(i)
        if tag not in self._searchers:
            self._searchers[tag] = searcher(self.database, TAGS[tag])
        now, query, database = int(s.frame[i]), s.query[i], self.database
        self.searches[i] += 1
        found = self._searchers[tag](query, now)
        playable = database.searchable[now] and database.tags[now, tag]
        if playable and (
            self._just_played(i, found)
            or database.cost(query, now) * (1 - self.steering.stay) <= database.cost(query, found)
        ):
            return
        self._switch(self.frames, s, i, found)
        self.played[i].append((self.came_to[i], now, self.steps))
        self.came_to[i] = found
        self.transitions[i] += 1

    def _just_played(self, i: int, frame: int) -> bool:
        """Whether the character plays that frame, or has played it a moment ago."""
        now, long = int(self.state.frame[i]), round(AGAIN * self.database.fps)
        if max(self.came_to[i], now - long) - NEAR <= frame <= now + NEAR:
            return True
        return any(
            first - NEAR <= frame <= last + NEAR and self.steps - left < long for first, last, left in self.played[i]
        )

    def _still(self) -> int:
        """The frame that stands most quietly."""
        query = np.zeros(COUNT)
        query[SLICES["foot_positions"]] = self.database.mean[SLICES["foot_positions"]]
        query[SLICES["headings"]] = [1, 0] * 3
        return search(self.database, query, TAGS[WALK])
