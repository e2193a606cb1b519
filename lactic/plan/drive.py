"""What moves a body: torques in a box, within a learned R (jiang2019, Eq. 16), or muscles with their activations.

A tired leg has a residual capacity RC: activations go up to RC. Its torques are p + RC·(u − p), where p is the muscles'
passive torque and u any torque of the fresh leg; then R of the tired leg at that torque is exactly RC·R(u), and its
effort RC·E(u). So learned limits need no network of their own for fatigue as long as RC is the same for all muscles;
with muscles as controls each may have its own.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import casadi as ca
import numpy as np

from lactic.errors import InputError
from lactic.plan.chain import LEG, Chain
from lactic.plan.leg import SHIPPED, SmoothLeg, shipped, shipped_network
from lactic.plan.muscle import muscle_torque
from lactic.plan.problem import Block

Limits = Literal["box", "lr", "lrle", "mtu"]
UNIT = 100.0
"""Torques are sought in units of so many Nm."""
BOX = 200.0
SHOULDER = (0.0, 80.0)
"""Nm: in the paper the shoulder is driven alike under all limits, and only backwards."""
REACH = np.array([400.0, 320.0, 320.0])
"""± Nm at hip, knee and ankle where R was learned."""
TOLERANCE = 3.0
"""ε of Eq. 16, Nm."""
SCALE = 20.0
"""R is constrained in units of so many Nm."""
ROUND = 2.0
"""|τ| is √(τ² + ROUND²) − ROUND in the effort, Nm."""


@dataclass(frozen=True)
class Drive:
    """Limits of a leg, with its residual capacity: one number, or one for each muscle (mtu alone)."""

    limits: Limits
    capacity: Any = 1.0
    tolerance: float = TOLERANCE
    folder: Path = SHIPPED
    """Of the leg and its networks."""

    def __post_init__(self) -> None:
        rc = np.atleast_1d(np.asarray(self.capacity, float))
        if not ((rc > 0) & (rc <= 1)).all():
            raise InputError(f"capacity {np.ravel(rc).min():g}: a residual capacity lies above 0 and up to 1")
        if self.limits != "mtu" and rc.size != 1:
            raise InputError(f"limits '{self.limits}': one residual capacity for all muscles; mtu takes one for each")
        if not 0.1 <= self.tolerance <= 50:
            raise InputError(f"tolerance {self.tolerance:g}: must be between 0.1 and 50 Nm")

    @cached_property
    def leg(self) -> SmoothLeg:
        """The muscles."""
        return shipped(self.folder)

    @property
    def learned(self) -> bool:
        """Whether networks are used."""
        return self.limits in ("lr", "lrle")

    def controls(self, chain: Chain) -> tuple[str, ...]:
        """Names: torques of the driven joints, or of the shoulder and then muscles."""
        joints = tuple(chain.joints[1:])
        return joints if self.limits != "mtu" else (*(j for j in joints if j not in LEG), *map(str, self.leg.names))

    def bounds(self, chain: Chain) -> tuple[np.ndarray, np.ndarray]:
        """Of the controls, in units of `UNIT` or as activations."""
        low, high = [], []
        muscles = np.broadcast_to(np.asarray(self.capacity, float), len(self.leg.names))
        for name in self.controls(chain):
            if name == "shoulder":
                ends = SHOULDER[0] / UNIT, SHOULDER[1] / UNIT
            elif self.limits == "mtu":
                ends = 0.0, float(muscles[list(self.leg.names).index(name)])
            elif self.limits == "box":
                ends = -BOX * float(self.capacity) / UNIT, BOX * float(self.capacity) / UNIT
            else:
                most = REACH[LEG.index(name)] / UNIT
                ends = -most, most
            low.append(ends[0])
            high.append(ends[1])
        return np.array(low), np.array(high)

    def range(self, chain: Chain) -> tuple[np.ndarray, np.ndarray]:
        """Of the coordinates: muscles are known only in the leg's own range; a box may crouch deeper."""
        low, high = chain.low.copy(), chain.high.copy()
        if self.limits != "box":
            at = [chain.column(j) for j in LEG]
            low[at], high[at] = np.maximum(low[at], self.leg.low), np.minimum(high[at], self.leg.high)
        return low, high

    def torque(self, chain: Chain, q: ca.SX, v: ca.SX, u: ca.SX) -> ca.SX:
        """Torques of the driven joints, Nm."""
        names, at = self.controls(chain), [chain.column(j) for j in LEG]
        tired = self.learned and float(self.capacity) < 1
        if self.limits == "mtu" or tired:
            count = len(self.leg.names)
            activation = u[len(names) - count :] if self.limits == "mtu" else ca.SX.zeros(count)
            whole, passive = muscle_torque(self.leg)(q[at], v[at], activation)
        by_joint: dict[str, Any] = {}
        for i, joint in enumerate(chain.joints[1:]):
            if joint not in LEG:
                by_joint[joint] = UNIT * u[names.index(joint)]
            elif self.limits == "mtu":
                by_joint[joint] = whole[LEG.index(joint)]
            elif tired:
                rc = float(self.capacity)
                by_joint[joint] = rc * UNIT * u[i] + (1 - rc) * passive[LEG.index(joint)]
            else:
                by_joint[joint] = UNIT * u[i]
        return ca.vertcat(*by_joint.values())

    def effort(self, chain: Chain, torque: ca.SX, u: ca.SX) -> ca.SX:
        """What is spent, a second: Σ|τ| of the leg (Nm) or Σ fₒ·a (N). Ẽ comes from a network, with lrle."""
        if self.limits == "mtu":
            return ca.dot(ca.DM(self.leg.force), u[len(self.controls(chain)) - len(self.leg.names) :])
        if self.limits == "lrle":
            return ca.SX(0.0)
        leg = [torque[i] for i, joint in enumerate(chain.joints[1:]) if joint in LEG]
        return ca.sum1(ca.sqrt(ca.vertcat(*leg) ** 2 + ROUND**2) - ROUND)

    def block(self, chain: Chain, price: float = 0.0) -> Block | None:
        """The networks: R of each node, and Ẽ at that price for lrle."""
        if not self.learned:
            return None
        limits, priced = shipped_network("limits", self.folder), self.limits == "lrle" and price > 0
        effort = shipped_network("effort", self.folder) if priced else None
        rc = float(self.capacity)
        joints = [chain.column(j) for j in LEG]
        names = self.controls(chain)
        columns = np.array(joints + [chain.size + i for i in joints] + [3 * chain.size + names.index(j) for j in LEG])
        units = np.array([1.0] * 6 + [UNIT] * 3)

        def value(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            x = z * units
            return rc / SCALE * limits(x), price * rc * effort(x)[:, 0] if effort else np.zeros(len(z))

        def slopes(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            x = z * units
            cost = price * rc * effort.jacobian(x)[:, 0] if effort else np.zeros(z.shape)
            return rc / SCALE * limits.jacobian(x) * units, cost * units

        def curvature(z: np.ndarray, weight: np.ndarray, share: np.ndarray) -> np.ndarray:
            x = z * units
            found = limits.curvature(x, rc / SCALE * weight)
            if effort:
                found = found + effort.curvature(x, (price * rc * share)[:, None])
            return found * units * units[:, None]

        edge = np.full(3, self.tolerance / SCALE)
        return Block(columns, value, slopes, curvature, -edge, edge)
