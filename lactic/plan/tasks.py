"""The motions of jiang2019, Sec. 4.1: a jump as high as can be, a swing as far as can be, a swing with least effort."""

from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np

from lactic.plan.chain import CROUCH, GRAVITY, JUMPER, SWINGER, Chain
from lactic.plan.drive import UNIT, Drive
from lactic.plan.problem import MotionProblem, Scheme

Task = Literal["jump", "swing", "reach"]
FORCE = 50.0
"""Nm: equations of motion are divided by so much."""
PRODUCT = 4.0
"""m²/s²: ẋ·ẏ at release that `reach` asks for."""


@dataclass(frozen=True)
class Setting:
    """How long a motion lasts and with how many nodes it is sought, as in the paper."""

    seconds: float
    nodes: int
    smooth: float = 1e-6
    """Weight of the controls' squared rate. A trapezoid does not see torques that alternate from node to node, and a
    swing gains from them what no body could: ẋ·ẏ = 7.9 under a box, 6.7 m²/s² with a weight of 1e-4 and none of it."""


SETTINGS = {"jump": Setting(1.0, 200), "swing": Setting(3.0, 200, 1e-4), "reach": Setting(5.0, 350)}


def chain_of(task: Task) -> Chain:
    """The body that does a task."""
    return JUMPER if task == "jump" else SWINGER


