"""What became of a clip, in numbers and in words: which joint failed first, how far it went, when it was lost."""

from typing import Any

import numpy as np

from lactic.picture.plots import spoken
from lactic.play.player import Player
from lactic.play.summary import summarise
from lactic.play.tire.job import TiredRun
from lactic.play.tire.options import TireOptions

NAMED = 5
"""Joints and stretches that are told of; the others are counted."""


def summarised(run: TiredRun, player: Player, options: TireOptions) -> dict[str, Any]:
    """What summary.json holds."""
    record = run.record
    facts = summarise(record, player.fitness, player.body.groups)
    del facts["takes"]
    facts["path_m"] = _path(record.qpos)
    return facts | {
        "clip": run.path.name,
        "clip_seconds": round(run.source.seconds, 4),
        "clip_fps": run.source.fps,
        "clip_joints": len(getattr(run.source, "joints", ())),
        "clip_path_m": _path(run.ghost),
        "followed_s": round(float(run.when[-1]), 4),
        "clock_mean": float(np.mean(run.clock)),
        "strict": options.strict or not _waits(player),
        "stopped": run.stopped,
        "fell": any(one.fell for one in run.losses),
        "lost": [
            {"from_s": round(one.begin, 4), "to_s": None if one.end is None else round(one.end, 4), "fell": one.fell}
            for one in run.losses
        ],
        "led_back": options.fall == "get-up",
        "faults": int(player.world.faults),
    }


def lines(facts: dict[str, Any]) -> list[str]:
    """The summary for people, a line for each thing."""
    what = f", {facts['clip_joints']} joints" if facts["clip_joints"] else ""
    said = [
        f"{facts['clip']}: {facts['clip_seconds']:.1f} s{what}; {facts['brain']} followed it for "
        f"{facts['seconds']:.1f} s as '{facts['body']}' at {facts['fitness']['name']}"
    ]
    failed = facts["failures"]
    if failed:
        first, *others = failed[:NAMED]
        said.append(f"first to fail: {spoken(first['joint'])}, after {first['failed_at_s']:.1f} s")
        if others:
            then = ", ".join(f"{spoken(one['joint'])} ({one['failed_at_s']:.1f} s)" for one in others)
            more = f", and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
            said.append(f"then: {then}{more}")
    else:
        said.append("no joint was asked for more than it had left")
    weakest = facts["most_tired"][0]
    said.append(
        f"strength left at the end: {facts['capacity_mean_end']:.0%} on average; "
        f"least in the {spoken(weakest['joint'])}, {1 - weakest['MF']:.0%}"
    )
    said.append(f"went {facts['path_m']:.1f} m; the clip goes {facts['clip_path_m']:.1f} m in that time")
    if not facts["strict"]:
        said.append(f"the motion ran at {facts['clock_mean']:.2f} of its own pace on average")
    if facts["stopped"]:
        said.append("it stood still at the end")
    for one in facts["lost"][:NAMED]:
        how = "fell" if one["fell"] else "came away from the motion"
        if one["to_s"] is None:
            end = "was being led back when the result ends" if facts["led_back"] else "the result ends there"
            said.append(f"lost the motion at {one['from_s']:.1f} s: it {how}; {end}")
        else:
            said.append(f"lost the motion from {one['from_s']:.1f} to {one['to_s']:.1f} s: it {how}, and was led back")
    if len(facts["lost"]) > NAMED:
        said.append(f"lost it {len(facts['lost'])} times in all; summary.json has them all")
    if not facts["lost"]:
        said.append("followed the motion all the time")
    return said


def _path(qpos: np.ndarray) -> float:
    """Metres that a root went over the floor."""
    return float(np.linalg.norm(np.diff(qpos[:, :2], axis=0), axis=1).sum())


def _waits(player: Player) -> bool:
    return player.info.tracking is not None and player.info.tracking.waits
