"""Fixtures shared by all tests."""

import os
from pathlib import Path

# ahead of torch and NumPy: on small arrays threads only wait for each other, tenfold where others use the cores
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of published data that is never committed; the few tests that need it skip without it."""
    folder = Path(os.environ.get("LACTIC_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("published clips and models are not here: set LACTIC_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def follower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a brain that follows a leader and has learnt nothing; its run and steps.npz lie beside it.

    Exporting takes seconds, so all tests share it: copy it before you change it.
    """
    from followers import untrained

    return untrained(tmp_path_factory.mktemp("follower"))
