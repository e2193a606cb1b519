"""The shared clips, unpacked once."""

import tarfile

import pytest


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
