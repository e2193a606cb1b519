"""The clips that Lactic's own characters are trained from: where each is found, and which part of it is used."""

import math
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lactic.body import humanoid
from lactic.errors import InputError
from lactic.files import output_folder
from lactic.motion.read import read
from lactic.motion.retarget import retarget

DEEPMIMIC = "DeepMimic, MIT"
AMP = "IsaacGymEnvs, from CMU mocap, BSD-3"
CMU = "CMU mocap (mocap.cs.cmu.edu), free to use"
IDLE = "ReActIdle, MIT"


@dataclass(frozen=True)
class SkillClip:
    """A file by name, the seconds used, and whether its ends are joined to a cycle."""

    file: str
    source: str
    start: float = 0.0
    end: float | None = None
    cycle: bool = False


SKILLS = {
    "run": SkillClip("humanoid3d_run.txt", DEEPMIMIC, cycle=True),
    "walk": SkillClip("humanoid3d_walk.txt", DEEPMIMIC, cycle=True),
    "jump": SkillClip("humanoid3d_jump.txt", DEEPMIMIC),
    "cartwheel": SkillClip("humanoid3d_cartwheel.txt", DEEPMIMIC),
    "backflip": SkillClip("humanoid3d_backflip.txt", DEEPMIMIC, cycle=True),
    "spinkick": SkillClip("humanoid3d_spinkick.txt", DEEPMIMIC),
    "run_amp": SkillClip("amp_humanoid_run.npy", AMP),
    "walk_amp": SkillClip("amp_humanoid_walk.npy", AMP),
    "hop": SkillClip("amp_humanoid_hop.npy", AMP),
    "cartwheel_amp": SkillClip("amp_humanoid_cartwheel.npy", AMP),
    "tornado": SkillClip("90_06.bvh", CMU, 1.6, 9.0),
    "tornado_05": SkillClip("90_05.bvh", CMU),
    "tornado_07": SkillClip("90_07.bvh", CMU, 3.0, 9.0),
    "run_stop": SkillClip("104_57.bvh", CMU),
    "jog_stop": SkillClip("104_09.bvh", CMU),
    "walk_stop": SkillClip("16_33.bvh", CMU),
    "idle": SkillClip("010_genuine.bvh", IDLE, 0.0, 30.0),
    "idle_lively": SkillClip("000_genuine.bvh", IDLE, 0.0, 30.0),
}


def known(name: str) -> SkillClip | None:
    """The clip of that name; c09_01 is CMU's 09_01.bvh, as recipes call it."""
    if re.fullmatch(r"c\d+_\d+", name):
        return SkillClip(f"{name[1:]}.bvh", CMU)
    return SKILLS.get(name)


def prepare(data: str | Path, out: str | Path, names: Iterable[str] = (), fps: float = 30.0) -> list[dict[str, Any]]:
    """Retarget the clips found anywhere below `data` to the humanoid, as `<out>/<name>.npz`; says how each fits."""
    data, names = Path(data), tuple(names)
    wanted = {name: known(name) for name in names} or SKILLS
    found = {path.name: path for path in sorted(data.rglob("*.*"))}
    chosen = {}
    for name, part in wanted.items():
        if part is None:
            raise InputError(f"no clip '{name}' in the list; there are: {', '.join(SKILLS)}, and CMU's such as c09_01")
        if part.file in found:
            chosen[name] = part
        elif names:
            raise InputError(f"{data}: no file {part.file} below it (unpack archives first)")
    if not chosen:
        raise InputError(f"{data}: holds none of the clips, such as humanoid3d_run.txt (unpack archives first)")
    folder, rows = output_folder(out), []
    for name, part in chosen.items():
        clip = read(found[part.file])
        if part.start or part.end is not None:
            clip = clip.cut(part.start, clip.seconds if part.end is None else min(part.end, clip.seconds))
        made, residual = retarget(clip, humanoid(), fps=fps, close=part.cycle)
        replace(made, name=name, cyclic=part.cycle).save(folder / f"{name}.npz")
        off = asdict(residual)
        rows.append(
            {
                "name": name,
                "seconds": round(made.seconds, 2),
                "off_mean_deg": round(math.degrees(off["direction_mean"]), 2),
                "off_max_deg": round(math.degrees(off["direction_max"]), 1),
                "lifted_m": round(off["lifted"], 3),
                "lowest_foot_m": round(off["lowest_foot"], 3),
                "source": part.source,
            }
        )
    return rows