class _Node:
    """One node's variables and what they amount to."""

    def __init__(self, chain: Chain, drive: Drive) -> None:
        n = chain.size
        self.chain, self.drive, self.controls = chain, drive, len(drive.controls(chain))
        self.all = ca.SX.sym("w", 3 * n + self.controls)
        self.q, v, a, self.u = self.all[:n], self.all[n : 2 * n], self.all[2 * n : 3 * n], self.all[3 * n :]
        force, self.com, self.velocity, self.acceleration = chain.dynamics(self.q, v, a)
        self.torque = drive.torque(chain, self.q, v, self.u)
        push = ca.SX.zeros(n)
        push[list(chain.driven)] = self.torque
        self.balance = (force - push) / FORCE
        """Zero where torques give the accelerations."""

    def bounds(
        self, nodes: int, begin: np.ndarray, speed: np.ndarray, wide: np.ndarray | float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of the variables by node, from a fixed first state; `wide` (rad) is added to the range of coordinates."""
        n, edge = self.chain.size, np.full(self.chain.size, 1e4)
        (low, high), (least, most) = self.drive.bounds(self.chain), self.drive.range(self.chain)
        low = np.tile(np.concatenate([least - wide, -speed, -edge, low]), (nodes, 1))
        high = np.tile(np.concatenate([most + wide, speed, edge, high]), (nodes, 1))
        low[0, : 2 * n] = high[0, : 2 * n] = begin
        return low, high


def held_phase(
    task: Task, drive: Drive, nodes: int | None = None, scheme: Scheme = "trapezoid", product: float = PRODUCT
) -> MotionProblem:
    """The first phase of a task: on the ground, or at the bar."""
    chain, setting = chain_of(task), SETTINGS[task]
    nodes, n, node = nodes or setting.nodes, chain.size, _Node(chain, drive)
    lift, reach = node.velocity[1], node.velocity[0] * node.velocity[1]
    lower, upper = np.zeros((nodes, n + 3)), np.zeros((nodes, n + 3))
    lower[:, n:], upper[:, n:] = -np.inf, np.inf
    lower[-1, n + 1] = 0.0
    running, final, price = ca.SX(0.0), ca.SX(0.0), 0.0
    if task == "jump":
        lower[:, n] = 0.0  # the ground does not pull (Eq. 17)
        upper[-1, n] = 0.0  # and lets go at the end (Eq. 18)
        final = -(node.com[1] + lift**2 / (2 * GRAVITY))
    elif task == "swing":
        final = -reach
    else:
        lower[-1, n + 2] = upper[-1, n + 2] = product
        price = 1e-3
        running = price * drive.effort(chain, node.torque, node.u)
    begin = np.concatenate([CROUCH if task == "jump" else np.zeros(n), np.zeros(n)])
    still = np.asarray(chain.dynamics(begin[:n], np.zeros(n), np.zeros(n))[0]).ravel()[list(chain.driven)] / UNIT
    guess = np.full(node.controls, 0.1) if drive.limits == "mtu" else still  # what holds the first pose
    low, high = node.bounds(nodes, begin, chain.speed)
    return MotionProblem(
        node=node.all,
        freedom=n,
        seconds=setting.seconds,
        nodes=nodes,
        constraints=ca.vertcat(node.balance, node.acceleration[1] + GRAVITY, lift, reach),
        lower=lower,
        upper=upper,
        low=low,
        high=high,
        start=np.tile(np.concatenate([begin, np.zeros(n), guess]), (nodes, 1)),
        running=running,
        final=final,
        smooth=setting.smooth,
        scheme=scheme,
        block=drive.block(chain, price),
    )


def guesses(task: Task, p: MotionProblem) -> list[np.ndarray]:
    """Motions to begin the search from (node, variable); all are local. For a jump the second is tried if need be."""
    n, t = p.freedom, np.linspace(0, p.seconds, p.nodes)
    if task == "jump":
        rise = p.start.copy()
        part = np.clip((t - p.seconds + 0.35) / 0.3, 0, 1)[:, None]
        rise[:, :n] *= 1 - part  # crouched till late, then straight
        return [rise, p.start] if p.scheme == "trapezoid" else [p.start, rise]  # the first ends in the better optimum
    found = []
    for period in (1.9, 1.5):  # hanging still is a saddle point: ẋ·ẏ has no slope there
        rate = 2 * np.pi / period
        turn = rate * (t - p.seconds) + 0.3 * np.pi  # ends rising in front
        swung = p.start.copy()
        swung[:, 0], swung[:, n], swung[:, 2 * n] = (
            0.7 * np.sin(turn),
            0.7 * rate * np.cos(turn),
            -0.7 * rate**2 * np.sin(turn),
        )
        found.append(swung)
    return found


GRASP = (0.35, 0.75)
"""m: where the hand shall be at the end of a flight, from the mass centre."""
FLIGHT = {"jump": 100, "swing": 60, "reach": 60}
"""Nodes of the flight."""


def flight(
    task: Task, drive: Drive, last: np.ndarray, scheme: Scheme = "trapezoid", slack: float = 0.0
) -> MotionProblem:
    """The second phase, from the first one's last node: in the air, to stand upright or to grasp the next bar.

    It lasts until the mass centre is back at the height of standing, or of the release. The goal is a cost and no
    constraint, since the angular momentum of the take-off decides how near it can be come. `slack` (rad) widens the
    joints' range, for take-offs so fast that they cannot be caught within it.
    """
    held, chain = chain_of(task), chain_of(task).flying()
    nodes, n, node = FLIGHT[task], chain.size, _Node(chain, drive)
    q0, v0 = (np.concatenate([np.zeros(2), last[i * held.size : (i + 1) * held.size]]) for i in (0, 1))
    _, com, velocity, _ = (np.asarray(x).ravel() for x in held.dynamics(q0[2:], v0[2:], np.zeros(held.size)))
    level = float(held.dynamics(np.zeros(4), 0, 0)[1][1]) if task == "jump" else com[1]
    seconds = (velocity[1] + np.sqrt(max(velocity[1] ** 2 + 2 * GRAVITY * (com[1] - level), 0.04))) / GRAVITY
    if task == "jump":
        final = ca.sumsqr(node.q[2:])
    else:
        grasp = node.q[:2] - node.com - ca.DM(GRASP)
        final = ca.sumsqr(grasp) + 0.1 * ca.sumsqr(node.q[4:] - ca.DM([0.5, -0.7, 0.0]))
    wide = np.concatenate([np.zeros(2), [3.0], np.full(held.size - 1, slack)])  # the whole body may turn
    speed = np.concatenate([chain.speed[:2], [20.0], chain.speed[3:] * (2 if slack else 1)])
    begin = np.concatenate([q0, v0])
    low, high = node.bounds(nodes, begin, speed, wide)
    start = np.tile(np.concatenate([begin, np.zeros(n), np.full(node.controls, 0.1)]), (nodes, 1))
    t = np.linspace(0, seconds, nodes)
    start[:, :2] = t[:, None] * velocity - np.outer(t**2, [0.0, GRAVITY / 2])
    return MotionProblem(
        node=node.all,
        freedom=n,
        seconds=seconds,
        nodes=nodes,
        constraints=node.balance,
        lower=np.zeros((nodes, n)),
        upper=np.zeros((nodes, n)),
        low=low,
        high=high,
        start=start,
        running=1e-2 * ca.sumsqr(node.torque) / UNIT**2,
        final=final,
        smooth=1e-4,
        scheme=scheme,
        block=drive.block(chain),
    )
