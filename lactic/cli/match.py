"""The verbs of `lactic match`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import tyro

from lactic.listing import facts_of

app = tyro.extras.SubcommandApp()
AsJson = Annotated[bool, tyro.conf.FlagCreatePairsOff]


@app.command
def build(
    clips: tyro.conf.Positional[tuple[str, ...]],
    out: Path,
    body: str = "humanoid",
    fps: float = 60.0,
    mirror: bool = True,
    map: Path | None = None,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Make a motion-matching database of clips: files, fetched clips, or folders of files.

    Args:
        clips: BVH, AMASS npz, DeepMimic txt, poselib npy, npz clips that Lactic saved, or what `lactic play` left
            (falls are cut out).
        out: the database to write, an .npz file.
        body: whose motion it is; clips are retargeted to it.
        fps: frames a second of the database.
        mirror: also hold every clip with left and right exchanged.
        map: YAML file that says which joint plays which part (see `lactic clips map`), the same for all clips.
        as_json: print JSON.
    """
    from lactic.motion.roles import read_map
    from lactic.steer.matching import commands

    facts = commands.build_file(clips, out, body=body, fps=fps, mirror=mirror, roles=read_map(map), say=_say)
    facts_of(facts, as_json)


@app.command
def inspect(
    file: tyro.conf.Positional[Path],
    picture: Path | None = None,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Say what a motion-matching database holds, and draw what it covers.

    Args:
        file: the database.
        picture: PNG to draw: how many seconds there are of each speed, turn rate and heading, for each tag.
        as_json: print JSON.
    """
    from lactic.steer.matching import commands

    facts_of(commands.inspect_file(file, picture), as_json)


@app.command
def steer(
    database: tyro.conf.Positional[Path],
    script: str = "turn",
    out: Path = Path("out/steer"),
    seconds: float | None = None,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Steer a kinematic character through a database: writes motion.bvh, motion.npz, film.png and map.png.

    Args:
        database: the database to play.
        script: turn, reversal, strafe, stop, eight, user (the artificial user), or a YAML file of sticks by time.
        out: folder for what is written.
        seconds: how long; by default as long as the script needs.
        as_json: print JSON.
    """
    from lactic.play.steer import steer as lead

    facts_of(lead(database, out, script, seconds), as_json)


@app.command
def record(
    database: Path,
    out: Path,
    minutes: float = 30.0,
    streams: int = 8,
    seed: int = 0,
    tired: bool = False,
    hurry: float = 1.0,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Let the artificial user steer kinematic characters and write what they did, for `lactic train steer`.

    Args:
        database: the database to play.
        out: the streams to write, an .npz file; put it into the folder you give as --clips.
        minutes: of motion in all.
        streams: characters led side by side, each without interruption.
        seed: of the artificial user.
        tired: let the characters go slower, as if by legs of any residual capacity: for the second stage of training.
        hurry: how many times as often as in the thesis the user changes its mind: standing teaches little.
        as_json: print JSON.
    """
    from lactic.steer.stream import record_file

    facts = record_file(
        database,
        out,
        minutes,
        streams=streams,
        seed=seed,
        tiring=tired,
        hurry=hurry,
        say=_say,
    )
    facts_of(facts, as_json)


@app.command
def capture(
    brain: tyro.conf.Positional[str],
    out: Path,
    database: Path | None = None,
    minutes: float = 10.0,
    seed: int = 0,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Steer simulated characters through starts, stops and turns, and make a database of what they did.

    Args:
        brain: a shipped brain that follows a kinematic character (see `lactic brains`), or a folder with a brain.onnx.
        out: the database to write; as database.npz in the brain's folder it is used wherever no other is given.
        database: what they follow; by default the one in the brain's folder.
        minutes: of motion to keep.
        seed: of what is asked for.
        as_json: print JSON.
    """
    from lactic.play.capture import capture as make

    _write(out, lambda: make(brain, database, minutes, seed=seed, say=_say), as_json)


@app.command
def refine(
    brain: tyro.conf.Positional[str],
    out: Path,
    database: Path | None = None,
    rounds: int = 4,
    seconds: float = 60.0,
    seed: int = 0,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Cut out of a database what a simulated character falls after: a few half seconds are to blame for most falls.

    Args:
        brain: a shipped brain that follows a kinematic character (see `lactic brains`), or a folder with a brain.onnx.
        out: the database to write.
        database: the one to refine; by default the one in the brain's folder.
        rounds: of playing and cutting.
        seconds: that 96 characters are steered by the artificial user in each.
        seed: of the first round's user; each round has another.
        as_json: print JSON.
    """
    from lactic.play.refine import refine as make

    _write(out, lambda: make(brain, database, rounds, seconds, seed=seed, say=_say), as_json)


def _write(out: Path, make: Callable[[], tuple[Any, dict[str, Any]]], as_json: bool) -> None:
    """Make a database, write it, and say what it holds."""
    from lactic.steer.matching.commands import check_target, facts

    check_target(out)
    database, more = make()
    database.save(out)
    facts_of(facts(database, out) | more, as_json)


def _say(line: str) -> None:
    print(line, file=sys.stderr)
