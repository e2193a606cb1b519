"""Learned limits and effort with exact first and second derivatives for many states at once, in NumPy.

CasADi differentiates a network neuron by neuron; whole layers as matrix products for all nodes of a plan are some fifty
times faster, and a network's Hessian needs no more than its forward slopes S and backward slopes B at each layer:
Σ_layers Sᵀ·diag(B·φ″)·S.
"""

from functools import cache
from pathlib import Path

import numpy as np

from lactic.muscle import learned
from lactic.plan.leg import SHIPPED


class Network:
    """A network of `lactic.muscle.learned` in double precision: values, slopes and curvature."""

    def __init__(self, network: learned.Network) -> None:
        self.layers = [(w.astype(float), b.astype(float)) for w, b in network.layers]
        self.about = network.about

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Values (state, out) at inputs (state, in)."""
        y = x
        for weight, bias in self.layers[:-1]:
            y = _elu(y @ weight.T + bias)
        weight, bias = self.layers[-1]
        return y @ weight.T + bias

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """Jacobian (state, out, in)."""
        y, steps = x, []
        for weight, bias in self.layers[:-1]:
            before = y @ weight.T + bias
            steps.append(_elu1(before))
            y = _elu(before)
        last = self.layers[-1][0]
        back = np.broadcast_to(last, (len(x), *last.shape))
        for (weight, _), step in zip(self.layers[-2::-1], steps[::-1], strict=True):
            back = (back * step[:, None]) @ weight
        return back

    def curvature(self, x: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Hessian (state, in, in) of Σ share·value with shares (state, out)."""
        y, size = x, x.shape[1]
        along = np.broadcast_to(np.eye(size), (len(x), size, size))
        forward, first, second = [], [], []
        for weight, bias in self.layers[:-1]:
            before = y @ weight.T + bias
            # (state, in, neuron): how what goes into each neuron moves with each input of the network
            along = (along.reshape(-1, weight.shape[1]) @ weight.T).reshape(len(x), size, -1)
            forward.append(along)
            first.append(_elu1(before))
            second.append(np.where(before > 0, 0.0, first[-1]))
            along = along * first[-1][:, None]
            y = _elu(before)
        back, total = share @ self.layers[-1][0], np.zeros((len(x), size, size))
        for layer in range(len(forward) - 1, -1, -1):
            slopes = forward[layer]
            total += (slopes * (back * second[layer])[:, None]) @ slopes.transpose(0, 2, 1)
            back = (back * first[layer]) @ self.layers[layer][0]
        return total


@cache
def shipped(name: str, folder: Path = SHIPPED) -> Network:
    """A network of the leg in its plane, `limits` (R) or `effort` (Ẽ): the package's, or another folder's."""
    return Network(learned.load(folder / f"{name}.npz"))


def _elu(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def _elu1(x: np.ndarray) -> np.ndarray:
    return np.exp(np.minimum(x, 0))
