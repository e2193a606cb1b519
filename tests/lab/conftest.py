"""Clips and a brain for the laboratory."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from standing import Stander

from lactic import body as bodies
from lactic.motion.body_clip import BodyClip
from lactic.motion.read import read
from lactic.motion.retarget import retarget


@pytest.fixture(scope="session")
def clip(shared_data: Path) -> Callable[[str], BodyClip]:
    """DeepMimic clips on the humanoid, by name; running and walking are closed cycles."""

    @cache
    def load(name: str) -> BodyClip:
        raw = read(shared_data / "deepmimic" / "motions" / f"humanoid3d_{name}.txt")
        return retarget(raw, bodies.get("humanoid"), fps=30.0, close=name in ("run", "walk"))[0]

    return load


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Stander]:
    """Makes characters that hold the rest pose, with their fall rule in params.yaml."""
    return lambda name="stand", **more: Stander(tmp_path, name, **more)
