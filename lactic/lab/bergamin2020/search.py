"""Sec. 3.2, Alg. 3.7 to 3.9: the three searches and scipy's k-d tree, on the same queries in the same run."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from scipy.spatial import cKDTree

from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import database
from lactic.lab.pictures import BLUE, GREEN, dress, panel
from lactic.lab.report import Report
from lactic.steer.gamepad import ArtificialUser
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.matching import TAGS, Database, search
from lactic.steer.matching.search import METHODS, Method

TITLE = "searches for the best frame"
QUERIES = 10_000
ROUNDS, PART = 10, 200
"""Rounds in which the contenders take turns, and queries in each."""
CHARACTERS = 20
TREE, TREE_AT_ONCE = "k-d tree", "k-d tree, all queries in one call"

Asked = tuple[np.ndarray, str, int | None]
"""A query, the tag asked for, and the frame that plays."""


class Overheard(KinematicCharacters):
    """Characters whose searches are written down."""

    def __init__(self, held: Database, count: int):
        self.heard: list[Asked] = []
        super().__init__(held, count)

    def _search(self, i: int) -> None:
        self.heard.append((self.state.query[i].copy(), TAGS[self._tag(i)], int(self.state.frame[i])))
        super()._search(i)


def on_path(held: Database, count: int) -> list[Asked]:
    """Queries of characters that the artificial user steers."""
    crowd = Overheard(held, CHARACTERS)
    user = ArtificialUser(CHARACTERS, dt=1 / held.fps, crouch="crouch" in held.tags_present)
    while len(crowd.heard) < count:
        crowd.step(user.step())
    return crowd.heard[:count]


def at_random(held: Database, count: int) -> list[Asked]:
    """Queries from anywhere in the space of features, normal with each one's mean and deviation."""
    draw = np.random.default_rng(0)
    queries = held.mean + held.scale * draw.normal(size=(count, len(held.mean)))
    tags = draw.choice(held.tags_present, count)
    return [(query, str(tag), None) for query, tag in zip(queries, tags, strict=True)]


def contenders(held: Database) -> dict[str, Callable[[Sequence[Asked]], object]]:
    """Ways to answer queries, by name: ours, and scipy's k-d trees."""
    ways: dict[str, Callable[[Sequence[Asked]], object]] = {method: _by(held, method) for method in METHODS}
    factor, trees = held.weights / held.scale, {}
    for tag in held.tags_present:
        frames = np.sort(held.index(tag).frames[held.index(tag).frames < held.frames])
        trees[tag] = cKDTree((held.features[frames] - held.mean) * factor)

    def one_by_one(part: Sequence[Asked]) -> None:
        for query, tag, _ in part:
            trees[tag].query((query - held.mean) * factor)

    def at_once(part: Sequence[Asked]) -> None:
        for tag, tree in trees.items():
            queries = [query for query, its, _ in part if its == tag]
            if queries:
                tree.query((np.array(queries) - held.mean) * factor)

    return ways | {TREE: one_by_one, TREE_AT_ONCE: at_once}


def _by(held: Database, method: Method) -> Callable[[Sequence[Asked]], list[int]]:
    return lambda part: [search(held, query, tag, current, method) for query, tag, current in part]


def turns(ways: dict[str, Callable[[Sequence[Asked]], object]], asked: list[Asked]) -> dict[str, float]:
    """Microseconds a query, the median over rounds in which all take turns on the same queries.

    Of this thread's processor time, so that others at work on the machine count less; each way uses one thread.
    """
    taken: dict[str, list[float]] = {name: [] for name in ways}
    size = max(min(PART, len(asked) // ROUNDS), 1)
    for act in ways.values():
        act(asked[:2])
    for k in range(ROUNDS):
        part = asked[k * size : (k + 1) * size]
        for name, act in ways.items():
            start = time.thread_time()
            act(part)
            taken[name].append((time.thread_time() - start) / len(part) * 1e6)
    return {name: float(np.median(times)) for name, times in taken.items()}


def make(bench: Bench, report: Report) -> None:
    """Whether the three agree on queries of either kind, and what a search costs."""
    held = database(bench, report)
    own = np.diff(held.clip_start)[held.mirror_of < 0].sum() / held.fps / 60
    report.add("database", "clips", "minutes", float(own))
    report.add("database", "with mirror images", "minutes", held.seconds / 60)
    ways = contenders(held)
    axis = panel(report, height=3.0, x="µs")
    for k, (kind, asked) in enumerate((("on-path", on_path(held, QUERIES)), ("random", at_random(held, QUERIES)))):
        found = [_by(held, method)(asked) for method in METHODS]
        apart = sum(len(set(frames)) > 1 for frames in zip(*found, strict=True))
        report.add("all three", f"{kind}, {len(asked)} queries", "disagreements", apart)
        times = turns(ways, asked)
        for name, taken in times.items():
            report.add(name, kind, "microseconds_a_search", taken)
            report.add(name, kind, "over_brute_force", taken / times["brute"])
        report.add("aabb", kind, "over_k_d_tree", times["aabb"] / min(times[TREE], times[TREE_AT_ONCE]))
        axis.barh(np.arange(len(times)) + 0.4 * k, list(times.values()), 0.4, color=(BLUE, GREEN)[k], label=kind)
    axis.set_yticks(np.arange(len(ways)) + 0.2, list(ways))
    axis.set_xscale("log")
    dress(axis, "processor time of a search", "")
