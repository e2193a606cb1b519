"""Motion matching."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import tyro

from lactic.cli.terminal import AsJson, Map, facts_of, say

app = tyro.extras.SubcommandApp()
Database = Annotated[Path, tyro.conf.arg(help="the database to play.")]
Follower = Annotated[
    str,
    tyro.conf.Positional,
    tyro.conf.arg(
        help="a shipped brain that follows motions (see `lactic brains`), or a folder with a brain.onnx.",
    ),
]
Followed = Annotated[
    Path | None, tyro.conf.arg(help="what its leader plays; by default the database in the brain's folder.")
]


@app.command
def build(
    clips: tyro.conf.Positional[tuple[str, ...]],
    out: Path,
    body: str = "humanoid",
    fps: float = 60.0,
    mirror: bool = True,
    roles: Map = None,
    as_json: AsJson = False,
) -> None:
    """Make a motion-matching database of clips: files, fetched clips, or folders of files.

    Args:
        clips: BVH, AMASS npz, DeepMimic txt, poselib npy, npz clips that Lactic saved, or what `lactic play` left
            (falls are cut out).
        out: the database to write, an .npz file.
        body: whose motion it is; clips are retargeted to it.
        fps: frames a second of the database.
        mirror: also hold every clip with left and right exchanged.
    """
    from lactic.motion.roles import read_map
    from lactic.steer.matching import commands

    facts = commands.build_file(clips, out, body=body, fps=fps, mirror=mirror, roles=read_map(roles), say=say)
    facts_of(facts, as_json)


@app.command
def inspect(file: tyro.conf.Positional[Path], picture: Path | None = None, as_json: AsJson = False) -> None:
    """Say what a motion-matching database holds, and draw what it covers.

    Args:
        file: the database.
        picture: PNG to draw: how many seconds there are of each speed, turn rate and heading, for each tag.
    """
    from lactic.steer.matching import commands

    facts_of(commands.inspect_file(file, picture), as_json)


@app.command
def steer(
    database: tyro.conf.Positional[Database],
    script: str = "turn",
    out: Path = Path("out/steer"),
    seconds: float | None = None,
    as_json: AsJson = False,
) -> None:
    """Steer a kinematic character through a database: writes motion.bvh, motion.npz, film.png and map.png.

    Args:
        script: turn, reversal, strafe, stop, eight, user (the artificial user), or a YAML file of sticks by time.
        out: folder for what is written.
        seconds: how long; by default as long as the script needs.
    """
    from lactic.play.steer import steer as lead

    facts_of(lead(database, out, script, seconds), as_json)


@app.command
def record(
    database: Database,
    out: Path,
    minutes: float = 30.0,
    streams: int = 8,
    seed: int = 0,
    tiring: bool = False,
    hurry: float = 1.0,
    as_json: AsJson = False,
) -> None:
    """Let the artificial user steer leaders and write what they did as a motion library, for `lactic train steer`.

    Args:
        out: the library to write, an .npz file; its motions are of the split leader and called by the file's name.
        minutes: of motion in all.
        streams: leaders side by side, each without interruption.
        seed: of the artificial user.
        tiring: let the leaders go slower and faster, as if their legs tired and recovered.
        hurry: how many times as often as in the thesis the user changes its mind: standing teaches little.
    """
    from lactic.steer.stream import record_file

    facts = record_file(database, out, minutes, streams=streams, seed=seed, tiring=tiring, hurry=hurry, say=say)
    facts_of(facts, as_json)


@app.command
def capture(
    brain: Follower,
    out: Path,
    database: Followed = None,
    minutes: float = 10.0,
    seed: int = 0,
    as_json: AsJson = False,
) -> None:
    """Steer simulated characters through starts, stops and turns, and make a database of what they did.

    Args:
        out: the database to write; as database.npz in the brain's folder it is used wherever no other is given.
        minutes: of motion to keep.
        seed: of what is asked for.
    """
    from lactic.play.capture import capture as make

    _write(out, lambda: make(brain, database, minutes, seed=seed, say=say), as_json)


@app.command
def refine(
    brain: Follower,
    out: Path,
    database: Followed = None,
    rounds: int = 4,
    seconds: float = 60.0,
    seed: int = 0,
    as_json: AsJson = False,
) -> None:
    """Cut out of a database what a simulated character falls after: a few half seconds are to blame for most falls.

    Args:
        out: the database to write.
        rounds: of playing and cutting.
        seconds: that 96 characters are steered by the artificial user in each.
        seed: of the first round's user; each round has another.
    """
    from lactic.play.refine import refine as make

    _write(out, lambda: make(brain, database, rounds, seconds, seed=seed, say=say), as_json)


@app.command
def upright(database: tyro.conf.Positional[Database], out: Path, as_json: AsJson = False) -> None:
    """Let a leader stand upright: whatever stands in a database comes to the body's own standing, which costs little.

    Args:
        out: the database to write.
    """
    from lactic.steer.matching import Database as Frames
    from lactic.steer.matching.upright import upright as make

    _write(out, lambda: (make(Frames.load(database)), {}), as_json)


def _write(out: Path, make: Callable[[], tuple[Any, dict[str, Any]]], as_json: bool) -> None:
    """Make a database, write it, and say what it holds."""
    from lactic.files import check_target
    from lactic.steer.matching.commands import facts

    check_target(out, "a database is")
    database, more = make()
    database.save(out)
    facts_of(facts(database, out) | more, as_json)
