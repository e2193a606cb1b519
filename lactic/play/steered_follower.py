"""A brain that follows a kinematic character, played: gamepad to motion matching to state to brain to engine."""

import numpy as np

from lactic import rotation
from lactic.brain.file import FollowerInfo
from lactic.compiling import bound
from lactic.errors import InputError
from lactic.play.driver import Driver
from lactic.play.player import Player
from lactic.play.rest import Rest
from lactic.steer.following import STATES, command_layout, hold_action, pack_command, read_offsets, weights_of
from lactic.steer.gamepad import LEFT, Pad
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.legs import legs_capacity
from lactic.steer.matching import Database
from lactic.steer.steering import Steering
from lactic.steer.tree import tree_of

LOST = 1.3 / 1.4
"""Metres between the heads at which r_fall is zero: then a character has fallen (Sec. 5.3.3)."""
SPARED = 0.6
"""Residual capacity that one that moves its feet, to rest better, is taken to have: a step or two at 0.5 m/s."""


class SteeredFollower(Driver):
    """Characters of a player, each behind its kinematic character; where they stand on the floor is their own affair.

    `pacing` names the rule by which a body that tires asks for less (`steer.steering.PACINGS`).
    """

    def __init__(
        self, player: Player, database: Database, pad: Pad, pacing: str = "tireless", steering: Steering | None = None
    ):
        about = player.info.following
        if about is None:
            raise InputError(f"{player.brain.path}: does not follow a leader, so it takes no database")
        if database.body.joints != player.info.joints:
            raise InputError(f"a database of '{database.body_name}', and the brain is for '{player.info.body}'")
        self.player, self.pad, self.count = player, pad, player.world.count
        self.updates = round(database.fps / player.info.control_rate)
        whole = abs(self.updates * player.info.control_rate - database.fps) < 1e-6
        if not whole or self.updates < 1 or player.info.substeps % self.updates:
            raise InputError(
                f"a database at {database.fps:g} Hz: the brain needs one at a multiple of "
                f"{player.info.control_rate:g} Hz; build it again at another rate"
            )
        self.substeps = player.info.substeps // self.updates
        self.kinematic = KinematicCharacters(database, self.count, steering, pacing)
        self.places = [player.info.joints.index(name) for name in about.joints]
        self.lead = about.lead * np.array(player.info.damping) / np.array(player.info.stiffness)
        joints = len(player.info.joints)
        self.rest = Rest(player) if about.rests else None
        layout = command_layout(joints, len(self.places), about.state, about.rests)
        if player.info.command != layout.size:
            raise InputError(f"{player.brain.path}: its command has {player.info.command} numbers, not what it says")
        self.command = player.command
        self._told = {name: self.command[:, part] for name, part in layout.items()}
        self.offsets, self._before = np.zeros((self.count, joints)), np.zeros((self.count, joints))
        self._bind(about)
        self.frame, self.asked = 0, np.zeros(self.count, bool)
        """Frames so far, and who is asked to go."""
        self.reset(np.ones(self.count, bool))

    def _bind(self, about: FollowerInfo) -> None:
        """Tie the compiled steps to what they work on, all of which is rewritten in place."""
        player, pose, told = self.player, self.kinematic.pose, self._told
        own = player.world.qpos[:, : pose.qpos.shape[1]], player.world.qvel[:, : pose.qvel.shape[1]]
        targets, places = player.outputs["targets"], np.array(self.places, dtype=np.int64)
        self._roots = own[0][:, :7]
        self._packed = (
            tree_of(player.body),
            weights_of(player.body),
            list(STATES).index(about.state),
            places,
            self.lead,
            *own,
            pose,
            self.kinematic.state.goal,
            self.offsets,
            told["targets"],
            told["offsets"],
            told["state"],
        )
        self._read = told["targets"], targets, self.offsets, self._before
        weight = about.weight(self.kinematic.database.fps)
        self._held = weight, self.lead, pose.qpos, pose.qvel, self.offsets, self._before, targets
        self._pack_command = bound(pack_command, *self._packed)
        self._read_offsets = bound(read_offsets, *self._read)
        self._hold_action = bound(hold_action, *self._held)

    def reset(self, who: np.ndarray | None = None) -> None:
        """All standing at the origin, looking along x; or those of a mask onto their kinematic ones, which go on."""
        world, pose = self.player.world, self.kinematic.pose
        if who is None:
            self.kinematic.place(np.zeros((self.count, 2)), np.zeros(self.count))
            world.reset()
            self.frame, who = 0, np.ones(self.count, bool)
        qpos, qvel = np.array(world.qpos), np.array(world.qvel)
        qpos[:, 2 : pose.qpos.shape[1]] = pose.qpos[:, 2:]
        qvel[:, : pose.qvel.shape[1]] = pose.qvel
        if self.rest is not None:
            self.rest.wake(who)
            if self._tires:  # one that lies there exhausted could not stand as its kinematic character does
                self.rest.put_upright(who & self.kinematic.quiet, qpos, qvel)
        world.reset(who, qpos, qvel)
        self.offsets[who] = 0.0

    def take_after(self, other: "SteeredFollower") -> None:
        """Be where others of the same brain and database are, and go on as they would."""
        self.kinematic.take_after(other.kinematic)
        self.player.world.reset(None, other.player.world.qpos, other.player.world.qvel)
        self.offsets[:], self.frame = other.offsets, other.frame
        if self.rest is not None and other.rest is not None:
            self.rest.take_after(other.rest)

    def step(self) -> None:
        """One decision of the brain, over as many frames of the kinematic character as it holds for."""
        player = self.player
        self.go_on()
        self.tell()
        rest, weight = self.rest, self._let_rest()
        player.think(self.command)
        self._read_offsets(*self._read)
        for k in range(self.updates):
            if k:
                self.go_on()
                self._hold_action(*self._held)
                if rest is not None and weight is not None:
                    aims = player.outputs["targets"]
                    aims += weight * (rest.goal - (aims - self.offsets))
            player.act(self.substeps, again=k > 0)

    @property
    def _tires(self) -> bool:
        return self.player.fitness.tires

    def _let_rest(self) -> np.ndarray | None:
        """Lead those that stand quietly to where they rest; how far each does (character, 1), if any of them does."""
        rest = self.rest
        if rest is None:
            return None
        told, targets = self._told["rest"], self._told["targets"]
        if not self._tires:
            told[:] = 0.0
            return None
        rest.step(self.kinematic.quiet, self.asked)
        weight = rest.weight
        told[:] = weight
        targets += weight * (rest.goal - targets)
        return weight if weight.any() else None

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (character, body, 3) and rotations of the kinematic characters' bodies, carried to the own ones."""
        pose, moved = self.kinematic.pose, self._roots[:, :3] - self.kinematic.pose.qpos[:, :3]
        return pose.positions + (moved * [1, 1, 0])[:, None], pose.rotations

    def tell(self) -> None:
        """Write the command: how the kinematic character moves, and how the simulated one does beside it."""
        self._pack_command(*self._packed)

    def fallen(self) -> np.ndarray:
        """Which have their heads where r_fall is zero, or lost their state, (character,)."""
        return (self.apart() >= LOST) | self.player.world.faulted

    def go_on(self) -> None:
        """The next frame of the kinematic characters."""
        player, capacity = self.player, None
        pads = self.pad(self.frame * self.kinematic.dt, self._roots)
        if self._tires:
            capacity = legs_capacity(player.body, player.fatigue[..., 2])
            self.asked = np.hypot(*pads[:, LEFT].T) > self.kinematic.steering.deadzone
            if self.rest is not None and (moves := (self.rest.shuffling > 0) & ~self.asked).any():
                yaw = rotation.heading(self._roots[moves, 3:7])
                pads, capacity = pads.copy(), np.where(moves, SPARED, capacity)
                pads[moves] = np.stack([np.cos(yaw), np.sin(yaw), *np.zeros((4, len(yaw)))], axis=1)
        self.kinematic.step(pads, capacity)
        self.frame += 1

    def apart(self) -> np.ndarray:
        """How far the heads are from each other, seen from where each character stands, (character,), m: at 0.93 the
        simulated one is lost (r_fall = 0)."""
        player, pose = self.player, self.kinematic.pose
        head = player.body.bodies.index("head")
        own = player.world.xpos[:, head] - player.world.qpos[:, :3] * [1, 1, 0]
        other = pose.positions[:, head] - pose.qpos[:, :3] * [1, 1, 0]
        return np.linalg.norm(own - other, axis=1)
