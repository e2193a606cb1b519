"""The leg that jiang2019 used."""

from pathlib import Path

import pytest

from lactic.muscle.osim import Osim, read_osim


@pytest.fixture(scope="session")
def gait(shared_data: Path) -> Osim:
    """gait2392, read once."""
    path = shared_data / "osim" / "gait2392_thelen2003muscle.osim"
    if not path.exists():
        pytest.skip(f"no {path}")
    return read_osim(path)
