"""What a plan amounts to: its course in time, torques and activations, and its numbers.

The paper's proof is done as a check (jiang2019, Sec. 3.4): can muscles give a plan's torques at every node, and how
dearly? Twice with the exact solvers: on the smooth leg that plans are made with, and on OpenSim's own geometry, whose
paths have points that come and go. Needs lactic[muscle].
"""

from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from lactic.compiling import COMPILED
from lactic.muscle import hill
from lactic.muscle.exact import correction, effort
from lactic.muscle.leg import shipped_leg
from lactic.plan.chain import GRAVITY, LEG, Chain
from lactic.plan.leg import ANGLES
from lactic.plan.search import Plan
from lactic.plan.solve import Solution
from lactic.plan.tasks import Task, chain_of


@dataclass(frozen=True)
class Trajectory:
    """A plan in time, both phases; frame k holds the state and what drives it at `time[k]`."""

    time: np.ndarray
    joints: tuple[str, ...]
    """x and y of the held end, then the joints."""
    q: np.ndarray
    v: np.ndarray
    com: np.ndarray
    """Mass centre (frame, 2)."""
    torque: np.ndarray
    """Of the driven joints (frame, joint), Nm: `joints` without the first three."""
    activation: np.ndarray
    """(frame, muscle): the controls of mtu, the least costly ones that come nearest to the torques otherwise."""
    muscles: tuple[str, ...]
    held: int
    """Frames of the first phase."""


@dataclass(frozen=True)
class MuscleReplay:
    """What muscles make of torques (node, 3) at hip, knee and ankle."""

    beyond: np.ndarray
    """R (node, 3), Nm: what they cannot give. τ − R they give with activations in [0, RC]."""
    activation: np.ndarray
    """Of least effort for τ − R (node, muscle)."""
    rate: np.ndarray
    """Σ fₒ·a of that (node,), N."""

    def summary(self, dt: np.ndarray) -> dict[str, float]:
        """Numbers for people; `dt` are the seconds each node stands for."""
        size = np.abs(self.beyond).max(1)
        return {
            "largest_beyond_Nm": float(size.max()),
            "mean_beyond_Nm": float((size * dt).sum() / dt.sum()),
            "share_of_time_within_5_Nm": float(dt[size <= 5].sum() / dt.sum()),
            "activation_least": float(self.activation.min()),
            "activation_most": float(self.activation.max()),
            "effort_N_s": float((self.rate * dt).sum()),
        }


@dataclass(frozen=True)
class PlanOutcome:
    """A plan, its course and its numbers."""

    plan: Plan
    course: Trajectory
    summary: dict[str, Any] = field(default_factory=dict)


def weigh(plan: Plan) -> PlanOutcome:
    """Work a plan out."""
    chain = chain_of(plan.task)
    parts = [_phase(plan, chain, plan.held, plan.seconds, 0.0)]
    if plan.flown is not None:
        parts.append(_phase(plan, chain.flying(), plan.flown, plan.airborne, plan.seconds))
    time, q, v, com, torque, controls = (
        np.concatenate([part[i] if k == 0 else part[i][1:] for k, part in enumerate(parts)]) for i in range(6)
    )
    held = len(plan.held.nodes)
    joints = ("x", "y", *chain.joints)
    at = [joints.index(j) for j in LEG]
    leg_torque = torque[:, [i - 3 for i in at]]
    rc = np.asarray(plan.drive.capacity, float)
    replays = _replays(plan, q[:, at], v[:, at], leg_torque, rc)
    muscles = tuple(map(str, plan.drive.leg.names))
    if plan.drive.limits == "mtu":
        activation = controls[:, controls.shape[1] - len(muscles) :]
    else:
        activation = replays["smooth"].activation if replays else np.zeros((len(time), 0))
    course = Trajectory(time, joints, q, v, com, torque, activation, muscles if activation.size else (), held)
    return PlanOutcome(plan, course, _summary(plan, course, leg_torque, replays))


def _phase(plan: Plan, chain: Chain, found: Solution, seconds: float, begin: float) -> tuple[np.ndarray, ...]:
    n, nodes = chain.size, found.nodes
    q, v, a, u = nodes[:, :n], nodes[:, n : 2 * n], nodes[:, 2 * n : 3 * n], nodes[:, 3 * n :]
    sq, sv, su = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("u", u.shape[1])
    drive = ca.Function("drive", [sq, sv, su], [plan.drive.torque(chain, sq, sv, su)])
    torque = np.asarray(drive.map(len(nodes))(q.T, v.T, u.T)).T
    com = np.asarray(chain.dynamics.map(len(nodes))(q.T, v.T, a.T)[1]).T
    still = np.zeros((len(nodes), 0 if chain.free else 2))
    return begin + np.linspace(0, seconds, len(nodes)), np.hstack([still, q]), np.hstack([still, v]), com, torque, u


