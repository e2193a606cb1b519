"""Jobs on this machine and on a local Ray of two workers: the same answers."""

import importlib.util
import json
import math
import os
import signal

import numpy as np
import pytest

from lactic.body import humanoid
from lactic.errors import InputError
from lactic.jobs import answers
from lactic.lab import job as lab
from lactic.learn.sweep import sweep
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library
from lactic.motion.library.build import build


def test_answers_come_with_the_number_of_their_job():
    assert dict(answers(math.comb, [(5, k) for k in range(6)])) == {k: math.comb(5, k) for k in range(6)}
    numbers = dict(answers(os.getpid, [()] * 2))
    assert os.getpid() not in numbers.values()


def test_ctrl_c_is_obeyed_between_answers():
    before, used = signal.getsignal(signal.SIGINT), []
    with pytest.raises(KeyboardInterrupt):
        for k, _ in answers(math.comb, [(5, k) for k in range(6)]):
            signal.raise_signal(signal.SIGINT)
            used.append(k)  # what an answer is used for is not broken off
    assert len(used) == 1
    assert signal.getsignal(signal.SIGINT) is before


def test_what_a_job_raises_is_raised():
    with pytest.raises(ValueError, match="factorial"):
        dict(answers(math.factorial, [(-1,)]))


def test_a_cluster_without_ray_is_one_line():
    if importlib.util.find_spec("ray"):
        pytest.skip("ray is installed")
    with pytest.raises(InputError, match=r"lactic\[scale\]"):
        dict(answers(math.comb, [(5, 2)], "local"))


def test_ray_makes_the_same_library_the_same_item_and_the_same_sweep(tmp_path):
    pytest.importorskip("ray", reason="no ray: pip install 'lactic[scale]'")
    body = humanoid()
    for k in range(3):
        qpos = np.tile(body.rest, (40, 1))
        qpos[:, 7 + k] += 0.3 * np.sin(np.arange(40) / 5)
        BodyClip(body.name, 30.0, qpos, f"clip{k}").save(tmp_path / f"clip{k}.npz")
    made = [build([tmp_path], tmp_path.parent / f"{name}.npz", cluster=name) for name in (None, "local")]
    held = [Library.load(tmp_path.parent / f"{name}.npz") for name in (None, "local")]
    assert made[0].names == made[1].names and held[0].names == ("clip0", "clip1", "clip2")
    assert np.array_equal(held[0].qpos, held[1].qpos)
    for name in (None, "local"):
        lab.run("jiang2019", "networks", tmp_path / f"lab-{name}", cluster=name, say=lambda line: None)
    items = [json.loads((tmp_path / f"lab-{name}" / "networks.json").read_text()) for name in (None, "local")]
    assert items[0]["rows"] == items[1]["rows"] and items[0]["rows"]
    words = ["ant", "--seed", "0", "1", "--worlds", "4", "--device", "cpu", "--iterations", "4"]
    rows = [
        sweep([*words, "--out", str(tmp_path / name), *more], lambda line: None)
        for name, more in {"here": [], "there": ["--cluster", "local"]}.items()
    ]
    np.testing.assert_equal(rows[0], rows[1])  # NaN included: no episode ends so soon
    assert len(rows[0]) == 2
