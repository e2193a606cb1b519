"""Both legs of all characters at one physics step, in one compiled call: intent, projection, bounds, totals."""

import math

import numpy as np

from lactic.compiling import njit
from lactic.muscle import swift
from lactic.muscle.hill import FORCE
from lactic.muscle.leg import Geometry
from lactic.muscle.projection import dot

FREE = 1e-6  # Nm; a joint corrected by less stays unbounded: a bound that its intent just meets takes its damping away
NOTABLE = 1.0  # Nm; a joint corrected by less counts as given
# of a joint: seconds corrected by more than NOTABLE, ∫|R| dt, largest |R|, ∫|intent| dt, work done, work taken up
JOINT_TOTALS = ("corrected_s", "beyond", "most_beyond", "intended", "work", "absorbed")
# of a leg: seconds, seconds beyond strength, ∫‖R‖ dt, ∫E dt, work of shortening and lengthening, solver failures
LEG_TOTALS = ("seconds", "beyond_s", "beyond", "effort", "work", "absorbed", "unsettled")


@njit(cache=True)
def limit(
    g: Geometry,
    hinge: np.ndarray,
    sign: np.ndarray,
    qpos: np.ndarray,
    qvel: np.ndarray,
    targets: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    limits: np.ndarray,
    fresh: np.ndarray,
    activation: np.ndarray,
    bounds: np.ndarray,
    dt: float,
    joint_totals: np.ndarray,
    leg_totals: np.ndarray,
) -> None:
    """Set `bounds` (world, joint, 2) so that the engine's PD law gives the feasible torque nearest to its intent.

    Hinges and signs are (leg, coordinate), `limits` and `fresh` the box with and without fatigue, `activation` (world,
    leg, muscle) is kept from step to step. A world whose state or drive is not finite is left to the engine, which
    reports it.
    """
    count, n = len(g.muscle), hinge.shape[1]
    columns, speed, bound, cheapest = np.empty((count, n)), np.empty(count), np.empty(count), np.empty(count)
    q, qd, torque, passive, off = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for w in range(len(qpos)):
        for i in range(bounds.shape[1]):
            bounds[w, i, 0], bounds[w, i, 1] = -limits[w, i], limits[w, i]
        for leg in range(2):
            whole = 0.0
            for c in range(n):
                i, s = hinge[leg, c], sign[leg, c]
                q[c], qd[c] = s * qpos[w, 7 + i], s * qvel[w, 6 + i]
                wanted = stiffness[w, i] * (targets[w, i] - qpos[w, 7 + i]) - damping[w, i] * qvel[w, 6 + i]
                torque[c] = s * min(max(wanted, -limits[w, i]), limits[w, i])
                whole += q[c] + qd[c] + torque[c] + wanted
            if not math.isfinite(whole):
                continue
            for m in range(count):  # what fatigue leaves of a muscle: of the joints it acts on, by its moment arms
                bound[m] = 0.0
                for c in range(n):
                    bound[m] += g.share[m, c] * min(limits[w, hinge[leg, c]] / fresh[hinge[leg, c]], 1.0)
            swift.columns_of(g, q, qd, columns, passive, speed)
            steps = swift.nearest(columns, passive, bound, torque, activation[w, leg], off)
            size = 0.0
            for c in range(n):
                i = hinge[leg, c]
                given, over = sign[leg, c] * (torque[c] - off[c]), sign[leg, c] * off[c]
                if over > FREE:
                    bounds[w, i, 0], bounds[w, i, 1] = min(bounds[w, i, 0], given), given
                elif over < -FREE:
                    bounds[w, i, 0], bounds[w, i, 1] = given, max(bounds[w, i, 1], given)
                size += off[c] * off[c]
            for c in range(n):
                total, power = joint_totals[w, leg, c], (torque[c] - off[c]) * qd[c] * dt
                total[0] += dt if abs(off[c]) > NOTABLE else 0.0
                total[1] += abs(off[c]) * dt
                total[2] = max(total[2], abs(off[c]))
                total[3] += abs(torque[c]) * dt
                total[4] += max(power, 0.0)
                total[5] += max(-power, 0.0)
            whole_leg = leg_totals[w, leg]
            whole_leg[0] += dt
            whole_leg[1] += dt if size > 0.0 else 0.0
            whole_leg[2] += math.sqrt(size) * dt
            whole_leg[6] += 1.0 if steps < 0 else 0.0
            for c in range(n):
                torque[c] -= off[c]
            rate = swift.least(g, columns, passive, bound, torque, cheapest)
            if rate == math.inf:  # within rounding of the boundary: what gives the torque will do
                rate = 0.0
                for m in range(count):
                    cheapest[m] = activation[w, leg, m] * bound[m]
                    rate += g.muscle[m, FORCE] * cheapest[m]
            whole_leg[3] += rate * dt
            for m in range(count):
                if bound[m] > 0.0:
                    power = dot(columns[m], qd) * (cheapest[m] / bound[m] * dt)
                    whole_leg[4] += max(power, 0.0)
                    whole_leg[5] += max(-power, 0.0)
