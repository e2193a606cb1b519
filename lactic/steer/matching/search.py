"""The frame nearest to a query, by three algorithms that find the same one (bergamin2020 Alg. 3.7 to 3.9).

They are compiled where numba is installed (`pip install 'lactic[muscle]'`); without it NumPy looks at every frame, and
finds the same ones, only slower.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Literal

import numpy as np

from lactic.compiling import COMPILED, bound
from lactic.errors import InputError
from lactic.steer.matching.database import Database
from lactic.steer.matching.features import COUNT

Method = Literal["brute", "early_out", "aabb"]
METHODS: tuple[Method, ...] = ("brute", "early_out", "aabb")


def search(database: Database, query: np.ndarray, tag: str, current: int | None = None, method: Method = "aabb") -> int:
    """The frame with the tag whose features are nearest to the query; of equals the first.

    `current`, a frame expected to be near (such as the one playing), is only looked at first: it never changes what is
    found.
    """
    index = database.index(tag)
    query = np.ascontiguousarray(query, dtype=float)
    if query.shape != (COUNT,):
        raise InputError(f"a query of shape {query.shape}: must be ({COUNT},)")
    if method not in METHODS:
        raise InputError(f"unknown search '{method}'; there are: {', '.join(METHODS)}")
    compiled = kernel()
    if method == "aabb" and compiled is not None:
        found = compiled.aabb(query, index, -1 if current is None else int(index.place[current]))
    else:
        q = ((query[index.order] - index.mean) * index.factor).astype(np.float32)
        find = _brute if compiled is None else getattr(compiled, method)
        found = find(index.points, index.frames, q) if np.isfinite(q).all() else -1
    if found < 0:
        raise InputError("a query with NaN or infinite values in it")
    return int(found)


def searcher(database: Database, tag: str) -> Callable[[np.ndarray, int], int]:
    """`search` for one tag without its checks: from queries (feature,) in float64 and the frame that plays."""
    compiled, index = kernel(), database.index(tag)
    if compiled is None:
        return lambda query, current: search(database, query, tag, current)
    find = bound(compiled.aabb, np.zeros(COUNT), index, 0)

    def found(query: np.ndarray, current: int) -> int:
        frame = find(query, index, int(index.place[current]))
        if frame < 0:
            raise InputError("a query with NaN or infinite values in it")
        return frame

    return found


def _brute(points: np.ndarray, frames: np.ndarray, q: np.ndarray) -> int:
    """Alg. 3.7 in NumPy: the same sums in the same order as the compiled searches, so the same frame."""
    cost = np.zeros(frames.shape, dtype=np.float32)
    for k in range(len(q)):
        cost += np.square(points[:, k] - q[k])
    return int(frames[cost == cost.min()].min())


@cache
def kernel() -> ModuleType | None:
    """The compiled searches, or None where numba is not installed."""
    if not COMPILED:
        return None
    from lactic.steer.matching import kernel as compiled

    return compiled
