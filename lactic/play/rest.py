"""Who is tired and stands is held by its springs alone.

A policy that balances never carries nothing: its ankles ask for two percent of their strength, and for ever a body at
(1, 0.01, 1) can hold one. So behind a kinematic character that stands quietly, a simulated one that has come to rest is
led to where its joints carry least (`motion.stance`), and its policy's offsets fade out. A blow wakes it.
"""

import numpy as np

from lactic import rotation
from lactic.play.player import Player
from lactic.steer.stance import Stances

CALM, STEADY, SETTLED = 0.2, 2.0, 0.3
"""m/s of the root and rad/s of any joint below which a character is calm, and the seconds of that before it rests."""
STARTLED, SUNK = 0.5, 0.8
"""m/s above which it wakes, and the share of its height below which it is about to fall."""
LIFTED, TILTED, MISSED = 0.02, 0.1, 0.01
"""How far its feet may be off the floor, in metres and by the sine of their tilt, and from where it would stand."""
HEAVY = 0.015
"""Of a joint's strength: who would have to carry more moves its feet first."""
SHUFFLE, PATIENCE = 0.8, 2
"""Seconds of such steps, and how often they are tried before it rests as it stands: they cost strength."""
FADE = 1.0
"""Seconds over which it comes to rest."""
EVERY = 0.2
"""Seconds between corrections."""
WEAKEST = 0.02
"""Of its strength, that a joint counts as having at least."""
UNLOAD, SHIFT, FARTHEST = 0.5, 2.0, 0.02
"""Seconds in which joints let go of what they need not carry, and in which they turn to where the body should stand, as
if by so many radians at most."""


class Rest:
    """The characters of a player that rest, and the targets that hold them."""

    def __init__(self, player: Player):
        count, joints = player.world.count, len(player.info.joints)
        self.player, self.stances = player, Stances(player.body)
        self.rate, self._stiffness = player.info.control_rate, player.scale * np.array(player.info.stiffness)
        self.share = np.zeros(count)
        """How far each has come to rest, 0 to 1."""
        self.goal = np.zeros((count, joints))
        """Joint targets of those that have."""
        self.shuffling = np.zeros(count)
        """Seconds for which each still moves its feet."""
        self.tries = np.zeros(count, int)
        self.calm, self.steps = np.zeros(count), 0
        self.carried = np.zeros((count, joints))
        self._low = SUNK * player.body.rest[2]

    @property
    def weight(self) -> np.ndarray:
        """The same, starting and ending gently, (character, 1)."""
        return (self.share * self.share * (3 - 2 * self.share))[:, None]

    def step(self, quiet: np.ndarray, asked: np.ndarray) -> None:
        """Go on by a decision; whose kinematic character stands `quiet`ly, and who is `asked` to go."""
        world, self.steps = self.player.world, self.steps + 1
        self.shuffling -= np.minimum(self.shuffling, 1 / self.rate)
        self.wake(~quiet & asked)
        if not quiet.any():
            self._unsettle(~quiet)
            return
        speed = np.linalg.norm(world.qvel[:, :3], axis=1)
        swift = np.abs(world.qvel[:, 6 : 6 + self.goal.shape[1]]).max(axis=1)
        self._unsettle(~quiet | (speed > STARTLED) | (world.qpos[:, 2] < self._low))
        calm = quiet & (speed < CALM) & (swift < STEADY)
        self.calm[:] = np.where(calm, self.calm + 1 / self.rate, 0.0)
        self.carried += 0.2 * (world.force[:, : self.goal.shape[1]] - self.carried)
        for i in np.flatnonzero((self.share == 0) & (self.calm >= SETTLED)).tolist():
            self._begin(i)
        due = (self.steps + np.arange(len(quiet))) % round(EVERY * self.rate) == 0
        for i in np.flatnonzero((self.share >= 1) & due).tolist():
            self._correct(i)
        resting = self.share > 0
        self.share[resting] = np.minimum(self.share[resting] + 1 / (FADE * self.rate), 1.0)

    def wake(self, who: np.ndarray) -> None:
        """Let the policy balance those characters again, as if they had never rested."""
        self._unsettle(who)
        self.goal[who], self.carried[who], self.shuffling[who], self.tries[who] = 0.0, 0.0, 0.0, 0

    def _unsettle(self, who: np.ndarray) -> None:
        """Let the policy balance those characters; steps of their own to stand better are gone on with."""
        self.share[who], self.calm[who] = 0.0, 0.0

    def take_after(self, other: "Rest") -> None:
        """Rest as others do that are in the same state."""
        for name in ("share", "goal", "shuffling", "tries", "calm", "carried"):
            getattr(self, name)[:] = getattr(other, name)
        self.steps = other.steps

    def put_upright(self, who: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Write the state of those characters as they would best stand, looking where they do, and let them rest."""
        wide, ideal = 7 + self.goal.shape[1], self.stances.ideal
        for i in np.flatnonzero(who):
            turn = rotation.about("z", rotation.heading(qpos[i, 3:7]))
            qpos[i, 2:wide], qvel[i, : wide - 1] = ideal[2:], 0.0
            qpos[i, 3:7] = turn
            self.share[i], self.goal[i], self.carried[i] = 1.0, ideal[7:], 0.0

    def _pose(self, i: int) -> np.ndarray:
        return np.array(self.player.world.qpos[i, : 7 + self.goal.shape[1]])

    def _strength(self, i: int) -> np.ndarray:
        """What each joint can still give: who is spent shall carry least."""
        left = 1.0 - self.player.fatigue[i, :, 2]
        return np.maximum(left, WEAKEST) * self.player.body.torque_limit

    def _begin(self, i: int) -> None:
        """Find where a character is to stand, if its feet lie on the floor; else it has to calm down again."""
        self.calm[i] = 0.0
        lifted, tilted = self.stances.off_the_floor(self._pose(i))
        if lifted > LIFTED or tilted > TILTED:
            return
        pose, missed = self.stances.upright(self._pose(i))
        if missed > MISSED:
            return
        torque = self.stances.least(pose, self._strength(i))
        if np.abs(torque / self.player.body.torque_limit).max() > HEAVY and self.tries[i] < PATIENCE:
            self.shuffling[i], self.tries[i] = SHUFFLE, self.tries[i] + 1
            return
        self.goal[i], self.tries[i] = pose[7:] + torque / self._stiffness, 0
        self.share[i], self.carried[i] = 1e-6, self.player.world.force[i, : self.goal.shape[1]]

    def _correct(self, i: int) -> None:
        """Let go of what is not needed, since feet that slide a little leave springs stretched against each other; and
        move to where standing on these feet costs least."""
        own = self._pose(i)
        spare = self.stances.least(own, self._strength(i)) - self.carried[i]
        self.goal[i] += EVERY / UNLOAD * spare / self._stiffness
        pose, missed = self.stances.upright(own, tries=4)
        if missed < MISSED:
            self.goal[i] += EVERY / SHIFT * (pose - own)[7:].clip(-FARTHEST, FARTHEST)
