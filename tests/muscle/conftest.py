"""Legs to compute with: made up, and the ones that jiang2019 used."""

import pytest
from made_legs import legs_file

from lactic.muscle.osim import Osim, read_osim


@pytest.fixture(scope="session")
def legs(tmp_path_factory: pytest.TempPathFactory) -> Osim:
    """Two made-up legs, read once."""
    return read_osim(legs_file(tmp_path_factory.mktemp("legs")))