def _replays(
    plan: Plan, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: np.ndarray
) -> dict[str, MuscleReplay]:
    """On the smooth leg and on OpenSim's geometry, whose other coordinates are 0; nothing without numba."""
    if not COMPILED:
        return {}
    leg, whole = plan.drive.leg, shipped_leg()
    at = [whole.coordinates.index(angle) for angle in ANGLES]
    bent = np.zeros((len(q), len(whole.coordinates)))
    bent[:, at] = q
    lengths, arms = whole.arms(bent)
    order = [whole.muscles.index(name) for name in leg.names]
    exact = hill.pull(leg.table, np.ascontiguousarray(lengths[:, order]), arms[:, at][:, :, order], qd, capacity)
    pulls = {"smooth": leg.pull(q, qd, capacity), "exact": exact}
    return {name: _replayed(each, torque, leg.force, capacity) for name, each in pulls.items()}


def _replayed(pulls: hill.Pull, torque: np.ndarray, force: np.ndarray, capacity: Any) -> MuscleReplay:
    beyond = correction(pulls, torque).torque
    spent = effort(pulls, torque - beyond, force)
    share = np.broadcast_to(np.asarray(capacity, float), spent.activation.shape[1:])
    return MuscleReplay(beyond, spent.activation * share, (spent.activation * share) @ force)


def _summary(plan: Plan, course: Trajectory, torque: np.ndarray, replays: dict[str, MuscleReplay]) -> dict[str, Any]:
    chain, last, n = chain_of(plan.task), plan.held.nodes[-1], chain_of(plan.task).size
    state = (last[i * n : (i + 1) * n] for i in range(3))
    _, com, velocity, _ = (np.asarray(x).ravel() for x in chain.dynamics(*state))
    dt = np.gradient(course.time)[: course.held]
    found: dict[str, Any] = {
        "task": plan.task,
        "limits": plan.drive.limits,
        "status": plan.held.status,
        "scheme": plan.scheme,
        "nodes": len(plan.held.nodes),
        "seconds_of_motion": plan.seconds,
        "solving_seconds": plan.solving,
        "solving_cpu_seconds": plan.cpu,
        "iterations": plan.iterations,
        "searches": [
            {"nodes": len(s.nodes), "iterations": s.iterations, "seconds": s.seconds, "objective": s.objective}
            for s in plan.searched
        ],
        "constraint_violation": plan.held.violation,
        "capacity": np.asarray(plan.drive.capacity, float).tolist(),
    }
    if plan.drive.learned:
        found["tolerance_Nm"] = plan.drive.tolerance
    found |= _feat(plan.task, com, velocity)
    found["effort"] = {"torque_Nm_s": float((np.abs(torque[: course.held]).sum(1) * dt).sum())}
    if plan.drive.limits == "mtu":
        found["effort"]["muscles_N_s"] = float((course.activation[: course.held] @ plan.drive.leg.force * dt).sum())
    if replays:
        held = {
            name: MuscleReplay(r.beyond[: course.held], r.activation[: course.held], r.rate[: course.held])
            for name, r in replays.items()
        }
        found["effort"]["least_muscles_N_s"] = float((held["smooth"].rate * dt).sum())
        found["replay"] = {name: r.summary(dt) for name, r in held.items()}
    else:
        found["replay"] = "needs lactic[muscle]"
    if plan.flown is not None:
        found["flight"] = {
            "status": plan.flown.status,
            "seconds_of_motion": plan.airborne,
            "nodes": len(plan.flown.nodes),
            "solving_seconds": plan.flown.seconds,
            "iterations": plan.flown.iterations,
            "constraint_violation": plan.flown.violation,
            "beyond_joint_range_rad": plan.slack,
        }
        if plan.task == "jump":
            found["flight"]["largest_angle_from_upright_rad"] = float(np.abs(course.q[-1, 2:]).max())
        else:
            found["flight"]["hand_at_m"] = course.q[-1, :2].tolist()
    else:
        found["flight"] = {"status": "none found"}
    return found


def _feat(task: Task, com: np.ndarray, velocity: np.ndarray) -> dict[str, float]:
    if task == "jump":
        return {
            "height_m": float(com[1] + velocity[1] ** 2 / (2 * GRAVITY)),
            "take_off_height_m": float(com[1]),
            "take_off_speed_m_s": float(velocity[1]),
        }
    x, y = map(float, velocity)
    return {"release_x_m_s": x, "release_y_m_s": y, "product": x * y}
