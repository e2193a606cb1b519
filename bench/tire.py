"""What `lactic tire` takes and gives: seconds; bones, feet and joints on the clip's own skeleton.

python bench/tire.py walk.bvh dance.bvh …      # options of `lactic tire` after --
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic.motion import BodyClip, Clip, read
from lactic.motion.commands import locate
from lactic.motion.recorded import read_recording
from lactic.motion.retarget import retarget, scale_of
from lactic.motion.roles import SIDES, find_roles

ENDS = ("hand", "toe")


def lowest(clip: Clip) -> float:
    """Height that the lower foot stands at: the least of its joints, a few frames left out."""
    roles = find_roles(clip)
    feet = [roles[f"{side}_{part}"] for side in SIDES for part in ("foot", "toe") if f"{side}_{part}" in roles]
    return float(np.percentile(clip.globals()[0][:, feet, 2].min(1), 0.5))


def apart(source: Clip, own: Clip, motion: BodyClip) -> dict[str, np.ndarray]:
    """Metres (frame,) from each joint to where the simulated body's is at the skeleton's scale, both from the hips."""
    roles, names = find_roles(own), motion.body.bodies
    scale = scale_of(source, motion.body, find_roles(source))
    at, there = own.globals()[0], motion.resample(own.fps).positions()[0] / scale
    count = min(len(at), len(there))

    def seen(points: np.ndarray, index) -> dict[str, np.ndarray]:
        middle = np.mean([points[:count, index(f"{side}_thigh")] for side in SIDES], axis=0)
        parts = [r for r in roles if r in names and not r.endswith(ENDS) and r not in ("pelvis", "head", "torso")]
        return {part: points[:count, index(part)] - middle for part in parts}

    mine, its = seen(at, roles.__getitem__), seen(there, names.index)
    return {part: np.linalg.norm(mine[part] - its[part], axis=1) for part in mine}


def main(words: list[str]) -> None:
    """Tire each file and print a line for it."""
    from lactic.cli import main as lactic

    cut = words.index("--") if "--" in words else len(words)
    for name in words[:cut]:
        path = locate(name)
        with tempfile.TemporaryDirectory() as folder:
            begin, spent = time.perf_counter(), time.process_time()
            code = lactic(["tire", str(path), "--out", folder, *words[cut + 1 :]])
            took, spent = time.perf_counter() - begin, time.process_time() - spent
            if code:
                continue
            source, own = read(path), read(Path(folder) / f"{path.stem}-tired.bvh")
            motion, _ = read_recording(Path(folder) / "recording.npz")
        # a file that is no BVH lists its joints in another order than a BVH can
        order = [own.joints.index(joint.replace(" ", "_")) for joint in source.joints]
        bones = np.abs(source.offsets - own.offsets[order])[1:].max()
        far = apart(source, own, motion)
        said = ", ".join(f"{part} {100 * values.mean():.1f}" for part, values in far.items() if "left" in part)
        legs = max(values.max() for part, values in far.items() if part.endswith(("foot", "shin", "thigh")))
        skin = retarget(source, bodies.get("humanoid"), fps=30.0)[1]
        print(
            f"{path.name}: {motion.seconds:.1f} s took {took:.1f} s ({spent:.1f} s of this process); "
            f"bones {bones:.1e} m; "
            f"feet {100 * (lowest(own) - lowest(source)):+.1f} cm from the source's; joints, cm: {said}; legs at most "
            f"{100 * legs:.1f} cm; clip on body: hands and feet {100 * skin.position_mean:.1f} cm"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
