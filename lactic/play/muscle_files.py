"""A run of the muscle man as files: its recording, numbers, strip and film, with the muscles drawn."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lactic.body import muscle_man
from lactic.fatigue import Fitness
from lactic.files import output_folder, whole_file
from lactic.picture.film import draw_strip
from lactic.picture.filming import FilmFormat
from lactic.picture.muscles import By, MuscleLook
from lactic.picture.recording import Recording
from lactic.picture.video import film_video
from lactic.play.summary import summarise


def write_muscles(
    record: Recording,
    fitness: Fitness,
    out: str | Path,
    *,
    colour: By = "fatigue",
    width: By = "activation",
    film: FilmFormat | None = None,
    report: Callable[[str], None] = print,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> dict[str, Any]:
    """Write recording.npz, fatigue.csv, summary.json, film.png and, if asked for, film.mp4; returns the summary."""
    look, out, body = MuscleLook.recorded(record, colour, width), output_folder(out), muscle_man()
    summary = summarise(record, fitness, ())
    record.save(out / "recording.npz")
    record.write_csv(out / "fatigue.csv")
    draw_strip(body, record.qpos, record.fps, out / "film.png", muscles=look)
    with whole_file(out / "summary.json") as temporary:
        temporary.write_text(json.dumps(summary, indent=2) + "\n")
    if film is not None:
        options: dict[str, Any] = {"cuts": record.cuts, "film": film, "progress": progress, "stop": stop}
        message = film_video(body, record.qpos, record.fps, out / "film.mp4", muscles=look, **options)
        if message:
            report(message)
    return summary
