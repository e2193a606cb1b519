"""`lactic play`: run a brain for a while and leave a folder an animator can use."""

import json
import math
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from lactic import body as bodies
from lactic import fatigue
from lactic.body import Body
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.files import output_folder, whole_file
from lactic.picture.filming import Film
from lactic.picture.recording import Recording
from lactic.play.driver import Asked, Driver, Recorder
from lactic.play.fall import FallRule
from lactic.play.player import Player, Strength, follows
from lactic.play.programme import Programme
from lactic.play.start import start_states
from lactic.play.summary import summarise
from lactic.play.velocity import asking, takes_velocity

LONGEST = 24 * 3600.0
FILM = Film()
USUAL = 30.0  # seconds of a character without a programme
LYING = 1.0  # seconds on the floor that a recording shows before it ends
MotionFormat = Literal["bvh", "glb", "all"]


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C ask the loop to stop instead of tearing it down; a second one kills."""
    asked = False

    def ask(*_: Any) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, ask)
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)


def progress_bar() -> Any:
    """A bar with the time left, gone when it is full; silent where nobody watches."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        transient=True,
        disable=not sys.stdout.isatty(),
    )


def play(
    name: str,
    out: Path,
    *,
    seconds: float | None = None,
    fitness: str | None = None,
    F: float | None = None,
    R: float | None = None,
    r: float | None = None,
    time_scale: float | None = None,
    seed: int = 0,
    format: MotionFormat = "bvh",
    strength: Strength | None = None,
    body: str | None = None,
    database: str | Path | None = None,
    speed: float | None = None,
    script: str | None = None,
    tired: str = "with a reserve",
    film: Film | None = FILM,
    report: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Play the brain `name` and write motion, curves, pictures and summary into `out`; returns the summary.

    A character that falls ends the recording a moment later; one that follows a kinematic character is put back onto
    its feet, and each stretch between falls is a take with a motion file of its own. `speed` (m/s) or `script` (sticks)
    take the place of its programme. Without `film` (None) no film is made.
    """
    folder = catalogue.find(name)
    brain = folder.load()
    body_fitness = fatigue.preset(fitness or brain.info.fitness).altered(F=F, R=R, r=r, time_scale=time_scale)
    programme = Programme.read(folder.params(), brain.info)
    if seconds is None:
        seconds = programme.length / programme.rate(body_fitness.time_scale) if programme.length < math.inf else USUAL
    if not (math.isfinite(seconds) and 0 < seconds <= LONGEST):
        raise InputError(f"--seconds {seconds:g}: must be above 0 and at most {LONGEST:g}")
    player = Player(brain, body_fitness, strength=strength, body=body)
    driver = drive(folder, player, seed, speed=speed, script=script, database=database, tired=tired)
    out = output_folder(out)

    frames = max(1, round(seconds * brain.info.control_rate))
    recorder, follower = Recorder(driver, frames), follows(brain.info)
    facts: dict[str, Any] = {"fell_at_s": None} | ({"falls": 0} if follower else {})
    with interruptible() as stop, progress_bar() as progress:
        task = progress.add_task(f"playing {folder.name}", total=frames)
        while recorder.count < frames and not stop():
            recorder.step()
            if driver.fallen()[0]:
                if facts["fell_at_s"] is None:
                    facts["fell_at_s"] = round(player.second, 6)
                    if player.muscles is not None:  # what it wants while it lies there says nothing of its skill
                        facts["muscles"] = player.muscles.report()
                if follower:
                    facts["falls"] += 1
                    recorder.cut()
                    driver.stand_up()
            if not follower and facts["fell_at_s"] is not None and player.second >= facts["fell_at_s"] + LYING:
                break
            if recorder.count % 30 == 0:
                progress.update(task, completed=recorder.count)
        if stop():
            report(f"stopped at {player.second:.1f} s; writing what there is (Ctrl-C again leaves the film out)")
    if player.muscles is not None:
        facts.setdefault("muscles", player.muscles.report())
    return write(recorder.recording(), player, out, facts, report, format, film)


def drive(
    folder: BrainFolder,
    player: Player,
    seed: int = 0,
    *,
    speed: float | None = None,
    script: str | None = None,
    database: str | Path | None = None,
    tired: str = "with a reserve",
) -> Driver:
    """What drives a character: its leader, led by a script; or its programme, a speed or a script's sticks."""
    info = player.info
    ask = asking(player, Programme.read(folder.params(), info), speed, script, seed)
    if follows(info):
        from lactic.play.steer import pad_named
        from lactic.play.steered import Steered, database_of

        frames = database_of(folder, database)
        return Steered(player, frames, pad_named(script or "user", frames, seed), tired)
    if database is not None:
        raise InputError("--database: this character does not follow a kinematic one")
    if script is not None and not takes_velocity(info):
        raise InputError("--script: this character cannot be steered")
    qpos, qvel = start_states(folder, player.body, 1, seed)
    # the states are those of the brain's own body, whose legs may be of another length
    qpos[:, 2] *= player.body.rest[2] / bodies.get(info.body).rest[2]
    return Asked(player, ask, FallRule.of(folder, player.body), (qpos, qvel))


def write_takes(out: Path, record: Recording, body: Body, kinds: Sequence[str]) -> None:
    """Write every take as bvh or glb: motion.bvh, motion-2.bvh …; takes of an earlier run do not stay behind."""
    from lactic.motion.bvh_write import write_recording
    from lactic.play.gltf import write_glb

    for kind in ("bvh", "glb"):
        for old in out.glob(f"motion-*.{kind}"):
            if old.stem.removeprefix("motion-").isdecimal():
                old.unlink()
    for number, take in enumerate(record.takes(), 1):
        stem = "motion" if number == 1 else f"motion-{number}"
        if "bvh" in kinds:
            write_recording(out / f"{stem}.bvh", body.name, take.qpos, take.fps)
        if "glb" in kinds:
            write_glb(out / f"{stem}.glb", body, take.qpos, take.fps, take.tint(body), name=record.brain)


def write(
    record: Recording,
    player: Player,
    out: Path,
    facts: dict[str, Any],
    report: Callable[[str], None],
    format: MotionFormat = "bvh",
    film: Film | None = FILM,
) -> dict[str, Any]:
    """Write every file of a finished run; each appears whole or not at all."""
    from lactic.picture.film import draw_strip
    from lactic.picture.pace import legs_left
    from lactic.picture.pace_plot import pace_plot
    from lactic.picture.plots import fatigue_plot
    from lactic.picture.video import film_video

    body = player.body
    summary = summarise(record, player.fitness, body.groups) | facts | {"faults": int(player.world.faults)}
    record.save(out / "recording.npz")
    record.write_csv(out / "fatigue.csv")
    tint = record.tint(body)
    write_takes(out, record, body, ("bvh", "glb") if format == "all" else (format,))
    fatigue_plot(record, body, out / "fatigue.png")
    if record.asks == "velocity" and len(record) > 1:
        pace_plot(record, body, out / "pace.png")
    draw_strip(body, record.qpos, record.fps, out / "film.png", tint=tint, end=facts.get("fell_at_s") is not None)
    with whole_file(out / "summary.json") as temporary:
        temporary.write_text(json.dumps(summary, indent=2) + "\n")
    if film is None:
        return summary
    with interruptible() as stop, progress_bar() as progress:
        task = progress.add_task("painting film.mp4", total=None)
        message = film_video(
            body,
            record.qpos,
            record.fps,
            out / "film.mp4",
            tint=tint,
            legs=legs_left(record, body),
            cuts=record.cuts,
            film=film,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
            stop=stop,
        )
    if message:
        report(message)
    return summary
