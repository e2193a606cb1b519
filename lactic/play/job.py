"""`lactic play`: run a brain for a while and leave a folder an animator can use."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lactic import body as bodies
from lactic import fatigue
from lactic.body import Body, muscle_man
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import BrainFile
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.files import output_folder, save_figure, write_whole
from lactic.picture.filming import FilmFormat, film_of
from lactic.picture.recording import Recording
from lactic.play.driver import Asked, Driver, Recorder
from lactic.play.fall import LYING, FallRule
from lactic.play.man import MusclePlayer, library_of
from lactic.play.man.job import drive_man, named
from lactic.play.player import Player, Strength
from lactic.play.programme import Programme
from lactic.play.progress import progress_bar
from lactic.play.route import on_route, read_route, takes_route
from lactic.play.start import start_states
from lactic.play.steer import pad_named
from lactic.play.steered import Steered, database_of, steerable
from lactic.play.summary import summarise
from lactic.play.velocity import asking, takes_velocity
from lactic.stopping import StopRequest

LONGEST = 24 * 3600.0
USUAL = 30.0  # seconds of a character without a programme


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """How a character is played: the options of `lactic play`."""

    seconds: float | None = None
    """how long to play; by default as long as the character's own programme, or 30 s."""
    fitness: str | None = None
    """a preset of `lactic fitness`; by default the one the character was made for."""
    F: float | None = None
    """rate of tiring, 1/s, for the whole body."""
    R: float | None = None
    """rate of recovery, 1/s, for the whole body."""
    r: float | None = None
    """how many times faster recovery is at rest."""
    time_scale: float | None = None
    """how many times faster than in people fatigue runs."""
    seed: int = 0
    """of the small differences between two takes, and of the artificial user."""
    format: Literal["bvh", "glb", "all"] = "bvh"
    """of the motion: bvh (skeleton), glb (skeleton, shape and fatigue: Blender, Unreal, Unity), or all."""
    strength: Strength | None = None
    """of the legs, by default as in training: box (a largest torque for each joint), muscle (what a human leg's muscles
    can give in its state; needs lactic[muscle] and compiles for up to a minute at first), or judge (box, and say what
    muscles could not have given)."""
    body: str | None = None
    """another body with the same joints, such as person or person-1.80-85 (see `lactic bodies`)."""
    database: Path | None = None
    """motion-matching database that a leader plays, for characters that follow motions; by default the one in their
    folder."""
    speed: float | None = None
    """m/s, straight on all the time instead of the programme, for characters that go as fast as they are asked."""
    script: str | None = None
    """what steers a character if anything can: turn, reversal, strafe, stop, eight, user (the artificial user), or a
    YAML file of sticks; by default its programme, or the artificial user."""
    pacing: Literal["tireless", "in proportion", "with a reserve"] = "with a reserve"
    """whether a leader feels the body: tireless asks for full speed, the others for what the legs can."""
    path: Path | None = None
    """CSV file of seconds, x and y, where the root shall be when, for characters that are told nothing else; by default
    a figure of eight."""
    clip: str | None = None
    """for a muscle man that follows clips, the clip's name; without one it moves as it likes."""
    library: Path | None = None
    """file of that clip, made by `lactic library man`; by default the one it was trained on, in the cache folder."""
    film: bool = True
    """whether to make film.mp4, which plays in real time; --no-film saves the time that takes."""
    film_size: str = "1280x720"
    """width and height of the film in pixels."""
    film_fps: float = 30.0
    """frames a second of the film."""


AS_IT_IS = PlayOptions()


def play(
    name: str, out: Path, options: PlayOptions = AS_IT_IS, report: Callable[[str], None] = print
) -> dict[str, Any]:
    """Play the brain `name` and write motion, curves, pictures and summary into `out`; returns the summary.

    A character that falls ends the recording a moment later; one that follows a leader is put back onto its feet, and
    each stretch between falls is a take with a motion file of its own.
    """
    o = options
    film = film_of(o.film_size, o.film_fps) if o.film else None
    driver, seconds = ready(name, o)
    player = driver.player
    led = isinstance(driver, Steered)
    out = output_folder(out)

    frames = max(1, round(seconds * player.info.control_rate))
    recorder = Recorder(driver, frames)
    facts: dict[str, Any] = {"fell_at_s": None} | ({"falls": 0} if led else {})
    with StopRequest() as stop, progress_bar() as progress:
        task = progress.add_task(f"playing {catalogue.find(name).name}", total=frames)
        while recorder.count < frames and not stop.asked:
            recorder.step()
            if driver.fallen()[0]:
                if facts["fell_at_s"] is None:
                    facts["fell_at_s"] = round(player.second, 6)
                    if player.muscles is not None:  # what it wants while it lies there says nothing of its skill
                        facts["muscles"] = player.muscles.report()
                if led:
                    facts["falls"] += 1
                    recorder.cut()
                    driver.stand_up()
            if not led and facts["fell_at_s"] is not None and player.second >= facts["fell_at_s"] + LYING:
                break
            if recorder.count % 30 == 0:
                progress.update(task, completed=recorder.count)
        if stop.asked:
            report(f"stopped at {player.second:.1f} s; writing what there is (Ctrl-C again leaves the film out)")
    if player.muscles is not None:
        facts.setdefault("muscles", player.muscles.report())
    facts["faults"] = int(player.world.faults)
    return write(recorder.recording(), player.body, player.fitness, out, facts, report, o.format, film)


