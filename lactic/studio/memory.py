"""Memory that goes back to the system when actors leave the stage."""

import ctypes
import sys

LARGE = 128 * 1024
"""Bytes from which a block is a mapping of its own: what glibc begins with."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h


def give_back() -> None:
    """Let glibc map every large block on its own, for good.

    By default glibc raises this limit whenever a large block is freed. Tapes and weights then lie among small blocks,
    which keep the memory of those that are gone: the studio grew with every skill that came on stage. Elsewhere nothing
    is done.
    """
    if not sys.platform.startswith("linux"):
        return
    change = getattr(ctypes.CDLL(None), "mallopt", None)
    if change is not None:  # musl has none, and needs none
        change(_M_MMAP_THRESHOLD, LARGE)
        change(_M_TRIM_THRESHOLD, LARGE)
