"""Fixtures shared by all tests."""

import os
import tarfile
from pathlib import Path

# ahead of torch and NumPy: on small arrays threads only wait for each other, tenfold where others use the cores
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of motion data that is never committed; tests that need it skip without it."""
    folder = Path(os.environ.get("LACTIC_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no motion data at {folder} (set LACTIC_DATA)")
    return folder


@pytest.fixture(scope="session")
def skills(shared_data, tmp_path_factory):
    """The CMU skill set unpacked: files in run/, walk/, …"""
    return _unpacked(shared_data / "cmu" / "skills_bvh_120fps.tar.xz", tmp_path_factory) / "skills_bvh"


@pytest.fixture(scope="session")
def idles(shared_data, tmp_path_factory):
    """ReActIdle's BVH files."""
    return _unpacked(shared_data / "reactidle" / "genuine_idle.tar.xz", tmp_path_factory) / "genuine"


def _unpacked(archive, tmp_path_factory):
    if not archive.exists():
        pytest.skip(f"{archive} is not there")
    folder = tmp_path_factory.mktemp("clips")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder
