"""`lactic tire`: read a clip, let a body follow it while it tires, and keep what it did."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic import fatigue
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.files import output_folder
from lactic.motion.body_clip import BodyClip
from lactic.motion.clip import Clip
from lactic.motion.commands import load, locate
from lactic.motion.looping import repeated, repeated_like, times_for
from lactic.motion.retarget import retarget
from lactic.motion.roles import read_map
from lactic.picture import plots, shot
from lactic.picture.filming import film_of
from lactic.picture.painters import Painters, processors
from lactic.picture.recording import Recording
from lactic.play.driver import Recorder
from lactic.play.fall import LYING
from lactic.play.player import Player
from lactic.play.progress import progress_bar
from lactic.play.tire.blended import Blended, Loss, told
from lactic.play.tire.options import TireOptions, person_of, weakened
from lactic.stopping import StopRequest

LONGEST = 3600.0
"""Seconds of a result."""
SHORTEST = 0.2
"""Seconds of a clip that can be followed."""
FASTEST, SLOWEST = 1.2, 3.0
"""How much faster than its own pace a clip may run, and how many times as long as the clip a result may be."""
STANDING, STILL = 5.0, 0.05
"""Seconds at so slow a clock after which a body has stopped for good."""

EARLY = 2
"""Painters that are started before it is known how long the film will be."""

AS_IT_IS = TireOptions()


@dataclass
class TiredRun:
    """A clip, and what a body made of it, frame by frame."""

    path: Path
    source: Clip | BodyClip
    """The clip as it was read."""
    repeated: Clip | BodyClip
    """The same as often as it was done; what the joints that no body has do as."""
    motion: BodyClip
    """What was to be followed."""
    record: Recording
    ghost: np.ndarray
    """Where the clip had the body, (frame, nq)."""
    clock: np.ndarray
    when: np.ndarray
    """Seconds of the repeated clip, (frame,)."""
    losses: list[Loss]
    stopped: bool
    """Whether it stood still at the end, with the motion unfinished."""


def tire(
    clip: str | Path, out: Path, options: TireOptions = AS_IT_IS, report: Callable[[str], None] = print
) -> dict[str, Any]:
    """Tire the motion file `clip` and write motion, film, curves and summary into `out`; returns the summary."""
    from lactic.play.tire.write import write

    o = options
    film = film_of(o.film_size, o.film_fps) if o.film else None
    brain = catalogue.find(o.brain).load()
    if brain.info.tracking is None:
        raise InputError(f"brain {o.brain}: does not follow motions; `actor` does")
    fitness = fatigue.preset(o.fitness or brain.info.fitness).altered(time_scale=o.time_scale)
    body = bodies.get(person_of(o.height, o.mass) or brain.info.body)
    weak = weakened(body, o.start, o.exhaust)
    path = locate(clip)
    with painters_getting_ready() as painters:
        source = load(path, roles=read_map(o.map))
        motion, again = _prepared(source, body.name, brain.info.control_rate, o, brain.info.tracking.waits)
        player = Player(brain, fitness, body=body.name)
        for joint, left in weak.items():
            player.exhaust([joint], 1.0 - left)
        run = follow(path, source, again, motion, player, o, lambda: output_folder(out), report)
        return write(run, player, o, output_folder(out), film, painters, report)


def painters_getting_ready() -> Painters:
    """Processes that load, while a body is simulated, what curves (the first) and pictures (all) need."""
    painters = Painters(min(EARLY, processors()))
    painters.ask(0, plots.ready)
    for k in range(len(painters)):
        painters.ask(k, shot.ready)
    return painters


def follow(
    path: Path,
    source: Clip | BodyClip,
    again: Clip | BodyClip,
    motion: BodyClip,
    player: Player,
    options: TireOptions,
    ready: Callable[[], Any] = lambda: None,
    report: Callable[[str], None] = print,
) -> TiredRun:
    """Follow a motion to its end, or as long as it was asked to; `ready` is called when all is prepared."""
    stops = options.fall == "stop"
    driver = Blended(player, motion, strict=options.strict, back=not stops, rises=() if stops else None)
    rate = player.info.control_rate
    ready()
    frames = motion.frames
    if driver.about.waits:
        frames = round(SLOWEST * frames) if options.seconds is None else round(options.seconds * rate) + 1
    recorder = Recorder(
        driver,
        frames,
        when=lambda: driver.time[0],
        clock=lambda: driver.clock[0],
        ghost=lambda: driver.own().qpos[0],
    )
    still, ending = 0, np.inf
    with StopRequest() as stop, progress_bar() as progress:
        task = progress.add_task(f"tiring {path.name}", total=frames)
        while recorder.count < frames and not stop.asked and player.second < ending:
            recorder.step()
            if options.seconds is None and driver.about.waits and driver.finished[0]:
                break
            still = still + 1 if driver.clock[0] < STILL and not (driver.away | driver.down)[0] else 0
            if options.seconds is None and still > STANDING * rate:
                break
            if stops and driver.losses[0]:
                ending = driver.losses[0][0].begin + LYING
            if recorder.count % 30 == 0:
                progress.update(task, completed=recorder.count)
        if stop.asked:
            report(f"stopped at {player.second:.1f} s; writing what there is (Ctrl-C again leaves the film out)")
    kept = recorder.arrays()
    stood = bool(still > STANDING * rate / 2 and not driver.finished[0])
    return TiredRun(
        path,
        source,
        again,
        motion,
        recorder.recording(),
        kept["ghost"].astype(float),
        kept["clock"],
        kept["when"],
        told(driver.losses[0]),
        stood,
    )


def _prepared(
    source: Clip | BodyClip, body: str, rate: float, options: TireOptions, waits: bool
) -> tuple[BodyClip, Clip | BodyClip]:
    """What is to be followed at the rate of control, repeated as asked, and the source repeated alike."""
    loop, seconds = options.loop, options.seconds
    if loop is not None and seconds is not None:
        raise InputError("loop and seconds: give one of them")
    if loop is not None and loop < 1:
        raise InputError(f"loop {loop}: must be at least 1")
    if seconds is not None and not SHORTEST <= seconds <= LONGEST:
        raise InputError(f"seconds {seconds:g}: must be from {SHORTEST:g} to {LONGEST:g}")
    if source.seconds < SHORTEST:
        raise InputError(f"clip '{source.name}': {source.frames} frames are no motion; give {SHORTEST:g} s or more")
    if source.seconds * (loop or 1) > LONGEST:
        raise InputError(f"clip '{source.name}': {source.seconds * (loop or 1):.0f} s; at most {LONGEST:g} s are tired")
    often = (loop or 1) > 1 or (seconds or 0) > source.seconds
    if isinstance(source, Clip):
        motion, _ = retarget(source, bodies.get(body), fps=rate, close=often and source.cyclic)
    elif source.body_name == body:
        motion = source.resample(rate)
    else:
        raise InputError(f"clip '{source.name}': of the body '{source.body_name}', not of '{body}'")
    times = loop or 1
    if seconds is not None:
        need = round(seconds * rate * (FASTEST if waits and not options.strict else 1.0)) + 1
        times = times_for(motion, need)
    if times == 1 and seconds is None:
        return motion, source
    motion, rounds = repeated(motion, times)
    again = repeated_like(source, rounds, rate) if isinstance(source, Clip) else motion
    if seconds is not None and not (waits and not options.strict):
        motion = motion.cut(0.0, seconds)
    return motion, again
