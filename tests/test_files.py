"""Whole numbers as bytes that compress well."""

import numpy as np
import pytest

from lactic.files import packed, unpacked


@pytest.mark.parametrize("kind", [np.int16, np.int32])
def test_numbers_come_back(kind):
    """The largest and smallest too, whose differences do not fit."""
    most = np.iinfo(kind).max
    values = np.random.default_rng(0).integers(-most, most, (50, 3)).astype(float)
    values[:4, 0] = (most, -most, most, -most)
    planes = packed(values, kind)
    assert planes.dtype == np.uint8 and planes.shape == (np.dtype(kind).itemsize, 3, 50)
    np.testing.assert_array_equal(unpacked(planes, kind), values)


def test_other_arrays_are_refused():
    with pytest.raises(ValueError, match="not packed"):
        unpacked(np.zeros((5, 28), np.int16), np.int16)
