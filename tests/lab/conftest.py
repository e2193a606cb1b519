"""Clips and a brain for the laboratory."""

from collections.abc import Callable
from pathlib import Path

import pytest
from skills import skill
from standing import Stander

from lactic.motion.body_clip import BodyClip


@pytest.fixture(scope="session")
def clip() -> Callable[[str], BodyClip]:
    """Made-up skills of the humanoid, by name; running and walking are closed cycles."""
    return skill


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Stander]:
    """Makes characters that hold the rest pose, with their fall rule in params.yaml."""
    return lambda name="stand", **more: Stander(tmp_path, name, **more)
