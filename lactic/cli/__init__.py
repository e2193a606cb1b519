"""The command line: thin verbs, each importing only what it needs."""

import signal
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated

import tyro

from lactic import __version__
from lactic.cli.terminal import AsJson, Brain, Flat, Name, parsed, table
from lactic.errors import InputError, needs

app = tyro.extras.SubcommandApp()
APART = ("clips", "library", "match", "strength", "plan")
"""Verbs with a module of their own, as `play` has; what stands here is their line in `lactic --help`."""


@app.command
def play() -> None:
    """Play a character until it tires and write its motion, curves and pictures (`lactic play --help`)."""


@app.command
def tire() -> None:
    """Tire a motion of your own and get it back on its own skeleton (`lactic tire --help`)."""


@app.command
def studio(brain: Brain = "pace", port: int = 8080, host: str = "127.0.0.1", database: Path | None = None) -> None:
    """Open the studio in the browser: watch, steer, tire, push, compare and export a character.

    Args:
        database: motion-matching database, for characters that are steered; by default that of their folder, or ours.
        port: of the page.
        host: address to listen on; others on the network reach the page only if this says so.
    """
    from lactic.studio.server import run

    run(brain, host, port, database)


@app.command
def fitness(as_json: AsJson = False) -> None:
    """List fitness presets: how fast they tire and recover, and how long they hold 20, 50 and 80 % of strength."""
    from lactic.fatigue import RULE_SAYS, fitness_rows

    rows = fitness_rows()
    if not as_json:
        for row in rows:
            for load in (20, 50, 80):
                seconds = row.pop(f"endurance_{load}")
                row[f"{load} %"] = "for ever" if seconds is None else f"{seconds:.3g} s"
            row["about"], row["source"] = row.pop("about"), row.pop("source")
            del row["L"], row["joints"]
    table(rows, as_json)
    if not as_json:
        said = "; ".join(f"{rule}: {says}" for rule, says in RULE_SAYS.items())
        print(f"\nF and R are per second, r multiplies R, time scale multiplies F and R. Rule {said}.")


@app.command
def bodies(as_json: AsJson = False) -> None:
    """List bodies: freedom, mass, parts; `bodies fit` makes one of a mesh, `export` writes XML, `check` reads yours."""
    from lactic import body

    rows = []
    for made in (*map(body.get, body.NAMES), body.muscle_man()):
        rows.append(
            {
                "name": made.name,
                "joints": made.model.nv - 6,
                "mass_kg": float(made.model.body_mass.sum()),
                "regions": ", ".join(made.regions),
                "strongest_Nm": float(made.torque_limit.max(initial=0.0)) or None,
            }
        )
    table(rows, as_json)


@app.command
def brains(as_json: AsJson = False, make: Path | None = None) -> None:
    """List the shipped characters.

    Args:
        make: instead, build the brain.onnx of a folder whose params.yaml lists poses (needs lactic[train]).
    """
    from lactic.brain import catalogue

    if make is not None:
        needs("torch", "train")
        from lactic.brain.pose import make as build

        print(build(make))
        return
    rows = []
    for name in catalogue.names():
        info = catalogue.find(name).load().info
        rows.append({"name": name, "body": info.body, "fitness": info.fitness, "description": info.description})
    table(rows, as_json)


@app.command
def strength() -> None:
    """Strength from muscles: check an OpenSim leg, learn it, draw it (`lactic strength --help`)."""


@app.command
def plan() -> None:
    """Optimal motion of a body with muscles: jump, swing, reach (`lactic plan --help`)."""


@app.command
def clips() -> None:
    """Motion clips: inspect, convert and retarget, fetch (`lactic clips --help`)."""


@app.command
def library() -> None:
    """Motion libraries: many clips of one body in a file; build, inspect (`lactic library --help`)."""


@app.command
def match() -> None:
    """Motion matching: build a database of clips, see what it covers (`lactic match --help`)."""


@app.command
def doctor(replay: Path | None = None) -> None:
    """Say what works on this machine, or show what a failed simulation did last.

    Args:
        replay: a fault file that a world wrote when a simulation blew up.
    """
    from lactic.play.doctor import examine
    from lactic.world.fault import describe

    for line in examine() if replay is None else describe(replay):
        print(line)


