"""A host without Lactic plays a brain's folder as `lactic play` does."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lactic.brain import catalogue
from lactic.play.driver import Recorder
from lactic.play.job import drive
from lactic.play.player import Player

HOST = Path(__file__).resolve().parents[2] / "examples" / "host.py"
WITHOUT = "import runpy, sys; sys.modules['lactic'] = None; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0])"
"""Runs a script where `import lactic` fails."""


def host(folder: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-I", "-c", WITHOUT, str(HOST), str(folder), *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


@pytest.mark.parametrize(("name", "command"), [("pace", ("3.5", "0")), ("kick", ())])
def test_ten_seconds_are_those_of_play(name, command, tmp_path):
    folder = catalogue.find(name)
    ran = host(folder.path, "10", *command, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    recorder = Recorder(drive(folder, Player(folder.load())), 300)
    recorder.run()
    with np.load(tmp_path / "motion.npz") as motion:
        np.testing.assert_allclose(motion["qpos"], recorder.qpos, rtol=0, atol=1e-5)
    assert np.ptp(recorder.qpos, axis=0).max() > 0.5  # it did move


def test_a_brain_that_needs_more_around_it_is_refused(tmp_path):
    ran = host(catalogue.find("steer").path, "1", cwd=tmp_path)
    assert ran.returncode == 1 and "host 'motion'" in ran.stderr
    assert not list(tmp_path.iterdir())
