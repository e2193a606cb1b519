"""What muscles can give, learned: small networks for R and E of a leg (jiang2019, Eq. 5, 7), in NumPy alone.

A network is a list of layers (W, b) in plain SI units: all scaling is folded into the first and the last one, so that
y = W₃·elu(W₂·elu(W₁·elu(W₀·x + b₀) + b₁) + b₂) + b₃ for a column x = (q, q̇, τ). `lactic strength learn` makes networks;
those in lactic/muscle/networks/ come with the package.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.files import load_arrays, save_arrays

SHIPPED = Path(__file__).parent / "networks"
LEAST = 0.05  # of the strength left, for which learned answers are given
FILES = {
    "R": "correction R(q, q̇, τ), Nm",
    "E": "least effort E(q, q̇, τ), N of maximal force at work",
    "passive": "torque p(q) of resting muscles, Nm",
}
"""Networks of a leg, each NAME.npz, and what they answer."""


@dataclass(frozen=True)
class Network:
    """A feed-forward network with ELU between its layers, from (q, q̇, τ) in rad, rad/s and Nm."""

    layers: tuple[tuple[np.ndarray, np.ndarray], ...]
    """W (out, in) and b (out,) of each."""
    about: dict[str, Any] = field(default_factory=dict)
    """How it was made and how far it can be trusted."""

    def __post_init__(self) -> None:
        width = self.layers[0][0].shape[1]
        for k, (weight, bias) in enumerate(self.layers):
            if weight.shape != (len(bias), width):
                raise InputError(f"layer {k}: weights {weight.shape} do not fit {width} inputs and {len(bias)} biases")
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise InputError(f"layer {k}: weights that are not finite")
            width = len(bias)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Outputs (…, outputs) of inputs (…, inputs)."""
        for k, (weight, bias) in enumerate(self.layers):
            x = x @ weight.T + bias
            if k < len(self.layers) - 1:
                x = _elu(x)
        return x

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Derivatives (…, outputs, inputs) at inputs (…, inputs)."""
        steps = []
        for weight, bias in self.layers[:-1]:
            x = x @ weight.T + bias
            steps.append(np.exp(np.minimum(x, 0)))
            x = _elu(x)
        back = np.broadcast_to(self.layers[-1][0], (*x.shape[:-1], *self.layers[-1][0].shape))
        for (weight, _), step in zip(self.layers[-2::-1], steps[::-1], strict=True):
            back = (back * step[..., None, :]) @ weight
        return back

    def curvature(self, x: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Hessian (state, inputs, inputs) of Σ share·output with shares (state, outputs).

        CasADi differentiates a network neuron by neuron. Whole layers as matrix products are some fifty times faster,
        and need no more than forward slopes S and backward slopes B at each layer: Σ_layers Sᵀ·diag(B·φ″)·S.
        """
        y, size = x, x.shape[1]
        along = np.broadcast_to(np.eye(size), (len(x), size, size))
        forward, first, second = [], [], []
        for weight, bias in self.layers[:-1]:
            before = y @ weight.T + bias
            # (state, input, neuron): how what goes into each neuron moves with each input of the network
            along = (along.reshape(-1, weight.shape[1]) @ weight.T).reshape(len(x), size, -1)
            forward.append(along)
            first.append(np.exp(np.minimum(before, 0)))
            second.append(np.where(before > 0, 0.0, first[-1]))
            along = along * first[-1][:, None]
            y = _elu(before)
        back, total = share @ self.layers[-1][0], np.zeros((len(x), size, size))
        for layer in range(len(forward) - 1, -1, -1):
            slopes = forward[layer]
            total += (slopes * (back * second[layer])[:, None]) @ slopes.transpose(0, 2, 1)
            back = (back * first[layer]) @ self.layers[layer][0]
        return total

    def double(self) -> "Network":
        """The same in double precision."""
        return Network(tuple((weight.astype(float), bias.astype(float)) for weight, bias in self.layers), self.about)

    def save(self, path: str | Path) -> None:
        """Write it as an npz: weight0, bias0, … and `about` as JSON."""
        arrays: dict[str, Any] = {
            f"{name}{k}": part
            for k, layer in enumerate(self.layers)
            for name, part in zip(("weight", "bias"), layer, strict=True)
        }
        save_arrays(path, {"about": np.array(json.dumps(self.about)), **arrays})


def _elu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0) + np.expm1(np.minimum(x, 0))


def load(path: str | Path) -> Network:
    """Read a network that `Network.save` wrote."""
    wrong = "not a network of `lactic strength learn`"
    file = load_arrays(path, "there is no such network; `lactic strength learn` makes them", wrong)
    try:
        count = sum(name.startswith("weight") for name in file)
        layers = tuple((file[f"weight{k}"], file[f"bias{k}"]) for k in range(count))
        return Network(layers, json.loads(str(file["about"])))
    except (ValueError, LookupError) as error:
        raise InputError(f"{path}: {wrong} ({error})") from error


@cache
def network(name: str, folder: str | Path = SHIPPED) -> Network:
    """R, E or passive of a folder; by default those that come with the package."""
    if name not in FILES:
        raise InputError(f"unknown network '{name}'; there are: {', '.join(FILES)}")
    return load(Path(folder) / f"{name}.npz")


@dataclass(frozen=True)
class LearnedLeg:
    """Limits and effort of one leg over `compact.LEG`, for many states at once (…, 5).

    OpenSim's legs have mirrored coordinates, so the same numbers mean mirrored poses and one leg's networks serve both.
    """

    folder: Path = SHIPPED

    def correction(self, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: Any = 1.0) -> np.ndarray:
        """R (…, 5), Nm: torque − R can be given. Near 0, not exactly 0, where torque can be given already."""
        return self._scaled("R", q, qd, torque, capacity)

    def effort(self, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: Any = 1.0) -> np.ndarray:
        """E (…,) in newtons of maximal force at work, for torques that can be given; at least 0."""
        return np.maximum(self._scaled("E", q, qd, torque, capacity)[..., 0], 0)

    def passive(self, q: np.ndarray) -> np.ndarray:
        """Torque p (…, 5) of muscles at rest, Nm."""
        return network("passive", self.folder)(_joined(q))

    def _scaled(self, name: str, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: Any) -> np.ndarray:
        """An answer where fatigue leaves the share c of every muscle, a number or (…,): c·F(q, q̇, p + (τ − p)/c).

        Exact, as activations up to c give c times the torques beyond p that activations up to 1 do, at c times the
        effort; so no network needs an input for fatigue.
        """
        answer = network(name, self.folder)
        if isinstance(capacity, float | int) and capacity == 1:
            return answer(_joined(q, qd, torque))
        share = np.asarray(capacity, np.float32)[..., None]
        if not ((share >= LEAST) & (share <= 1)).all():
            raise InputError(f"capacity: must lie in [{LEAST:g}, 1]; below, no torque is near anything learned")
        rest = self.passive(q)
        return share * answer(_joined(q, qd, rest + (torque - rest) / share))


def _joined(*parts: np.ndarray) -> np.ndarray:
    x = np.concatenate(parts, axis=-1, dtype=np.float32)
    if not np.isfinite(x).all():
        raise InputError("q, qd or torque: not finite, so no muscle's answer can be given")
    return x
