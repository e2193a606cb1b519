"""The folder that `lactic tire` leaves: motion on two skeletons, film, strip, curves, and a summary."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lactic.files import write_whole
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh_write import write_bvh, write_like, write_recording
from lactic.motion.clip import Clip
from lactic.motion.onto import onto
from lactic.motion.read import kind_of
from lactic.picture.filming import FilmFormat
from lactic.picture.pace import legs_left
from lactic.picture.painters import Painters
from lactic.picture.video import film_video
from lactic.play.gltf import write_glb
from lactic.play.gltf_skeleton import write_clip_glb
from lactic.play.player import Player
from lactic.play.progress import progress_bar
from lactic.play.tire.drawn import curves, strip
from lactic.play.tire.job import TiredRun
from lactic.play.tire.options import TireOptions
from lactic.play.tire.summary import lines, summarised
from lactic.stopping import StopRequest


def write(
    run: TiredRun,
    player: Player,
    options: TireOptions,
    out: Path,
    film: FilmFormat | None,
    painters: Painters,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Write every file of a run; each appears whole or not at all. Pictures are made by other processes meanwhile."""
    record, body, stem = run.record, player.body, f"{run.path.stem}-tired"
    summary = summarised(run, player, options)
    lost = [(one["from_s"], one["to_s"] or summary["seconds"]) for one in summary["lost"]]
    title = f"{run.path.name}, tired: {summary['seconds']:.3g} s at {summary['fitness']['name']}"
    pictures = {
        "curves.png": painters.ask(0, curves, record, run.ghost, run.clock, lost, title),
        "film.png": painters.ask(len(painters) - 1, strip, record, run.ghost),
    }
    with StopRequest() as stop, progress_bar() as progress:
        task = progress.add_task("painting film.mp4", total=None)
        filming = FilmThread(
            lambda: _film(
                run,
                player,
                film,
                out,
                painters,
                lambda done, total: progress.update(task, completed=done, total=total),
                stop,
            )
        )
        try:
            write_whole(out / "summary.txt", "\n".join(lines(summary)) + "\n")
            write_whole(out / "summary.json", json.dumps(summary, indent=2) + "\n")
            record.save(out / "recording.npz")
            if isinstance(run.source, Clip):
                own = on_own_skeleton(run)
                if kind_of(run.path) == "bvh":
                    write_like(out / f"{stem}.bvh", own, run.path)
                else:
                    write_bvh(out / f"{stem}.bvh", own)
                write_clip_glb(out / f"{stem}.glb", own)
            write_recording(out / "body.bvh", body, record.qpos, record.fps)
            write_glb(out / "body.glb", body, record.qpos, record.fps, record.tint(body), name=stem)
            record.write_csv(out / "fatigue.csv")
            for name, picture in pictures.items():
                write_whole(out / name, picture.result())
        except BaseException:
            stop.asked = True
            raise
        finally:
            message = filming.result()
    if message:
        report(message)
    return summary


class FilmThread:
    """Something done beside the rest, and what it returned."""

    def __init__(self, work: Callable[[], str | None]):
        self._found: list[str | None] = []
        self._thread = threading.Thread(target=lambda: self._found.append(work()))
        self._thread.start()

    def result(self) -> str | None:
        """Wait for it; Ctrl-C is heard meanwhile."""
        while self._thread.is_alive():
            self._thread.join(0.2)
        return self._found[0] if self._found else "film.mp4 not written"


def _film(
    run: TiredRun,
    player: Player,
    film: FilmFormat | None,
    out: Path,
    painters: Painters,
    progress: Callable[[int, int], None],
    stop: StopRequest,
) -> str | None:
    """The clip beside the tired body."""
    if film is None:
        return None
    record, body = run.record, player.body
    notes = [f"clock {rate:.2f}" for rate in run.clock] if np.ptp(run.clock) > 0 else [""] * len(record)
    for one in run.losses:
        for k in np.flatnonzero((record.time >= one.begin) & (record.time < (one.end or np.inf))):
            notes[k] = "motion lost"
    return film_video(
        body,
        record.qpos,
        record.fps,
        out / "film.mp4",
        tint=record.tint(body),
        legs=legs_left(record, body),
        film=film,
        progress=progress,
        stop=lambda: stop.asked,
        beside=run.ghost,
        names=("the clip", "tired"),
        notes=notes,
        painters=painters,
    )


def on_own_skeleton(run: TiredRun) -> Clip:
    """What the body did on the clip's own skeleton, at the clip's own frame rate."""
    assert isinstance(run.source, Clip) and isinstance(run.repeated, Clip)
    record = run.record
    moved = BodyClip(record.body, record.fps, record.qpos.astype(float), f"{run.source.name}-tired")
    if len(record) < 2:
        return onto(run.repeated, moved, run.when, run.motion)
    moved = moved.resample(run.source.fps)
    when = np.interp(np.arange(moved.frames) / moved.fps, record.time - record.time[0], run.when)
    return replace(onto(run.repeated, moved, when, run.motion), name=moved.name)
