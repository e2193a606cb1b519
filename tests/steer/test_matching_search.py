"""The three searches find the same frame, with numba and without, whatever they start from."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from strolls import stroll, strolls

from lactic.errors import InputError
from lactic.steer.matching import TAGS, build, search
from lactic.steer.matching.search import METHODS, kernel

module = sys.modules["lactic.steer.matching.search"]


@pytest.fixture(scope="module")
def database():
    return build(strolls(12))


@pytest.fixture(params=["compiled", "numpy"])
def engine(request, monkeypatch):
    """Both kinds of the searches."""
    if request.param == "numpy":
        monkeypatch.setattr(module, "kernel", lambda: None)
    elif kernel() is None:
        pytest.skip("no numba: pip install lactic[muscle]")
    return request.param


def random_queries(database, count, seed=0):
    """Queries from anywhere near the data, each with a tag."""
    draw = np.random.default_rng(seed)
    queries = database.mean + database.scale * draw.normal(size=(count, len(database.mean)))
    return queries, draw.choice(TAGS, count)


def path_queries(database, count, seed=0):
    """Queries of being in a frame and wanting a little other than what follows: tags, and the frames."""
    draw = np.random.default_rng(seed)
    frames = draw.choice(np.flatnonzero(database.searchable), count)
    queries = database.features[frames] + 0.1 * database.scale * draw.normal(size=(count, len(database.mean)))
    return queries, draw.choice(TAGS, count), frames


def by_hand(database, query, tag):
    """The frame of least cost in double precision, and the second least cost over the least."""
    frames = np.flatnonzero(database.tags[:, TAGS.index(tag)] & database.searchable)
    cost = np.sum(((database.features[frames] - query) * (database.weights / database.scale)) ** 2, axis=1)
    return frames[np.argmin(cost)], frames, cost


def test_search_finds_the_least_cost(database, engine):
    queries, tags, _ = path_queries(database, 60)
    for query, tag in zip(queries, tags, strict=True):
        best, frames, cost = by_hand(database, query, tag)
        found = search(database, query, tag)
        assert found in frames
        # float32 may take another of two frames that are as good
        assert found == best or database.cost(query, found) <= cost.min() * (1 + 1e-5)


def test_three_searches_agree_on_random_and_on_path_queries(database):
    if kernel() is None:
        pytest.skip("no numba: pip install lactic[muscle]")
    for queries, tags, *current in (random_queries(database, 10000), path_queries(database, 10000)):
        frames = current[0] if current else [None] * len(queries)
        for query, tag, frame in zip(queries, tags, frames, strict=True):
            found = {search(database, query, tag, frame, method) for method in METHODS}
            assert len(found) == 1


def test_numpy_finds_what_the_compiled_searches_find(database, monkeypatch):
    if kernel() is None:
        pytest.skip("no numba: pip install lactic[muscle]")
    for queries, tags, *_ in (random_queries(database, 100, 1), path_queries(database, 100, 1)):
        compiled = [search(database, q, tag) for q, tag in zip(queries, tags, strict=True)]
        with monkeypatch.context() as without:
            without.setattr(module, "kernel", lambda: None)
            for method in METHODS:
                plain = [search(database, q, tag, method=method) for q, tag in zip(queries, tags, strict=True)]
                assert plain == compiled


def test_current_frame_changes_nothing(database, engine):
    queries, tags = random_queries(database, 40, 2)
    draw = np.random.default_rng(3)
    for query, tag in zip(queries, tags, strict=True):
        without = search(database, query, tag)
        for current in (0, database.frames - 1, *draw.integers(0, database.frames, 3)):
            assert search(database, query, tag, int(current)) == without


def test_of_equal_frames_the_first_is_found(engine):
    clip = stroll(3.0, 1.2)
    twice = build([clip, stroll(3.0, 0.4, 0.5), clip], mirror=False)
    later = int(twice.clip_start[2])
    for frame in (0, 17, 60):
        query = twice.features[later + frame]
        for method in METHODS:
            assert search(twice, query, "walk", later + frame, method) == frame


def test_frames_own_query_finds_the_frame(database, engine):
    for frame in np.flatnonzero(database.searchable)[::97]:
        tag = TAGS[int(np.argmax(database.tags[frame]))]
        assert database.cost(database.features[frame], search(database, database.features[frame], tag)) < 1e-9


def test_a_second_is_left_to_play_after_every_match(database):
    queries, tags = random_queries(database, 200, 4)
    for query, tag in zip(queries, tags, strict=True):
        found = search(database, query, tag)
        assert database.tags[found, TAGS.index(tag)]
        end = database.clip_start[np.searchsorted(database.clip_start, found, side="right")]
        assert end - 1 - found >= database.fps


def test_few_frames_fill_no_whole_box(engine):
    short = build([stroll(1.3, 1.0)], mirror=False)
    assert short.searchable.sum() == 19
    for frame in range(19):
        assert search(short, short.features[frame], "walk") == frame


def test_tag_without_frames_is_a_clear_error(engine):
    walks = build([stroll(3.0, 1.0)])
    with pytest.raises(InputError, match="no frame tagged 'crouch' \\(only walk\\)"):
        search(walks, walks.features[0], "crouch")
    with pytest.raises(InputError, match="unknown tag 'swim'; there are: walk, run, crouch"):
        search(walks, walks.features[0], "swim")


@pytest.mark.parametrize("method", METHODS)
def test_bad_queries_are_clear_errors(database, engine, method):
    query = database.features[0]
    for value in (np.nan, np.inf):
        broken = query.copy()
        broken[5] = value
        with pytest.raises(InputError, match="NaN or infinite"):
            search(database, broken, "walk", method=method)
    with pytest.raises(InputError, match="must be \\(27,\\)"):
        search(database, query[:-1], "walk", method=method)


def test_unknown_method_is_a_clear_error(database):
    with pytest.raises(InputError, match="unknown search 'magic'"):
        search(database, database.features[0], "walk", method="magic")


def test_searches_work_where_numba_is_not_installed():
    code = (
        "import sys; sys.modules['numba'] = None; sys.path.insert(0, sys.argv[1])\n"
        "from strolls import stroll\n"
        "from lactic.steer.matching import build, search\n"
        "held = build([stroll(2.0)], mirror=False)\n"
        "print([search(held, held.features[7], 'walk', method=m) for m in ('brute', 'early_out', 'aabb')])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[7, 7, 7]"
