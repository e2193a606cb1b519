"""Makes a motion library of the prepared CMU motions.

python bench/cmu_library.py library_30fps.npz OUT.npz [CAPTURED.npz [MOTION_OR_LIBRARY …]]

The prepared file holds second differences of all frames as four bytes, with `scale`, `start`, `name` and `split`. Older
code retargeted it: angles jump in many of its clips. With the captured angles as a third file
(cmu_unique_30fps.npz), all clips are retargeted anew, and the captured clips that are in no split become the split
`extra`, but for broken ones and those that are held up by something that is not there. Further motion files join the
split `train`; libraries, such as those of `lactic match record`, keep the names and splits of their clips.
"""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.files import unpacked
from lactic.motion import ground
from lactic.motion.body_clip import BodyClip
from lactic.motion.clip import Clip
from lactic.motion.commands import body_clips
from lactic.motion.library import Library, collect
from lactic.motion.library.library import concatenate
from lactic.motion.retarget import retarget

SOURCE = "CMU mocap (mocap.cs.cmu.edu), created with funding from NSF EIA-0196217"
EXTRA, SHORTEST, HIGH = "extra", 1.0, 0.1  # the split of what is in no other, seconds, and metres
SUDDEN = 80.0  # m/s²
JUMP = 400.0 / 30  # rad/s
UP = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # y up and z forward to z up and x forward


def main(prepared: str, out: str, captured: str | None = None, *more: str) -> None:
    """Convert the file, and say how large the library is and how fast it loads."""
    with np.load(prepared, allow_pickle=False) as held:
        qpos = unpacked(np.stack([held[f"b{k}"] for k in range(4)]), np.int32) * held["scale"]
        starts, names, splits = (held[key] for key in ("start", "name", "split"))
    qpos[:, 3:7] = rotation.normalize(qpos[:, 3:7])
    words = (tuple(map(str, names)), tuple(map(str, splits)), (SOURCE,) * len(names))
    library = Library("humanoid", 30.0, qpos.astype(np.float32), starts, *words, np.zeros(len(names), dtype=bool))
    if captured:
        library = collect(retargeted(captured, library.names), library.splits, library.sources)
        others = [name for name in Captured(captured).clips if name not in library.names]
        clips = [clip for clip in retargeted(captured, others) if clip.seconds >= SHORTEST]
        clips = [clip for clip in clips if not held_up(clip) and not broken(clip)]
        library = concatenate([library, collect(clips, [EXTRA] * len(clips), [SOURCE] * len(clips))])
    for path in more:
        library = concatenate([library, further(path)])
    library.save(out)
    start = time.perf_counter()
    again = Library.load(out)
    seconds = time.perf_counter() - start
    apart = np.abs(again.qpos - library.qpos)
    print(f"{out}: {Path(out).stat().st_size / 1e6:.1f} MB, {len(again)} clips, loads in {seconds:.2f} s")
    print(f"an angle jumps in {sum(jumps(again.clip(i)) for i in range(len(again)))} of them")
    print(f"off by at most {1000 * apart[:, :3].max():.3f} mm and {apart[:, 7:].max():.1e} rad")


class Captured:
    """The captured angles of all clips, as packed by differences."""

    def __init__(self, path: str):
        with np.load(path, allow_pickle=False) as held:
            steps = (held["delta_hi"].astype(np.int32) << 8) | held["delta_lo"]
            turned = (np.cumsum(steps, 1, dtype=np.int64) * 0.02 + 180) % 360 - 180
            self.angles = np.radians(turned.T.reshape(-1, 25, 3))
            self.held = {key: held[key] for key in held.files if not key.startswith("delta")}
        self.clips = {str(name): i for i, name in enumerate(self.held["clip"])}

    def clip(self, name: str) -> Clip:
        """A clip of its skeleton, z up."""
        i, held = self.clips[name], self.held
        part = slice(held["start"][i], held["start"][i + 1])
        nodes, parents = [str(n) for n in held["node_names"]], held["node_parents"]
        joints = [nodes.index(str(n)) for n in held["joint_names"]]
        offsets = held["offsets_m"][held["skel_id"][i]] @ UP.T
        turned = rotation.from_euler(self.angles[part], "zyx")
        turned = np.concatenate([turned[..., :1], turned[..., 1:] @ UP.T], axis=-1)
        tips = np.zeros((len(joints), 3))
        for node, parent in enumerate(parents):
            if node not in joints and parent in joints:
                tips[joints.index(parent)] = offsets[node]
        return Clip(
            name,
            30.0,
            tuple(nodes[j] for j in joints),
            tuple(joints.index(int(parents[j])) if int(parents[j]) in joints else -1 for j in joints),
            np.stack([offsets[j] for j in joints]),
            held["root_pos_m"][part] @ UP.T,
            turned,
            tips=tips,
        )


CAPTURED: list[Captured] = []
"""What a worker retargets from."""


def open_captured(path: str) -> None:
    """Let this process retarget from a file."""
    CAPTURED.append(Captured(path))


def moved(name: str) -> BodyClip:
    """A captured clip on the humanoid, which begins over the origin."""
    clip = retarget(CAPTURED[0].clip(name))[0]
    qpos = clip.qpos.copy()
    qpos[:, :2] -= qpos[0, :2]
    return replace(clip, qpos=qpos)


def jumps(clip: BodyClip) -> bool:
    """Whether the speed of a joint changes by more than JUMP from one frame to the next."""
    return bool((np.abs(np.diff(clip.qpos[:, 7:], 2, axis=0)) * clip.fps > JUMP).any())


def held_up(clip: BodyClip) -> bool:
    """Whether a clip is held up by something that is not there: nothing of it is near the floor for a second."""
    high = ground.clearance(clip.body, clip.qpos).min(axis=1) > HIGH
    return bool((np.convolve(high, np.ones(round(clip.fps)), mode="valid") > clip.fps - 0.5).any())


def broken(clip: BodyClip) -> bool:
    """Whether a clip's centre of mass moves more suddenly than any person's."""
    return bool(np.linalg.norm(np.diff(ground.centre(clip.body, clip.qpos), 2, axis=0), axis=1).max() > SUDDEN / 900)


def further(path: str) -> Library:
    """A library as it is; of any other motion file, one of its clips for training."""
    if path.endswith(".npz") and "splits" in np.load(path, allow_pickle=False).files:
        return Library.load(path)
    clips = body_clips(Path(path), "humanoid", 30.0)
    return collect(clips, ["train"] * len(clips), [path] * len(clips))


def retargeted(path: str, names: Sequence[str]) -> list[BodyClip]:
    """Captured clips on the humanoid, on two processes."""
    with ProcessPoolExecutor(2, initializer=open_captured, initargs=(path,)) as pool:
        return list(pool.map(moved, names, chunksize=8))


if __name__ == "__main__":
    main(*sys.argv[1:])
