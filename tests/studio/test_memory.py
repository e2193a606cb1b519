"""Large blocks go back to the system, whatever was freed before."""

import ctypes
import subprocess
import sys

import pytest

COUNT = """
import ctypes
import sys
import numpy as np
from lactic.studio.memory import give_back

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd u f o k c".split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info
if sys.argv[1] == "steady":
    give_back()
np.ones(20_000_000, np.uint8)  # freed at once: from now on glibc puts blocks of a megabyte among the small ones
before = libc.mallinfo2().hblks
kept = np.ones(1_000_000, np.uint8)
print(libc.mallinfo2().hblks - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="glibc alone has this fault")
@pytest.mark.parametrize(("how", "mappings"), [("as it is", "0"), ("steady", "1")])
def test_a_large_block_is_a_mapping_of_its_own_after_another_was_freed(how: str, mappings: str):
    said = subprocess.run([sys.executable, "-c", COUNT, how], capture_output=True, text=True, check=True).stdout
    assert said.strip() == mappings
