"""The frame nearest to a query, by three algorithms that agree (bergamin2020 Alg. 3.7 to 3.9)."""

from typing import Literal

import numpy as np

from lactic.errors import InputError
from lactic.motion.matching.database import Database

Method = Literal["brute", "early_out", "aabb"]
METHODS: tuple[Method, ...] = ("brute", "early_out", "aabb")


def search(
    database: Database, query: np.ndarray, tag: str, current: int | None = None, method: Method = "aabb"
) -> int:
    """The frame with the tag whose features are nearest to the query; of equals the first.

    `current`, a frame expected to be near (the one playing now), is only looked at first: it makes the search faster
    and never changes its result.
    """
    index = database.index(tag)
    point = database.points(np.asarray(query))
    if point.shape != index.shape or not np.isfinite(point).all():
        raise InputError(f"query of shape {np.shape(query)}: must be {index.shape[0]} finite numbers")
    return index.nearest(point, -1 if current is None else current, method)
