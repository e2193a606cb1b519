"""Direct collocation: a motion as nodes in time, for IPOPT with exact Hessians.

A node holds coordinates q, velocities v, accelerations a and controls u. Only linear equations tie nodes together (the
scheme); all else (dynamics in implicit form, limits, costs) belongs to single nodes. So the Jacobian is a band and the
Hessian of the Lagrangian is one block a node, and both are put together here from one node's own, evaluated for all
nodes at once: CasADi's for what is written in it, NumPy's for networks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np

Scheme = Literal["trapezoid", "euler"]


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
class MotionProblem:
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
    smooth: float = 0.0
    """Weight of the controls' squared change a second: what settles controls that nothing else does."""
    scheme: Scheme = "trapezoid"
    block: Block | None = None


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


class Assembly:
    """CasADi functions of a whole motion: objective, constraints and their derivatives."""

    def __init__(self, p: MotionProblem) -> None:
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

        linear, tied = _scheme(p, h)
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
        beyond = [[], []] if p.block is None else [[np.tile(x, count)] for x in (p.block.low, p.block.high)]
        lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", linear.shape[0] + shape[0] + sum(map(len, beyond[0])))
        inside = ca.reshape(lam_g[linear.shape[0] : linear.shape[0] + shape[0]], -1, count)
        bent = bend.map(count)(w, lam_f * ca.MX(ca.DM(shares)), inside)
        rows, columns = (np.array(v) for v in hess.sparsity().get_triplet())
        square = (n * count, n * count)
        hessian = _scattered((at[:, None] + rows).ravel(), (at[:, None] + columns).ravel(), square, ca.vec(bent))
        hessian = hessian + lam_f * ca.MX(ca.triu(rough))
        if p.block is not None:
            rest = lam_g[linear.shape[0] + shape[0] :]
            more, worth, jacobian, steepness, curvature = self._networks(p, x, w, weights, lam_f, rest)
            parts.append(more)
            jacobians.append(jacobian)
            value, gradient, hessian = value + worth, gradient + steepness, hessian + curvature
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
        self.lower = np.concatenate([np.zeros(tied), p.lower.ravel(), *beyond[0]])
        self.upper = np.concatenate([np.zeros(tied), p.upper.ravel(), *beyond[1]])

    def _networks(
        self, p: MotionProblem, x: ca.MX, w: ca.MX, weights: np.ndarray, lam_f: ca.MX, lam: ca.MX
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


def _scheme(p: MotionProblem, h: float) -> tuple[ca.DM, int]:
    """Linear equations between neighbours: positions follow velocities, and these accelerations."""
    n, d = p.node.numel(), p.freedom
    count = 2 * d * (p.nodes - 1)
    each = (n * np.arange(p.nodes - 1)[:, None] + np.arange(2 * d)).ravel()  # q and v of all nodes but the last
    old, new = (h / 2, h / 2) if p.scheme == "trapezoid" else (0.0, h)
    parts = [(each + n, 1.0), (each, -1.0), (each + d, -old), (each + n + d, -new)]
    parts = [(columns, value) for columns, value in parts if value]
    columns, values = np.concatenate([c for c, _ in parts]), np.repeat([v for _, v in parts], count)
    rows = np.tile(np.arange(count), len(parts))
    return ca.DM.triplet(rows.tolist(), columns.tolist(), ca.DM(values), count, n * p.nodes), count


def _roughness(p: MotionProblem, h: float) -> ca.DM:
    """Q of ½·xᵀ·Q·x: the weighted squared changes between neighbours."""
    n, size = p.node.numel(), p.node.numel() * p.nodes
    if not p.smooth:
        return ca.DM(size, size)
    chosen = np.arange(3 * p.freedom, n)
    weight = np.full(len(chosen), 2 / h * p.smooth)
    ends = np.full((p.nodes, 1), 2.0)
    ends[[0, -1]] = 1.0
    at = n * np.arange(p.nodes)[:, None] + chosen
    here, there = at[:-1].ravel(), at[1:].ravel()
    beside = -np.tile(weight, p.nodes - 1)
    rows, columns = np.concatenate([at.ravel(), here, there]), np.concatenate([at.ravel(), there, here])
    values = np.concatenate([(ends * weight).ravel(), beside, beside])
    return ca.DM.triplet(rows.tolist(), columns.tolist(), ca.DM(values), size, size)
