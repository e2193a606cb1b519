"""The verb `lactic play`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from lactic.cli.terminal import KEPT, Brain, free_folder
from lactic.play.job import PlayOptions, play


@dataclass(frozen=True, kw_only=True)
class Play(PlayOptions):
    """Play a character until it tires and write its motion, curves and pictures."""

    name: tyro.conf.Positional[Brain]
    out: Path | None = None
    """folder for the results; by default out/NAME, or out/NAME-2 and so on if that was played into before."""


def run(wanted: Play) -> None:
    """Play, and say what became of it."""
    folder = wanted.out if wanted.out is not None else free_folder(Path("out") / Path(wanted.name).name)
    replaces = (folder / KEPT).exists()
    summary = play(wanted.name, folder, wanted)
    for row in summary["failures"][:6]:
        if row["endurance_s"] is None:
            print(f"{row['joint']}: from {row['failed_at_s']:.1f} s asked for more than it had left")
        else:
            print(
                f"{row['joint']}: held {row['held_load']:.1%} of its strength for {row['held_s']:.1f} s "
                f"(closed form {row['endurance_s']:.1f} s), then gave way"
            )
    if "muscles" in summary:
        _tell_muscles(summary["muscles"])
    if summary["fell_at_s"] is not None:
        often = f", {summary['falls']} times in all" if "falls" in summary else ""
        print(f"fell after {summary['fell_at_s']:.1f} s{often}")
        if len(summary["takes"]) > 1:
            print(f"{len(summary['takes'])} takes, one for each time it stood up: motion, motion-2 and so on")
        elif "falls" not in summary:
            print("the recording ends there, after a moment on the floor")
    print(f"strength left at the end: {summary['capacity_mean_end']:.0%} on average; everything is in {folder}/")
    if replaces:
        print(f"files of an earlier run in {folder}/ were replaced")


def _tell_muscles(found: dict[str, Any]) -> None:
    """What a human leg could not give."""
    print(
        f"beyond a human leg: {found['beyond_share_of_time']:.0%} of the time, {found['share_of_torque']:.0%} of the "
        f"torque intended, {found['beyond_mean_Nm']:.0f} Nm a leg on average, in {found['seconds']:.1f} s"
    )
    for row in found["joints"]:
        print(
            f"  {row['joint']:14} {row['share_of_time']:4.0%} of the time; {row['mean_Nm']:5.1f} Nm of "
            f"{row['intended_mean_Nm']:5.1f} on average, at most {row['most_Nm']:.0f} Nm"
        )
    print(
        f"leg muscles: effort {found['effort_mean_N']:.0f} N, {found['muscle_work_J']:.0f} J of work, about "
        f"{found['metabolic_J']:.0f} J spent"
    )
