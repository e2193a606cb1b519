"""Solving a motion problem with IPOPT, watched: iterations are reported, and Ctrl-C or a time limit ends the search."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from lactic.errors import InputError
from lactic.plan.problem import Assembly, MotionProblem
from lactic.stopping import StopRequest

WARM = {"mu_strategy": "monotone", "mu_init": 1e-4, "bound_push": 1e-4, "bound_frac": 1e-4, "slack_bound_push": 1e-4}
"""IPOPT's settings for a start that is nearly a solution: stay there."""
Say = Callable[[int, float, float], None]
"""Told at each iteration: how many there were, the objective, the largest constraint violation."""


@dataclass(frozen=True)
class Solution:
    """What IPOPT found."""

    nodes: np.ndarray
    """(node, variable)."""
    status: str
    objective: float
    violation: float
    """Largest violation of any constraint or bound, in the units of the constraints."""
    iterations: int
    seconds: float
    cpu: float
    """Seconds of processors' time: what counts where other programs run too."""


class _Stop(ca.Callback):
    """Counts iterations, reports them, and ends the solve when Ctrl-C was pressed or time is up."""

    def __init__(
        self, sizes: tuple[int, int], lower: np.ndarray, upper: np.ndarray, say: Say | None, until: float
    ) -> None:
        ca.Callback.__init__(self)
        self._sizes, self._lower, self._upper, self._say, self._until = sizes, lower, upper, say, until
        self.count, self.late = -1, False
        self.stop: StopRequest | None = None
        self.construct("watch", {})

    def get_n_in(self) -> int:
        return int(ca.nlpsol_n_out())

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        n, m = self._sizes
        size = {"x": n, "f": 1, "g": m, "lam_x": n, "lam_g": m}.get(ca.nlpsol_out(i), 0)
        return ca.Sparsity.dense(size, 1 if size else 0) if size else ca.Sparsity(0, 0)

    def eval(self, arg: Sequence[ca.DM]) -> list[int]:
        self.count += 1
        if self._say is not None:
            g = np.asarray(arg[2]).ravel()
            beyond = float(np.maximum(np.maximum(self._lower - g, g - self._upper), 0.0).max(initial=0.0))
            self._say(self.count, float(arg[1]), beyond)
        self.late = time.perf_counter() > self._until
        return [int(self.late or (self.stop is not None and self.stop.asked))]


def _one_thread() -> AbstractContextManager[Any]:
    """One BLAS thread, where threadpoolctl is installed: with more, such small matrices take five times as long."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return threadpool_limits(1, user_api="blas")


def solve(
    p: MotionProblem, say: Say | None = None, most: int = 1000, warm: bool = False, until: float = np.inf
) -> Solution:
    """Solve a motion problem; an InputError says why where IPOPT does not succeed.

    `warm`: the guess is nearly right. `until`: the moment of `time.perf_counter` at which to give up.
    """
    made = Assembly(p)
    watch = _Stop((p.nodes * p.node.numel(), len(made.lower)), made.lower, made.upper, say, until)
    options: dict[str, Any] = {
        "grad_f": made.grad_f,
        "jac_g": made.jac_g,
        "hess_lag": made.hess,
        "iteration_callback": watch,
        "print_time": False,
        "calc_lam_p": False,
        "no_nlp_grad": True,
        "error_on_fail": False,
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "max_iter": most,
            "tol": 1e-6,
            "constr_viol_tol": 1e-7,
            "mu_strategy": "adaptive",
            "acceptable_iter": 0,
            **(WARM if warm else {}),
        },
    }
    solver = ca.nlpsol("plan", "ipopt", made.problem, options)
    begun, spent = time.perf_counter(), time.process_time()
    with StopRequest() as stop, _one_thread():
        watch.stop = stop
        found = solver(x0=p.start.ravel(), lbx=p.low.ravel(), ubx=p.high.ravel(), lbg=made.lower, ubg=made.upper)
    seconds, spent = time.perf_counter() - begun, time.process_time() - spent
    if stop.asked:
        raise KeyboardInterrupt
    stats = solver.stats()
    status, x, g = stats["return_status"], np.asarray(found["x"]).ravel(), np.asarray(found["g"]).ravel()
    beyond = max(
        np.maximum(made.lower - g, g - made.upper).max(), np.maximum(p.low.ravel() - x, x - p.high.ravel()).max(), 0.0
    )
    if watch.late and not stats["success"]:
        raise InputError(
            f"no solution in {seconds:.0f} s and {stats['iter_count']} iterations (largest violation {beyond:.2g}); "
            "give it more time, or fewer nodes"
        )
    if not stats["success"]:
        raise InputError(
            f"no solution: IPOPT says {status} after {stats['iter_count']} iterations (largest violation "
            f"{beyond:.2g}); ask for something easier, or change the nodes"
        )
    return Solution(
        x.reshape(p.nodes, -1), status, float(found["f"]), float(beyond), int(stats["iter_count"]), seconds, spent
    )
