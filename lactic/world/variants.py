"""Worlds whose bodies differ in numbers, such as size and mass, but not in structure."""

from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco.batch import MODEL_FIELDS

from lactic.errors import InputError

SIZES = ("nq", "nv", "nu", "nbody", "ngeom", "njnt", "nsensor")


def differing(model: mujoco.MjModel, variants: Sequence[mujoco.MjModel], count: int) -> dict[str, np.ndarray]:
    """The fields in which `variants` differ from `model`, (world, …) each: world i is variants[i % their number]."""
    for other in variants:
        if any(getattr(other, size) != getattr(model, size) for size in SIZES):
            raise InputError("bodies side by side in one world must have the same bodies, joints and shapes")
        if (other.geom_type != model.geom_type).any():
            raise InputError("bodies side by side in one world must have shapes of the same kinds")
    found = {}
    for name in MODEL_FIELDS:
        if name.startswith("opt."):
            continue
        own = np.asarray(getattr(model, name))
        if any(not np.array_equal(np.asarray(getattr(other, name)), own) for other in variants):
            found[name] = np.stack([np.asarray(getattr(variants[i % len(variants)], name)) for i in range(count)])
    return found
