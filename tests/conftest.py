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
