"""Makes a motion library of the prepared CMU motions: `cmu_library.py library_30fps.npz OUT.npz`.

The prepared file holds second differences of all frames as four bytes, with `scale`, `start`, `name` and `split`.
"""

import sys
import time
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.files import unpacked
from lactic.motion.library import Library

SOURCE = "CMU mocap (mocap.cs.cmu.edu), created with funding from NSF EIA-0196217"


def main(prepared: str, out: str) -> None:
    """Convert the file, and say how large the library is and how fast it loads."""
    with np.load(prepared, allow_pickle=False) as held:
        qpos = unpacked(np.stack([held[f"b{k}"] for k in range(4)]), np.int32) * held["scale"]
        starts, names, splits = (held[key] for key in ("start", "name", "split"))
    qpos[:, 3:7] = rotation.normalize(qpos[:, 3:7])
    words = (tuple(map(str, names)), tuple(map(str, splits)), (SOURCE,) * len(names))
    library = Library("humanoid", 30.0, qpos.astype(np.float32), starts, *words, np.zeros(len(names), dtype=bool))
    library.save(out)
    start = time.perf_counter()
    again = Library.load(out)
    seconds = time.perf_counter() - start
    apart = np.abs(again.qpos - qpos)
    print(f"{out}: {Path(out).stat().st_size / 1e6:.1f} MB, {len(again)} clips, loads in {seconds:.2f} s")
    print(f"off by at most {1000 * apart[:, :3].max():.3f} mm and {apart[:, 7:].max():.1e} rad")


if __name__ == "__main__":
    main(*sys.argv[1:])
