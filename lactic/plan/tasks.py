"""The motions of jiang2019, Sec. 4.1: a jump as high as can be, a swing as far as can be, a swing with least effort."""

from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np

from lactic.plan.chain import CROUCH, GRAVITY, JUMPER, SWINGER, Chain
from lactic.plan.drive import UNIT, Drive
from lactic.plan.programme import Programme, Scheme

Task = Literal["jump", "swing", "reach"]
TASKS: tuple[Task, ...] = ("jump", "swing", "reach")
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


def programme(
    task: Task, drive: Drive, nodes: int | None = None, scheme: Scheme = "trapezoid", product: float = PRODUCT
) -> Programme:
    """The first phase of a task: on the ground, or at the bar."""
    chain = chain_of(task)
    setting = SETTINGS[task]
    nodes = nodes or setting.nodes
    n, names = chain.size, drive.controls(chain)
    node = ca.SX.sym("w", 3 * n + len(names))
    q, v, a, u = node[:n], node[n : 2 * n], node[2 * n : 3 * n], node[3 * n :]
    force, com, velocity, acceleration = chain.dynamics(q, v, a)
    torque = drive.torque(chain, q, v, u)
    push = ca.SX.zeros(n)
    push[list(chain.driven)] = torque
    constraints = [(force - push) / FORCE, acceleration[1] + GRAVITY, velocity[1], velocity[0] * velocity[1]]
    lower, upper = np.zeros((nodes, n + 3)), np.zeros((nodes, n + 3))
    lower[:, n:], upper[:, n:] = -np.inf, np.inf
    running, final = ca.SX(0.0), ca.SX(0.0)
    price = 0.0
    if task == "jump":
        lower[:, n] = 0.0  # the ground does not pull (Eq. 17)
        upper[-1, n] = 0.0  # and lets go at the end (Eq. 18)
        lower[-1, n + 1] = 0.0
        final = -(com[1] + velocity[1] ** 2 / (2 * GRAVITY))
    else:
        lower[-1, n + 1] = 0.0
        if task == "swing":
            final = -velocity[0] * velocity[1]
        else:
            lower[-1, n + 2] = upper[-1, n + 2] = product
            price = 1e-3
            running = price * drive.effort(chain, torque, u)
    (low, high), (least, most) = drive.bounds(chain), drive.range(chain)
    edge = np.full(n, 1e4)
    low = np.tile(np.concatenate([least, -chain.speed, -edge, low]), (nodes, 1))
    high = np.tile(np.concatenate([most, chain.speed, edge, high]), (nodes, 1))
    begin = np.concatenate([CROUCH if task == "jump" else np.zeros(n), np.zeros(n)])
    low[0, : 2 * n] = high[0, : 2 * n] = begin
    still = np.asarray(chain.dynamics(begin[:n], np.zeros(n), np.zeros(n))[0]).ravel()[list(chain.driven)] / UNIT
    guess = np.full(len(names), 0.1) if drive.limits == "mtu" else still  # what holds the first pose
    start = np.tile(np.concatenate([begin, np.zeros(n), guess]), (nodes, 1))
    smooth = np.concatenate([np.zeros(3 * n), np.full(len(names), setting.smooth)])
    return Programme(
        node,
        n,
        setting.seconds,
        nodes,
        ca.vertcat(*constraints),
        lower,
        upper,
        low,
        high,
        start,
        running,
        final,
        smooth,
        scheme,
        drive.block(chain, price),
    )


def guesses(task: Task, p: Programme) -> list[np.ndarray]:
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


def flight(task: Task, drive: Drive, last: np.ndarray, scheme: Scheme = "trapezoid", slack: float = 0.0) -> Programme:
    """The second phase, from the first one's last node: in the air, to stand upright or to grasp the next bar.

    It lasts until the mass centre is back at the height of standing, or of the release. The goal is a cost and no
    constraint, since the angular momentum of the take-off decides how near it can be come. `slack` (rad) widens the
    joints' range, for take-offs so fast that they cannot be caught within it.
    """
    held, chain = chain_of(task), chain_of(task).flying()
    nodes, n, names = FLIGHT[task], chain.size, drive.controls(chain)
    q0, v0 = (np.concatenate([np.zeros(2), last[i * held.size : (i + 1) * held.size]]) for i in (0, 1))
    _, com, velocity, _ = (np.asarray(x).ravel() for x in held.dynamics(q0[2:], v0[2:], np.zeros(held.size)))
    level = float(held.dynamics(np.zeros(4), 0, 0)[1][1]) if task == "jump" else com[1]
    seconds = (velocity[1] + np.sqrt(max(velocity[1] ** 2 + 2 * GRAVITY * (com[1] - level), 0.04))) / GRAVITY
    node = ca.SX.sym("w", 3 * n + len(names))
    q, v, a, u = node[:n], node[n : 2 * n], node[2 * n : 3 * n], node[3 * n :]
    force, centre, _, _ = chain.dynamics(q, v, a)
    torque = drive.torque(chain, q, v, u)
    push = ca.SX.zeros(n)
    push[list(chain.driven)] = torque
    if task == "jump":
        final = ca.sumsqr(q[2:])
    else:
        final = ca.sumsqr(q[:2] - centre - ca.DM(GRASP)) + 0.1 * ca.sumsqr(q[4:] - ca.DM([0.5, -0.7, 0.0]))
    (low, high), (least, most) = drive.bounds(chain), drive.range(chain)
    wide = np.concatenate([np.zeros(2), [3.0], np.full(held.size - 1, slack)])  # the whole body may turn
    edge, speed = np.full(n, 1e4), np.concatenate([chain.speed[:2], [20.0], chain.speed[3:] * (2 if slack else 1)])
    low = np.tile(np.concatenate([least - wide, -speed, -edge, low]), (nodes, 1))
    high = np.tile(np.concatenate([most + wide, speed, edge, high]), (nodes, 1))
    begin = np.concatenate([q0, v0])
    low[0, : 2 * n] = high[0, : 2 * n] = begin
    start = np.tile(np.concatenate([begin, np.zeros(n), np.full(len(names), 0.1)]), (nodes, 1))
    t = np.linspace(0, seconds, nodes)
    start[:, :2] = t[:, None] * velocity - np.outer(t**2, [0.0, GRAVITY / 2])
    smooth = np.concatenate([np.zeros(3 * n), np.full(len(names), 1e-4)])
    return Programme(
        node,
        n,
        seconds,
        nodes,
        (force - push) / FORCE,
        np.zeros((nodes, n)),
        np.zeros((nodes, n)),
        low,
        high,
        start,
        1e-2 * ca.sumsqr(torque) / UNIT**2,
        final,
        smooth,
        scheme,
        drive.block(chain),
    )
