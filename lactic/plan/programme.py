"""Direct collocation: a motion as nodes in time, solved by IPOPT with exact Hessians.

A node holds coordinates q, velocities v, accelerations a and controls u. Only linear equations tie nodes together (the
scheme); all else (dynamics in implicit form, limits, costs) belongs to single nodes. So the Jacobian is a band and the
Hessian of the Lagrangian is one block a node, and both are put together here from one node's own, evaluated for all
nodes at once: CasADi's for what is written in it, NumPy's for networks.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal

import casadi as ca
import numpy as np

from lactic.errors import InputError
from lactic.stopping import StopRequest

Scheme = Literal["trapezoid", "euler"]
WARM = {"mu_strategy": "monotone", "mu_init": 1e-4, "bound_push": 1e-4, "bound_frac": 1e-4, "slack_bound_push": 1e-4}
"""IPOPT's settings for a start that is nearly a solution: stay there."""
Say = Callable[[int, float, float], None]
"""Told at each iteration: how many there were, the objective, the largest constraint violation."""


@dataclass
class Block:
    """Constraints and costs of one node that CasADi does not see: a network's."""

    columns: np.ndarray
    """Which of the node's variables it takes."""
    value: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    """Constraints (node, n) and costs (node,) of inputs (node, column)."""
    slopes: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    """Jacobians of both: (node, n, column) and (node, column)."""
    curvature: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    """Hessian (node, column, column) of weighted constraints (node, n) and costs (node,)."""
    low: np.ndarray
    high: np.ndarray


@dataclass
class Programme:
    """A motion to be found."""

    node: ca.SX
    """One node's variables: q, v, a, u."""
    freedom: int
    seconds: float
    nodes: int
    constraints: ca.SX
    """Of each node, with their bounds by node (node, constraint)."""
    lower: np.ndarray
    upper: np.ndarray
    low: np.ndarray
    """Bounds of the variables, by node (node, variable)."""
    high: np.ndarray
    start: np.ndarray
    """First guess (node, variable)."""
    running: ca.SX
    """Cost a second, of each node."""
    final: ca.SX
    """Cost of the last node."""
    smooth: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Weight of each variable's squared change a second: what settles controls that nothing else does."""
    scheme: Scheme = "trapezoid"
    block: Block | None = None


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


class _Numbers(ca.Callback):
    """A NumPy function of the whole motion inside a CasADi graph."""

    def __init__(self, name: str, sizes: Sequence[tuple[int, int]], out: Sequence[tuple[int, int]], call: Any) -> None:
        ca.Callback.__init__(self)
        self._sizes, self._out, self._call = sizes, out, call
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self._sizes)

    def get_n_out(self) -> int:
        return len(self._out)

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(*self._sizes[i])

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(*self._out[i])

    def eval(self, arg: Sequence[ca.DM]) -> list[np.ndarray]:
        return list(self._call(*(np.asarray(a) for a in arg)))


def _scattered(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int], values: ca.MX) -> ca.MX:
    """A sparse matrix from values and where they go; entries are unique."""
    sparsity, order = ca.Sparsity.triplet(*shape, rows.tolist(), columns.tolist(), False)
    return ca.MX(sparsity, values[list(order)])


def _entries(matrix: ca.SX) -> ca.SX:
    """The structural non-zeros as a column."""
    return matrix.nz[:] if matrix.nnz() else ca.SX(0, 1)


