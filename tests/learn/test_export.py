"""Brains stored in fewer bits do nearly what the whole ones do."""

import numpy as np
import onnxruntime
import pytest
from followers import untrained

from lactic.errors import InputError
from lactic.learn.export import export_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return untrained(tmp_path_factory.mktemp("export")).parent / "run"


def test_fewer_bits_are_smaller_files_that_nearly_agree(run, tmp_path):
    sizes, targets = [], []
    for bits in (32, 16, 8):
        path = export_run(run, tmp_path / str(bits), bits)
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


def test_bits_that_no_weight_takes_are_a_plain_error(run, tmp_path):
    with pytest.raises(InputError, match="bits 4: a large weight takes 32, 16 or 8"):
        export_run(run, tmp_path / "four", 4)
    assert not (tmp_path / "four").exists()
