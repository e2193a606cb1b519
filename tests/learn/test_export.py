"""Brains stored in fewer bits do nearly what the whole ones do."""

import shutil

import numpy as np
import onnxruntime
import pytest

from lactic.errors import InputError
from lactic.learn.export import export_run, shrink


def test_fewer_bits_are_smaller_files_that_nearly_agree(follower, tmp_path):
    half = shutil.copy(follower / "brain.onnx", tmp_path / "half.onnx")
    shrink(half, 16)
    sizes, targets = [], []
    for path in (follower / "brain.onnx", half, export_run(follower.parent / "run", tmp_path / "8", 8)):
        sizes.append(path.stat().st_size)
        session = onnxruntime.InferenceSession(str(path))
        random = np.random.default_rng(0)
        asked = {
            x.name: random.normal(size=[d if isinstance(d, int) else 8 for d in x.shape]).astype(np.float32)
            for x in session.get_inputs()
        }
        targets.append(session.run(["targets"], asked)[0])
    assert sizes[1] < 0.6 * sizes[0] and sizes[2] < 0.6 * sizes[1]
    spread = np.std(targets[0], axis=0).mean()
    assert np.abs(targets[1] - targets[0]).max() < 0.01 * spread
    assert 0 < np.abs(targets[2] - targets[0]).mean() < 0.02 * spread


def test_bits_that_no_weight_takes_are_a_plain_error(follower, tmp_path):
    with pytest.raises(InputError, match="bits 4: a large weight takes 32, 16 or 8"):
        export_run(follower.parent / "run", tmp_path / "four", 4)
    assert not (tmp_path / "four").exists()