class _Assembly:
    """CasADi functions of a whole programme: objective, constraints and their derivatives."""

    def __init__(self, p: Programme) -> None:
        n, count = p.node.numel(), p.nodes
        self.keep: list[Any] = []  # callbacks must outlive the solver
        x = ca.MX.sym("x", n * count)
        w = ca.reshape(x, n, count)
        h = p.seconds / (count - 1)
        weights = np.full(count, h)
        if p.scheme == "trapezoid":
            weights[[0, -1]] = h / 2
        else:
            weights[0] = 0.0
        last = np.zeros(count)
        last[-1] = 1.0
        at = n * np.arange(count)

        lam, share = ca.SX.sym("lam", p.constraints.numel()), ca.SX.sym("share", 2)
        cost = share[0] * p.running + share[1] * p.final
        inner, price = ca.Function("inner", [p.node], [p.constraints]), ca.Function("price", [p.node, share], [cost])
        jac, grad = ca.jacobian(p.constraints, p.node), ca.gradient(cost, p.node)
        hess = ca.triu(ca.hessian(ca.dot(lam, p.constraints) + cost, p.node)[0])
        slope, fall = ca.Function("slope", [p.node], [_entries(jac)]), ca.Function("fall", [p.node, share], [grad])
        bend = ca.Function("bend", [p.node, share, lam], [_entries(hess)])
        shares = np.stack([weights, last])

        linear, self.tied = _scheme(p, h)
        rough = _roughness(p, h)
        g, costs = inner.map(count)(w), price.map(count)(w, shares)
        parts, value = [linear @ x, ca.vec(g)], ca.sum2(costs) + 0.5 * ca.dot(x, rough @ x)
        rows, columns = (np.array(v) for v in jac.sparsity().get_triplet())
        each = np.arange(count)[:, None]
        inner_rows = (each * p.constraints.numel() + rows).ravel()
        values, grads = slope.map(count)(w), fall.map(count)(w, shares)
        shape = (p.constraints.numel() * count, n * count)
        jacobians = [ca.MX(linear), _scattered(inner_rows, (at[:, None] + columns).ravel(), shape, ca.vec(values))]
        gradient = ca.vec(grads) + rough @ x
        lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", linear.shape[0] + shape[0] + self._beyond(p))
        inside = ca.reshape(lam_g[linear.shape[0] : linear.shape[0] + shape[0]], -1, count)
        bent = bend.map(count)(w, lam_f * ca.MX(ca.DM(shares)), inside)
        rows, columns = (np.array(v) for v in hess.sparsity().get_triplet())
        square = (n * count, n * count)
        hessian = _scattered((at[:, None] + rows).ravel(), (at[:, None] + columns).ravel(), square, ca.vec(bent))
        hessian = hessian + lam_f * ca.MX(ca.triu(rough))
        if p.block is not None:
            extra = self._networks(p, x, w, weights, lam_f, lam_g[linear.shape[0] + shape[0] :])
            parts.append(extra[0])
            value, gradient = value + extra[1], gradient + extra[3]
            jacobians.append(extra[2])
            hessian = hessian + extra[4]
        nothing = ca.MX.sym("p", 0, 0)
        constraints = ca.vertcat(*parts)
        self.problem: dict[str, Any] = {"x": x, "f": value, "g": constraints}
        self.grad_f = ca.Function("grad_f", [x, nothing], [value, gradient], ["x", "p"], ["f", "grad_f_x"])
        self.jac_g = ca.Function(
            "jac_g", [x, nothing], [constraints, ca.vertcat(*jacobians)], ["x", "p"], ["g", "jac_g_x"]
        )
        self.hess = ca.Function(
            "hess_lag", [x, nothing, lam_f, lam_g], [hessian], ["x", "p", "lam_f", "lam_g"], ["triu_hess_gamma_x_x"]
        )
        self.lower = np.concatenate([np.zeros(self.tied), p.lower.ravel(), *self._bounds(p, "low")])
        self.upper = np.concatenate([np.zeros(self.tied), p.upper.ravel(), *self._bounds(p, "high")])

    @staticmethod
    def _beyond(p: Programme) -> int:
        return 0 if p.block is None else len(p.block.low) * p.nodes

    @staticmethod
    def _bounds(p: Programme, which: str) -> list[np.ndarray]:
        return [] if p.block is None else [np.tile(getattr(p.block, which), p.nodes)]

    def _networks(
        self, p: Programme, x: ca.MX, w: ca.MX, weights: np.ndarray, lam_f: ca.MX, lam: ca.MX
    ) -> tuple[ca.MX, ca.MX, ca.MX, ca.MX, ca.MX]:
        """Constraints, cost, Jacobian, gradient and upper Hessian of what networks add."""
        block, count, n = p.block, p.nodes, p.node.numel()
        assert block is not None
        k, m = len(block.columns), len(block.low)
        z = w[block.columns.tolist(), :]
        upper = np.triu_indices(k)
        swap = block.columns[upper[0]] > block.columns[upper[1]]
        rows = np.where(swap, block.columns[upper[1]], block.columns[upper[0]])
        columns = np.where(swap, block.columns[upper[0]], block.columns[upper[1]])

        def value(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            g, cost = block.value(z.T)
            return g.T, cost[None] @ weights[:, None]

        def slopes(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            g, cost = block.slopes(z.T)
            return g.reshape(1, -1), (weights[:, None] * cost).T

        def curvature(z: np.ndarray, lam: np.ndarray, share: np.ndarray) -> tuple[np.ndarray]:
            found = block.curvature(z.T, lam.T, weights * float(share[0, 0]))
            return (found[:, upper[0], upper[1]].reshape(1, -1),)

        flat = (k, count)
        values = _Numbers("net", [flat], [(m, count), (1, 1)], value)
        firsts = _Numbers("net1", [flat], [(1, count * m * k), flat], slopes)
        seconds = _Numbers("net2", [flat, (m, count), (1, 1)], [(1, count * len(rows))], curvature)
        self.keep += [values, firsts, seconds]
        g, cost = values(z)
        jac, grad = firsts(z)
        each, at = np.arange(count)[:, None, None], n * np.arange(count)
        at_rows = np.broadcast_to(each * m + np.arange(m)[None, :, None], (count, m, k))
        at_columns = np.broadcast_to(at[:, None, None] + block.columns, (count, m, k))
        jacobian = _scattered(at_rows.ravel(), at_columns.ravel(), (m * count, n * count), jac.T)
        gradient = ca.MX.zeros(n, count)
        gradient[block.columns.tolist(), :] = grad
        bent = seconds(z, ca.reshape(lam, m, count), lam_f)
        hessian = _scattered(
            (at[:, None] + rows).ravel(), (at[:, None] + columns).ravel(), (n * count, n * count), bent.T
        )
        return ca.vec(g), cost, jacobian, ca.vec(gradient), hessian


def _scheme(p: Programme, h: float) -> tuple[ca.DM, int]:
    """Linear equations between neighbours: positions follow velocities, and these accelerations."""
    n, d = p.node.numel(), p.freedom
    rows, columns, values = [], [], []
    row = 0
    for k in range(p.nodes - 1):
        for part in range(2):
            for i in range(d):
                here, there = k * n + part * d + i, (k + 1) * n + part * d + i
                old, new = (h / 2, h / 2) if p.scheme == "trapezoid" else (0.0, h)
                for column, value in ((there, 1.0), (here, -1.0), (here + d, -old), (there + d, -new)):
                    if value:
                        rows.append(row)
                        columns.append(column)
                        values.append(value)
                row += 1
    return ca.DM.triplet(rows, columns, ca.DM(values), row, n * p.nodes), row


def _roughness(p: Programme, h: float) -> ca.DM:
    """Q of ½·xᵀ·Q·x: the weighted squared changes between neighbours."""
    n, size = p.node.numel(), p.node.numel() * p.nodes
    if not p.smooth.any():
        return ca.DM(size, size)
    chosen, weight = np.flatnonzero(p.smooth), 2 / h * p.smooth[p.smooth > 0]
    ends = np.full((p.nodes, 1), 2.0)
    ends[[0, -1]] = 1.0
    at = n * np.arange(p.nodes)[:, None] + chosen
    here, there = at[:-1].ravel(), at[1:].ravel()
    beside = -np.tile(weight, p.nodes - 1)
    rows, columns = np.concatenate([at.ravel(), here, there]), np.concatenate([at.ravel(), there, here])
    values = np.concatenate([(ends * weight).ravel(), beside, beside])
    return ca.DM.triplet(rows.tolist(), columns.tolist(), ca.DM(values), size, size)


def _one_thread() -> AbstractContextManager[Any]:
    """One BLAS thread, where threadpoolctl is installed: with more, such small matrices take five times as long."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return threadpool_limits(1, user_api="blas")


def solve(
    p: Programme, say: Say | None = None, most: int = 1000, warm: bool = False, until: float = np.inf
) -> Solution:
    """Solve a programme; an InputError says why where IPOPT does not succeed.

    `warm`: the guess is nearly right. `until`: the moment of `time.perf_counter` at which to give up.
    """
    made = _Assembly(p)
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
