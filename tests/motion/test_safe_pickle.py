"""A pickle is read where it holds plain data, and refused in one line where it would do anything else."""

import os
import pickle
import struct
import tracemalloc

import numpy as np
import pytest

from lactic.errors import InputError
from lactic.motion import safe_pickle

RECONSTRUCT = b"cnumpy._core.multiarray\n_reconstruct\n"
EMPTY_ARRAY = RECONSTRUCT + b"(cnumpy\nndarray\nI0\ntR"
FLOATS = b"cnumpy\ndtype\n(Vf8\nI0\nI1\ntR"
OBJECTS = b"cnumpy\ndtype\n(VO8\nI0\nI1\ntR"


class Calls:
    """An object whose pickle calls a function."""

    def __init__(self, function, *arguments):
        self.reduced = (function, arguments)

    def __reduce__(self):
        return self.reduced


def refused(data):
    with pytest.raises(InputError) as caught:
        safe_pickle.loads(data)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 120
    return str(caught.value)


@pytest.mark.parametrize("protocol", range(2, 6))
def test_plain_data_comes_back(protocol):
    held = {
        "numbers": [1, 2.5, -(2**70), True, None],
        "text": ("a", "ü"),
        "bytes": b"\x00\xff",
        "floats": np.arange(6, dtype=np.float32).reshape(2, 3),
        "columns": np.asfortranarray(np.eye(3)[:, :2]),
        "swapped": np.arange(3, dtype=">i4"),
        "scalar": np.float64(0.1),
        "flag": np.array(True),
        "objects": np.array(["a", {}], dtype=object),
    }
    loaded = safe_pickle.loads(pickle.dumps(np.array(held, dtype=object), protocol=protocol))
    assert list(loaded) == list(held)
    for key, value in held.items():
        np.testing.assert_array_equal(loaded[key], value)
        assert np.asarray(loaded[key]).dtype.newbyteorder("=") == np.asarray(value).dtype.newbyteorder("=")


@pytest.mark.parametrize(
    "function, arguments",
    [
        (os.system, ("true",)),
        (eval, ("1",)),
        (exec, ("1",)),
        (getattr, ("", "join")),
        (np.load, ("x.npy",)),
        (np.fromfile, ("x.npy",)),
        (np.zeros, (10**12,)),
        (np.lib.npyio.NpzFile, ("x.npz",)),
        (pickle.loads, (b"N.",)),
    ],
)
def test_functions_are_not_called(function, arguments):
    assert "it would call" in refused(pickle.dumps(Calls(function, *arguments)))
    assert "it would call" in refused(pickle.dumps({"deep": [Calls(function, *arguments)]}, protocol=2))


def test_a_call_hidden_in_the_arguments_of_an_allowed_one_is_refused():
    assert "it would call" in refused(RECONSTRUCT + b"(cos\nsystem\n(Vtrue\ntRI0\ntR.")
    assert "it would call" in refused(pickle.dumps(Calls(dict, Calls(os.system, "true"))))


def test_names_reached_through_allowed_modules_are_refused():
    for name in ("numpy\nf2py", "numpy._core.multiarray\nfromfile", "_codecs\nlookup", "collections\nabc", "x\nü"):
        refused(f"c{name}\n.".encode())


def test_allowed_functions_only_make_plain_data():
    assert "fit together" in refused(b"cnumpy\nndarray\n(I9999999\ntR.")  # would allocate
    refused(b"c_codecs\nencode\n(cos\nsystem\ntR.")
    refused(b"cnumpy\ndtype\n(VV1000000000\ntR.")  # a type as wide as memory
    refused(b"ccollections\nOrderedDict\n(Va\ntR.")
    refused(EMPTY_ARRAY + b"(I1\n(I2\nt" + FLOATS + b"I0\nC\x08" + bytes(8) + b"tb.")  # two numbers in eight bytes
    refused(EMPTY_ARRAY + b"(I1\n(I2\nt" + OBJECTS + b"I0\n]tb.")  # two objects in an empty list
    refused(EMPTY_ARRAY + b"(I1\n(I-1\nI-1\nt" + FLOATS + b"I0\nC\x08" + bytes(8) + b"tb.")
    refused(EMPTY_ARRAY + b"}Vtake\nNsb.")  # a state of attributes


def test_stand_ins_cannot_be_changed():
    for attribute in (b"_make", b"__call__", b"__class__"):
        refused(RECONSTRUCT + b"(N}V" + attribute + b"\nNstb.")
    array = safe_pickle.loads(pickle.dumps(np.arange(3.0)))
    np.testing.assert_array_equal(array, [0, 1, 2])


def test_claims_of_memory_are_refused_before_it_is_taken():
    huge = struct.pack("<Q", 2**36)
    claims = [
        b"\x80\x05\x96" + huge + b".",  # a bytearray
        b"\x80\x04\x8e" + huge + b".",  # bytes
        b"\x80\x04\x8d" + huge + b".",  # text
        b"Nr\xff\xff\xff\x7f.",  # a memo of two thousand million places
        b"Np2000000000\n.",
        EMPTY_ARRAY + b"(I1\n(I100000000000\nt" + FLOATS + b"I0\nC\x08" + bytes(8) + b"tb.",
        b"cnumpy._core.numeric\n_frombuffer\n(C\x08" + bytes(8) + FLOATS + b"(I100000000000\ntVC\ntR.",
    ]
    tracemalloc.start()
    for data in claims:
        refused(data)
    # the same megabyte over and over
    text = b"X" + struct.pack("<I", 2**20) + b"a" * 2**20
    assert "memory" in refused(b"(" + text + b"q\x01" + b"c_codecs\nencode\n(h\x01tR" * 100 + b"l.")
    raw = b"B" + struct.pack("<I", 2**20) + bytes(2**20)
    state = b"(I1\n(I131072\nt" + FLOATS + b"I0\nh\x01tb"
    assert "memory" in refused(b"(" + raw + b"q\x01" + (EMPTY_ARRAY + state) * 100 + b"l.")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30e6


def test_damaged_pickles_are_refused():
    whole = pickle.dumps({"a": np.arange(5.0)})
    for data in (b"", whole[:-1], whole[:20], b"\x80\x04.", b"P1\n.", b"\x82\x01.", whole[5:]):
        refused(data)
