"""Teaches a follower that gets up well over one side to get up as well over the other.

python bench/sides.py RUN OUT --clips CLIPS --practice FILE.yaml [--teacher BRAIN] [--begin RUN] [--minutes 30]

CLIPS holds library.npz and rises.npz. The teacher, a character (RUN where none is named), is tried on each motion of
rises.npz and its mirror image, fresh and tired. Where a body is led by the one by which fewer get up, what the teacher
would do in the mirror is right. Everywhere else RUN says what is right. FILE.yaml is what is practised.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from lactic.brain import catalogue
from lactic.learn import config, teachers
from lactic.learn.distil import distil
from lactic.learn.teachers import Teacher
from lactic.motion.library.rises import FILE, stored_rises
from lactic.play.own_rises import SPENT, fallen, led_up, tried_library
from lactic.task.tracking.task import Track


def worse_sides(brain: catalogue.BrainFolder, clips: Path) -> set[str]:
    """Names of the motions by which fewer get up than by their mirror images."""
    held = tried_library(clips)
    poses, plain = fallen(held), stored_rises(clips, held.clip(0).body)
    both = [*plain, *(motion.mirror() for motion in plain)]
    own, ups = led_up(brain.load(2), both, poses)
    tries, up = (np.bincount(own, weights, minlength=len(both)) for weights in (np.full(len(own), len(SPENT)), ups))
    share = ((up + 1.0) / (tries + 2.0)).reshape(2, -1)
    for motion, one, other in zip(plain, *share, strict=True):
        print(f"{motion.name:12} {one:.2f}, in the mirror {other:.2f}")
    return {motion.name for motion, better in zip(both, (share >= share[::-1]).ravel(), strict=True) if not better}


def main(run: str, out: Path, clips: Path, practice: Path, teacher: str, begin: str | None, minutes: float) -> None:
    """Try, then teach."""
    worse = worse_sides(catalogue.find(teacher), clips)

    def over_the_better_side(task: Track) -> Teacher:
        actor, table = teachers.known(teacher, task.settings).to(task.device), task.reference
        ends = [*task.lead.tolist(), len(table.qpos)]
        image = torch.zeros(len(table.qpos), dtype=torch.bool, device=task.device)
        for name, (first, end) in zip(table.leading, pairwise(ends), strict=True):
            image[first:end] = name in worse
        return Teacher(actor, lambda: task.down, lambda: image.index_select(0, task.frame), task.mirrors())

    given = config.read(practice)
    layers, also, worlds = given.learn.policy, (over_the_better_side,), given.worlds
    distil(run, out, layers, also=also, begin=begin, practice=practice, clips=clips, minutes=minutes, worlds=worlds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("out", type=Path)
    parser.add_argument("--clips", type=Path, required=True, help=f"folder of library.npz and {FILE}")
    parser.add_argument("--practice", type=Path, required=True)
    parser.add_argument("--teacher")
    parser.add_argument("--begin")
    parser.add_argument("--minutes", type=float, default=30.0)
    o = parser.parse_args()
    main(o.run, o.out, o.clips, o.practice, o.teacher or o.run, o.begin, o.minutes)
