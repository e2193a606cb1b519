"""Captured clips, where they are."""

import tarfile
from pathlib import Path

import pytest


class Captured:
    """Files of published clips by name."""

    def __init__(self, data: Path, unpacked: Path):
        self.data, self.unpacked = data, unpacked
        for archive in ("cmu/skills_bvh_120fps.tar.xz", "reactidle/genuine_idle.tar.xz"):
            with tarfile.open(data / archive) as tar:
                tar.extractall(unpacked, filter="data")

    def deepmimic(self, name: str) -> Path:
        return self.data / "deepmimic" / "motions" / f"humanoid3d_{name}.txt"

    def poselib(self, name: str) -> Path:
        return self.data / "isaacgymenvs_amp" / f"amp_humanoid_{name}.npy"

    def cmu(self, name: str) -> Path:
        return self.unpacked / "skills_bvh" / f"{name}.bvh"

    def all_of_cmu(self) -> list[Path]:
        return sorted((self.unpacked / "skills_bvh").glob("*/*.bvh"))

    def idle(self, number: str) -> Path:
        return self.unpacked / "genuine" / f"{number}_genuine.bvh"


@pytest.fixture(scope="session")
def captured(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Captured:
    """Clips of DeepMimic, poselib, CMU and ReActIdle."""
    return Captured(shared_data, tmp_path_factory.mktemp("clips"))