@app.command
def train(recipe: Name) -> None:
    """Train a character from clips (needs lactic[train]); `lactic train --help` lists its options and all settings.

    Args:
        recipe: a shipped recipe such as pace, or a YAML file.
    """
    from lactic.learn.__main__ import train as start

    start([recipe])


@app.command
def sweep() -> None:
    """Train a recipe with every combination of the values that its flags are given (`lactic sweep --help`)."""


@app.command
def distil() -> None:
    """Teach a smaller network what a trained one does (`lactic distil --help`)."""


@app.command
def export(run: Name, out: Path, bits: int = 32, clips: Path | None = None) -> None:
    """Make a character of a training run: brain.onnx, params.yaml and states to start from (needs lactic[train]).

    Args:
        run: the folder of a run.
        out: folder of the character; `lactic play FOLDER` plays it.
        bits: of a weight: 32; 16 for half the size; 8 for a quarter, rounded to 1/127 of the largest in its row.
        clips: folder of its library; for rises.npz where it learnt to get up, and for the muscle man (default: cache).
    """
    needs("torch", "train")
    from lactic.learn.export import export_run
    from lactic.play.own_rises import write_rises

    path = export_run(run, out, bits, clips)
    write_rises(path.parent, clips, print)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB; try: lactic play {out}")


@dataclass(frozen=True)
class LabOptions:
    """How a table or figure is made."""

    motions: tyro.conf.Positional[tuple[str, ...]] = ()
    """for people gait, what to compare: fresh.bvh tired.bvh, one file over time, or one or two brains."""
    episodes: int = 256
    """run side by side for each number."""
    brains: Annotated[tuple[str, ...], tyro.conf.arg(name="brain")] = ()
    """only these characters, shipped ones or folders (NAME stands for NAME-expert and the like beside it too)."""
    clips: Path | None = None
    """folder of retargeted clips, for distances to them."""
    seed: int = 0
    """of the start states."""
    database: Path | None = None
    """motion-matching database, for bergamin2020; by default that of the first brain that has one."""
    cluster: str | None = None
    """address of a Ray cluster that makes the items side by side (needs lactic[scale])."""


@app.command
def lab(paper: Name, item: Name, options: Annotated[LabOptions, Flat], out: Path | None = None) -> None:
    """Recompute a published table or figure from trained characters, or compare them with people.

    Args:
        paper: whose; cheema2023, bergamin2020, jiang2019, tired_actor, feng2023, or people.
        item: table1, fig3 …, or all. People's are pace, commands, bodies, limp, skills, load and gait.
        out: folder for ITEM.json, ITEM.csv, ITEM.png and results.md; by default out/lab/PAPER.
    """
    from lactic.lab.job import run

    run(paper, item, out or Path("out/lab") / paper, **vars(options))


def main(arguments: list[str] | None = None) -> int:
    """Run a verb; wrong input is one line and exit code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["--version"]:
        print(__version__)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: half-written files are removed
    try:
        if words[:1] == ["train"]:
            from lactic.learn.__main__ import train as train_verb

            train_verb(words[1:])
        elif words[:1] == ["sweep"]:
            from lactic.learn.sweep import sweep as sweep_verb

            sweep_verb(words[1:])
        elif words[:1] in (["play"], ["tire"], ["distil"]):
            verb = import_module(f"lactic.cli.{words[0]}")
            verb.run(parsed(getattr(verb, words[0].title()), words[1:], f"lactic {words[0]}"))
        elif words and (words[0] in APART or (words[0] == "bodies" and {*words[1:2]} & {"fit", "export", "check"})):
            verbs = import_module(f"lactic.cli.{words[0]}")
            verbs.app.cli(args=words[1:] or ["--help"], prog=f"lactic {words[0]}", description=verbs.__doc__)
        else:
            app.cli(args=words, prog="lactic", description="Characters with a finite body.")
    except InputError as error:
        print(f"lactic: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has gone, as in `lactic fitness | head`
        sys.stderr.close()
        return 0
    except BaseException as error:
        if not _interrupted(error):
            raise
        print("lactic: stopped; files written so far are whole", file=sys.stderr)
        return 130
    return 0


def _interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is the cause: where it breaks a lock or a C library, another error follows it."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _interrupted(error.__context__))
