"""Large blocks go back to the system, whatever was freed before."""

import ctypes
import subprocess
import sys

import pytest

COUNT = """
import ctypes
import numpy as np
from lactic.studio.memory import give_back

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd u f o k c".split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info

def own_mappings(act):
    before = libc.mallinfo2().hblks
    kept = act()
    return libc.mallinfo2().hblks - before

np.ones(20_000_000, np.uint8)  # freed at once: from now on glibc puts blocks of a megabyte among the small ones
print(own_mappings(lambda: np.ones(1_000_000, np.uint8)))
give_back()
np.ones(20_000_000, np.uint8)
print(own_mappings(lambda: np.ones(1_000_000, np.uint8)))
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="glibc alone has this fault")
def test_a_large_block_is_a_mapping_of_its_own_after_another_was_freed():
    said = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["0", "1"]
