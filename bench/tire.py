"""What `lactic tire` takes and gives: seconds; bones, feet and joints on the clip's own skeleton.

python bench/tire.py walk.bvh dance.bvh …      # options of `lactic tire` after --
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic import rotation
from lactic.motion import BodyClip, Clip, read
from lactic.motion.commands import locate
from lactic.motion.recorded import read_recording
from lactic.motion.retarget import retarget, scale_of
from lactic.motion.roles import SIDES, find_roles

ARMS, LEGS = ("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot")
FLAWS = 0.5  # percent of a clip's frames that do not say where its floor is


def lowest(clip: Clip, ends: set[str]) -> np.ndarray:
    """Heights (frame, 2) of the lowest joint of a foot, and with the ends of such joints."""
    roles = find_roles(clip)
    feet = [roles[f"{side}_{part}"] for side in SIDES for part in ("foot", "toe") if f"{side}_{part}" in roles]
    leaves = [j for j in feet if clip.joints[j] in ends]
    at, turned = clip.globals()
    tips = at[:, leaves] + rotation.rotate(turned[:, leaves], clip.tips[leaves])
    return np.stack([at[:, feet, 2].min(1), np.concatenate([at[:, feet, 2], tips[..., 2]], axis=1).min(1)], axis=1)


def deepest(source: Clip, own: Clip) -> float:
    """How far feet come above (below: negative) the lowest that they get to in the source, m; by joints and by ends."""
    ends = {joint for joint, tip in zip(source.joints, source.tips, strict=True) if np.any(tip)}
    return float((lowest(own, ends).min(0) - np.percentile(lowest(source, ends), FLAWS, axis=0)).min())


def seen_from_hips(at: np.ndarray, index) -> np.ndarray:
    """Places (frame, point, 3) less the middle of both hips."""
    return at - np.mean([at[:, index(f"{side}_thigh")] for side in SIDES], axis=0)[:, None]


def apart(source: Clip, own: Clip, motion: BodyClip) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Metres (frame,) from each joint to where the simulated body's is, seen from the hips.

    First at the skeleton's scale, then with its proportions as well.

    With its proportions: each bone of arms and legs as long as the skeleton's, shoulders and hips set where the
    skeleton has them in trunk and pelvis. Where that is, the clip on the body tells.
    """
    roles, names = find_roles(own), motion.body.bodies
    scale = scale_of(source, motion.body, find_roles(source))
    moved = motion.resample(own.fps)
    (there, turned), at = moved.positions(), own.globals()[0]
    count = min(len(at), len(there))
    at = seen_from_hips(at[:count], roles.__getitem__)
    there, turned = seen_from_hips(there[:count] / scale, names.index), turned[:count]
    clip = source.cut(0.0, 10.0).resample(30.0)
    on_body, about = retarget(clip)[0].positions()
    on_body, on_clip = seen_from_hips(on_body / scale, names.index), clip.globals()[0]
    on_clip = seen_from_hips(on_clip, find_roles(source).__getitem__)
    plain, shaped = {}, {}
    for side in SIDES:
        for trunk, limb in (("torso", ARMS), ("pelvis", LEGS)):
            parts = [f"{side}_{part}" for part in limb]
            mine, its = find_roles(source)[parts[0]], names.index(parts[0])
            set_off = rotation.rotate_back(about[:, names.index(trunk)], on_clip[:, mine] - on_body[:, its])
            place = there[:, its] + rotation.rotate(turned[:, names.index(trunk)], np.median(set_off, axis=0))
            for above, part in zip([None, *parts], parts, strict=False):
                if part not in roles:
                    break
                if above is not None:
                    bone = there[:, names.index(part)] - there[:, names.index(above)]
                    length = np.linalg.norm(at[0, roles[part]] - at[0, roles[above]])
                    place = place + length * rotation.normalize(bone)
                plain[part] = np.linalg.norm(at[:, roles[part]] - there[:, names.index(part)], axis=1)
                shaped[part] = np.linalg.norm(at[:, roles[part]] - place, axis=1)
    return plain, shaped


def told(far: dict[str, np.ndarray]) -> str:
    """Mean and largest distance of each pair of joints, cm."""
    parts = [part for limb in (ARMS, LEGS[1:]) for part in limb if f"left_{part}" in far]
    both = {part: np.concatenate([far[f"{side}_{part}"] for side in SIDES]) for part in parts}
    return ", ".join(f"{part} {100 * d.mean():.1f} (at most {100 * d.max():.1f})" for part, d in both.items())


def processor_seconds() -> float:
    """What processes that this one started have taken of processors, and what those have started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(words: list[str]) -> None:
    """Tire each file and print a line for it."""
    cut = words.index("--") if "--" in words else len(words)
    for name in words[:cut]:
        path = locate(name)
        with tempfile.TemporaryDirectory() as folder:
            begin, spent = time.perf_counter(), processor_seconds()
            command = [sys.executable, "-m", "lactic.cli", "tire", str(path), "--out", folder, *words[cut + 1 :]]
            if subprocess.run(command).returncode:
                continue
            took, spent = time.perf_counter() - begin, processor_seconds() - spent
            source, own = read(path), read(Path(folder) / f"{path.stem}-tired.bvh")
            motion, _ = read_recording(Path(folder) / "recording.npz")
        # a file that is no BVH lists its joints in another order than a BVH can
        order = [own.joints.index(joint.replace(" ", "_")) for joint in source.joints]
        bones = np.abs(source.offsets - own.offsets[order])[1:].max()
        plain, shaped = apart(source, own, motion)
        skin = retarget(source, bodies.get("humanoid"), fps=30.0)[1]
        print(
            f"{path.name}: {motion.seconds:.1f} s took {took:.1f} s, start-up included ({spent:.1f} s of processors); "
            f"bones {bones:.1e} m; feet at their lowest {100 * deepest(source, own):+.1f} cm from the source's floor; "
            f"clip on body: hands and feet {100 * skin.position_mean:.1f} cm\n"
            f"  joints from the body's, cm, with the skeleton's proportions: {told(shaped)}\n"
            f"  joints from the body's, cm, at the skeleton's scale alone:   {told(plain)}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