def ready(name: str, options: PlayOptions = AS_IT_IS) -> tuple[Driver, float]:
    """The brain `name` in its body, about to take its first step, and how many seconds it is to be played."""
    folder, o = catalogue.find(name), options
    brain = folder.load()
    fitness = fatigue.preset(o.fitness or brain.info.fitness).altered(F=o.F, R=o.R, r=o.r, time_scale=o.time_scale)
    programme, seconds = Programme.read(folder.params(), brain.info), o.seconds
    if seconds is None:
        seconds = programme.length / programme.rate(fitness.time_scale) if programme.length < math.inf else USUAL
    player = player_of(brain, fitness, o)
    if o.path is not None and o.seconds is None:
        seconds = float(read_route(o.path)[-1, 0])
    if o.clip is not None and o.seconds is None and isinstance(player, MusclePlayer):
        seconds = (len(named(library_of(folder, o.library), o.clip)) - 1) / brain.info.control_rate
    if not (math.isfinite(seconds) and 0 < seconds <= LONGEST):
        raise InputError(f"seconds {seconds:g}: must be above 0 and at most {LONGEST:g}")
    if steerable(folder, brain.info, o.database) and o.seed and o.script not in (None, "user"):
        raise InputError(f"seed {o.seed}: script '{o.script}' is the same with every seed; leave one of them out")
    led: dict[str, Any] = {"speed": o.speed, "script": o.script}
    if isinstance(player, MusclePlayer):
        return drive_man(folder, player, o.seed, **led, clip=o.clip, library=o.library), seconds
    return drive(folder, player, o.seed, **led, database=o.database, pacing=o.pacing, path=o.path), seconds


def player_of(brain: BrainFile, fitness: Fitness, options: PlayOptions = AS_IT_IS) -> Player:
    """The player of a brain: of joints, or of muscles."""
    o = options
    if not brain.info.moves_muscles:
        if o.clip is not None or o.library is not None:
            raise InputError(f"clip: {brain.info.name} follows no clip of the muscle man; try `lactic tire`")
        return Player(brain, fitness, strength=o.strength, body=o.body)
    for word, given in (("strength", o.strength), ("body", o.body), ("database", o.database), ("path", o.path)):
        if given is not None:
            raise InputError(f"{word} {given}: {brain.info.name} moves the muscle man alone; leave it out")
    if o.format != "bvh":
        raise InputError(f"format {o.format}: motion of the muscle man is written as bvh alone")
    return MusclePlayer(brain, fitness)


def drive(
    folder: BrainFolder,
    player: Player,
    seed: int = 0,
    *,
    speed: float | None = None,
    script: str | None = None,
    database: str | Path | None = None,
    pacing: str = "with a reserve",
    path: Path | None = None,
) -> Driver:
    """What drives a character: its leader, led by a script; a route; or its programme, a speed or a script's sticks."""
    info = player.info
    if path is not None and not takes_route(info):
        raise InputError(f"path {path}: {folder.name} is not told where its root shall be; `goals` is")
    ask = asking(player, Programme.read(folder.params(), info), speed, script, seed)
    if steerable(folder, info, database):
        frames = database_of(folder, database)
        return Steered(player, frames, pad_named(script or "user", frames, seed), pacing)
    if takes_route(info):
        return on_route(player, path)
    if info.tracking is not None:
        raise InputError(
            f"{folder.name}: follows a motion that it is given: `lactic tire` lets it follow a clip, and with "
            "a database it is steered"
        )
    if database is not None:
        raise InputError("database: this character does not follow a leader")
    if script is not None and not takes_velocity(info):
        raise InputError("script: this character cannot be steered")
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
            write_recording(out / f"{stem}.bvh", body, take.qpos, take.fps)
        if "glb" in kinds:
            write_glb(out / f"{stem}.glb", body, take.qpos, take.fps, take.tint(body), name=record.brain)


def write(
    record: Recording,
    body: Body,
    fitness: Fitness,
    out: Path,
    facts: dict[str, Any],
    report: Callable[[str], None] = print,
    format: str = "bvh",
    film: FilmFormat | None = None,
) -> dict[str, Any]:
    """Write every file of a finished run, with more facts for its summary; each appears whole or not at all."""
    from lactic.picture.film import draw_strip
    from lactic.picture.muscles import MuscleLook
    from lactic.picture.pace import legs_left
    from lactic.picture.pace_plot import pace_figure
    from lactic.picture.plots import fatigue_figure
    from lactic.picture.video import film_video

    summary = summarise(record, fitness, body.groups) | facts
    record.save(out / "recording.npz")
    record.write_csv(out / "fatigue.csv")
    muscles = MuscleLook(record.fatigue) if body.name == muscle_man().name else None
    look: dict[str, Any] = {"tint": record.tint(body), "muscles": muscles}
    write_takes(out, record, body, ("bvh", "glb") if format == "all" else (format,))
    save_figure(out / "fatigue.png", fatigue_figure(record, body), 130)
    if record.asks == "velocity" and len(record) > 1:
        save_figure(out / "pace.png", pace_figure(record, body), 130)
    draw_strip(body, record.qpos, record.fps, out / "film.png", **look, end=facts.get("fell_at_s") is not None)
    write_whole(out / "summary.json", json.dumps(summary, indent=2) + "\n")
    if film is None:
        return summary
    with StopRequest() as stop, progress_bar() as progress:
        task = progress.add_task("painting film.mp4", total=None)
        message = film_video(
            body,
            record.qpos,
            record.fps,
            out / "film.mp4",
            **look,
            legs=legs_left(record, body),
            cuts=record.cuts,
            film=film,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
            stop=lambda: stop.asked,
        )
    if message:
        report(message)
    return summary
