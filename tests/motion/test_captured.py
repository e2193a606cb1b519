"""Published clips, where they are: all are read, and move the humanoid as they move."""

import tarfile
from pathlib import Path

import numpy as np
import pytest
from test_retarget import check

from lactic import rotation
from lactic.motion import ground, read, retarget
from lactic.motion.bvh import read_bvh
from lactic.motion.bvh_write import write_bvh
from lactic.motion.poselib import read_poselib

# clip: what its limbs may be off by at most on average (degrees), as measured, rounded up
DEEPMIMIC = {"run": 0.1, "walk": 0.1, "jump": 0.1, "cartwheel": 1.0, "backflip": 1.0, "spinkick": 0.8}
POSELIB = {"run": 0.1, "walk": 0.1, "hop": 0.1, "cartwheel": 1.5, "backflip": 1.0}
CMU = {
    "run/09_01": 1.2,
    "walk/16_15": 1.6,
    "hop_jump/16_01": 2.5,
    "cartwheel/49_06": 2.3,
    "backflip/88_01": 1.8,
    "spin_kick/90_05": 2.0,
    "spin_kick/90_06": 2.0,
    "spin_kick/90_07": 1.8,
}


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


def test_captured_clips(shared_data, tmp_path):
    """One test, since all of it needs data that are never committed."""
    captured = Captured(shared_data, tmp_path)
    are_read(captured, tmp_path)
    move_the_humanoid(captured)


def are_read(captured: Captured, folder: Path) -> None:
    """Every file of CMU's skill set, poselib's of the paper, DeepMimic's and ReActIdle's."""
    files = captured.all_of_cmu()
    assert len(files) == 67
    for path in files:
        clip = read(path)
        rest, _ = clip.rest_globals()
        head, left, right = (rest[clip.joints.index(n)] for n in ("Head", "LeftHand", "RightHand"))
        assert 0.35 < head[2] < 1.0 and left[1] > 0.5 and right[1] < -0.5, path  # a T-pose, metres, left at +y
        assert 0.1 < clip.root_pos[:, 2].max() < 2 and clip.frames > 100, path
        slow = path.stem.split("_")[0] in ("75", "87", "88") or path.stem in ("90_08", "90_11")
        assert clip.fps == (60 if slow else 120), path
    assert read(captured.cmu("run/09_10")).root_pos[:, 2].min() > 0.9  # untracked ends are cut
    rates = {"run": (30, 41), "walk": (30, 77), "hop": (30, 149), "cartwheel": (30, 144), "backflip": (16, 29)}
    for name, expected in rates.items():
        clip = read_poselib(captured.poselib(name))
        assert (clip.fps, clip.frames) == expected
        assert np.median(np.linalg.norm(np.diff(clip.root_pos, axis=0), axis=1)) > 1e-3  # no pose is stored twice
    ours, theirs = read(captured.deepmimic("backflip")), read(captured.poselib("backflip"))
    at, at_theirs = ours.globals()[0], theirs.globals()[0]
    for mine, their in (("left_knee", "left_shin"), ("right_wrist", "right_hand"), ("neck", "head")):
        apart = at[:, ours.joints.index(mine)] - at_theirs[:, theirs.joints.index(their)]
        assert np.linalg.norm(apart, axis=-1).max() < 0.02  # two conventions, one motion
    idle = read(captured.idle("003"))  # metres, and positions on every joint
    assert idle.fps == 24 and idle.frames == 918
    for clip in (idle, *(read(captured.cmu(name)) for name in ("backflip/88_01", "cartwheel/49_06"))):
        write_bvh(folder / "again.bvh", clip)
        np.testing.assert_allclose(read_bvh(folder / "again.bvh", unit="m").root_pos, clip.root_pos, atol=1e-5)


def move_the_humanoid(captured: Captured) -> None:
    """DeepMimic's, poselib's, CMU's and ReActIdle's files."""
    files = {captured.deepmimic(name): off for name, off in DEEPMIMIC.items()}
    files |= {captured.poselib(name): off for name, off in POSELIB.items()}
    files |= {captured.cmu(name): off for name, off in CMU.items()}
    found = {path: check(read(path), off)[0] for path, off in files.items()}
    kick = found[captured.cmu("spin_kick/90_06")]  # turns once in the air
    feet = ground.clearance(kick.body, kick.qpos)[:, [kick.body.bodies.index(name) for name in kick.body.feet]]
    assert np.degrees(np.ptp(np.unwrap(rotation.heading(kick.qpos[:, 3:7])))) > 330
    assert (feet.min(axis=1) > 0.05).sum() / kick.fps > 0.35
    run, _ = retarget(read(captured.deepmimic("run")), fps=30, close=True)
    assert run.cyclic and run.gap() < 1e-9
    again = run.loop(3)
    assert ground.clearance(again.body, again.qpos).min() > -0.02
    assert np.linalg.norm(again.qpos[-1, :2] - again.qpos[0, :2]) / again.seconds == pytest.approx(3.65, abs=0.1)
    idle, residual = retarget(read(captured.idle("010")).cut(0, 10), fps=30)  # without hands or toes
    assert np.degrees(residual.direction_mean) < 4
    assert np.ptp(idle.qpos[:, 2]) < 0.02 and 0.8 < idle.qpos[0, 2] < 1.0
    assert np.abs(ground.clearance(idle.body, idle.qpos).min(axis=1)).max() < 0.015
