"""Makes a library of the muscle man's clips of CMU's captured angles: `muscle_clips.py CAPTURED.npz LIST OUT.npz`.

CAPTURED.npz is what `cmu_library.py` takes as its third file, at the true 30 frames a second. LIST is one that ships
(locomotion, spin-kick) or a YAML file. With the original BVH files at hand, `lactic library man` does the same.
"""

import dataclasses
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed

from bench.cmu_library import Captured
from lactic.motion.man.build import build, read_list


def main(captured: str, chosen: str, out: str) -> None:
    """Retarget the clips of the list that are there, and say what was made."""
    held, wanted = Captured(captured), dataclasses.replace(read_list(chosen), fps={})
    there = [name for name in wanted.names if name in held.clips]
    missing = sorted(set(wanted.names) - set(there))
    if missing:
        print(f"not there: {', '.join(missing)}")
    made = build((held.clip(name) for name in there), wanted, say=print)
    made.save(Path(out))
    for split in sorted(set(made.splits)):
        frames = sum(len(made.poses(i)) for i, own in enumerate(made.splits) if own == split)
        print(f"{split}: {made.splits.count(split)} clips, {frames / made.fps / 60:.1f} minutes")


if __name__ == "__main__":
    main(*sys.argv[1:])
