"""Motion matching: the three searches and scipy's k-d tree on the same queries in the same run.

    python bench/matching.py DATABASE.npz [--queries 10000]

The on-path queries are those that a kinematic character makes while the artificial user steers it; the random ones are
drawn from a normal distribution with the mean and deviation of each feature.
"""

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np
from scipy.spatial import cKDTree

from lactic.motion import kinematic
from lactic.motion.gamepad import ArtificialUser
from lactic.motion.matching import Database, search
from lactic.motion.matching.search import METHODS

ROUNDS = 10
Asked = tuple[np.ndarray, str, int | None]


def on_path(database: Database, count: int, characters: int = 20) -> list[Asked]:
    """Queries, tags and current frames of characters that the artificial user steers."""
    asked: list[Asked] = []

    def recorded(held: Database, query: np.ndarray, tag: str, current: int | None = None) -> int:
        asked.append((query.copy(), tag, current))
        return search(held, query, tag, current)

    original, kinematic.search = kinematic.search, recorded  # type: ignore[assignment]
    try:
        crowd = kinematic.KinematicCharacters(database, characters)
        user = ArtificialUser(characters, dt=1 / database.fps)
        asked.clear()
        while len(asked) < count:
            crowd.step(user.step())
    finally:
        kinematic.search = original
    return asked[:count]


def at_random(database: Database, count: int) -> list[Asked]:
    """Queries from anywhere in the space of features, without a current frame."""
    draw = np.random.default_rng(0)
    queries = database.mean + database.scale * draw.normal(size=(count, len(database.mean)))
    tags = draw.choice(database.tags_present, count)
    return [(query, str(tag), None) for query, tag in zip(queries, tags, strict=True)]


def k_d_trees(database: Database) -> dict[str, tuple[cKDTree, np.ndarray]]:
    """A tree of the normalised and weighted points of each tag, and their frames."""
    trees = {}
    for tag in database.tags_present:
        frames = np.sort(database.index(tag).frames[database.index(tag).frames < database.frames])
        points = (database.features[frames] - database.mean) * (database.weights / database.scale)
        trees[tag] = cKDTree(points), frames
    return trees


def turns(contenders: dict[str, Callable[[Sequence[Asked]], object]], asked: list[Asked]) -> dict[str, float]:
    """Microseconds a query, the median over rounds in which the contenders take turns on the same queries.

    Of this thread's processor time, so that others at work on the machine count less; all contenders use one thread.
    """
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    size = min(200, len(asked) // ROUNDS)
    for act in contenders.values():
        act(asked[:2])
    for k in range(ROUNDS):
        part = asked[k * size : (k + 1) * size]
        for name, act in contenders.items():
            start = time.thread_time()
            act(part)
            taken[name].append((time.thread_time() - start) / len(part) * 1e6)
    return {name: float(np.median(times)) for name, times in taken.items()}


def main() -> None:
    """Print what agrees, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("--queries", type=int, default=10000)
    given = parser.parse_args()
    database = Database.load(given.database)
    own = np.diff(database.clip_start)[database.mirror_of < 0].sum() / database.fps / 60
    tags = ", ".join(f"{tag} {(database.index(tag).frames < database.frames).sum()}" for tag in database.tags_present)
    print(f"{own:.1f} minutes of clips, {database.seconds / 60:.1f} with mirrored ones; frames to search: {tags}")
    trees = k_d_trees(database)

    def by(method: str) -> Callable[[Sequence[Asked]], list[int]]:
        return lambda part: [search(database, q, tag, current, method) for q, tag, current in part]  # type: ignore[arg-type]

    def tree_one_by_one(part: Sequence[Asked]) -> None:
        for query, tag, _ in part:
            trees[tag][0].query((query - database.mean) * (database.weights / database.scale))

    def tree_at_once(part: Sequence[Asked]) -> None:
        for tag in database.tags_present:
            points = [query for query, its, _ in part if its == tag]
            if points:
                trees[tag][0].query((np.array(points) - database.mean) * (database.weights / database.scale))

    for name, asked in (
        ("on-path", on_path(database, given.queries)), ("random", at_random(database, given.queries)),
    ):  # fmt: skip
        found = {method: by(method)(asked) for method in METHODS}
        apart = sum(len(set(frames)) > 1 for frames in zip(*found.values(), strict=True))
        print(f"{name}: the three searches disagree on {apart} of {len(asked)} queries")
        contenders = {method: by(method) for method in METHODS}
        contenders |= {"k-d tree": tree_one_by_one, "k-d tree, all queries at once": tree_at_once}
        times = turns(contenders, asked)
        for contender, taken in times.items():
            print(f"  {contender:30} {taken:8.1f} µs a search; {taken / times['brute']:6.3f} of brute force")
        best = min(times["k-d tree"], times["k-d tree, all queries at once"])
        print(f"  aabb is {best / times['aabb']:.1f} times as fast as the k-d tree")


if __name__ == "__main__":
    main()
