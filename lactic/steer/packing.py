"""Motion as whole numbers that compress well: second differences over time, low bytes apart from high ones."""

import numpy as np


def packed(values: np.ndarray, kind: type[np.signedinteger]) -> np.ndarray:
    """Whole numbers (frame, column) that fit into `kind`, as bytes (byte, column, frame) for an npz to compress."""
    whole = np.round(values).astype(kind)
    for _ in range(2):
        whole = np.diff(whole, axis=0, prepend=kind(0))  # wraps round, and back again
    rows = np.ascontiguousarray(whole.T).astype(np.dtype(kind).newbyteorder("<"))
    return np.ascontiguousarray(np.moveaxis(rows.view(np.uint8).reshape(*rows.shape, rows.itemsize), -1, 0))


def unpacked(planes: np.ndarray, kind: type[np.signedinteger]) -> np.ndarray:
    """The numbers (frame, column) that `packed` made these bytes of, as floats."""
    if planes.dtype != np.uint8 or planes.ndim != 3 or len(planes) != np.dtype(kind).itemsize:
        raise ValueError("not packed numbers")
    rows = np.ascontiguousarray(np.moveaxis(planes, 0, -1)).view(np.dtype(kind).newbyteorder("<"))[..., 0]
    whole = rows.T.astype(kind)
    for _ in range(2):
        whole = np.cumsum(whole, axis=0, dtype=kind)
    return whole.astype(float)
