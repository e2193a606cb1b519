"""The command line: thin verbs, each importing only what it needs."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from lactic import __version__
from lactic.errors import InputError, needs
from lactic.listing import table

app = tyro.extras.SubcommandApp()
Name = tyro.conf.Positional[str]
AsJson = Annotated[bool, tyro.conf.FlagCreatePairsOff]


@app.command
def play(
    name: Name,
    seconds: float | None = None,
    fitness: str | None = None,
    F: float | None = None,
    R: float | None = None,
    r: float | None = None,
    time_scale: float | None = None,
    seed: int = 0,
    out: Path | None = None,
    format: Literal["bvh", "glb", "all"] = "bvh",
    strength: Literal["box", "muscle", "judge"] | None = None,
    body: str | None = None,
    database: Path | None = None,
    speed: float | None = None,
    script: str | None = None,
    tired: Literal["tireless", "in proportion", "with a reserve"] = "with a reserve",
    film: bool = True,
    film_size: str = "1280x720",
    film_fps: float = 30.0,
) -> None:
    """Play a character until it tires and write its motion, curves and pictures.

    Args:
        name: a shipped brain (see `lactic brains`) or a folder with a brain.onnx.
        seconds: how long to play; by default as long as the character's own programme, or 30 s.
        fitness: a preset of `lactic fitness`; by default the one the character was made for.
        F: rate of tiring, 1/s, for the whole body.
        R: rate of recovery, 1/s, for the whole body.
        r: how many times faster recovery is at rest.
        time_scale: how many times faster than in people fatigue runs.
        seed: of the small differences between two takes.
        out: folder for the results; by default out/NAME.
        body: another body with the same joints, such as person or person-1.80-85 (see `lactic bodies`).
        format: of the motion: bvh (skeleton), glb (skeleton, shape and fatigue: Blender, Unreal, Unity), or all.
        strength: of the legs, by default as in training: box (a largest torque for each joint), muscle (what a human
            leg's muscles can give in its state; needs lactic[muscle] and compiles for up to a minute at first), or
            judge (box, and say what muscles could not have given).
        database: motion-matching database, for characters that are steered; by default the one in their folder, or
            else the shipped one.
        speed: m/s, straight on all the time instead of the programme, for characters that go as fast as they are asked.
        script: who steers a character that can be steered: turn, reversal, strafe, stop, eight, user (the artificial
            user), or a YAML file of sticks; by default its programme, or the artificial user.
        tired: whether who steers feels the body: tireless asks for full speed, the others for what the legs can.
        film: whether to make film.mp4, which plays in real time; --no-film saves the time that takes.
        film_size: width and height of the film in pixels.
        film_fps: frames a second of the film.
    """
    from lactic.picture.filming import film_of
    from lactic.play.job import play as run

    wanted = film_of(film_size, film_fps) if film else None
    folder = out if out is not None else Path("out") / Path(name).name
    summary = run(
        name,
        folder,
        seconds=seconds,
        fitness=fitness,
        F=F,
        R=R,
        r=r,
        time_scale=time_scale,
        seed=seed,
        format=format,
        strength=strength,
        body=body,
        database=database,
        speed=speed,
        script=script,
        tired=tired,
        film=wanted,
    )
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


@app.command
def studio(
    brain: str = "pace",
    port: int = 8080,
    host: str = "127.0.0.1",
    database: Path | None = None,
) -> None:
    """Open the studio in the browser: watch, steer, tire, push, compare and export a character.

    Args:
        brain: a shipped brain (see `lactic brains`) or a folder with a brain.onnx.
        database: motion-matching database, for characters that are steered; by default the one in their folder, or
            else the shipped one.
        port: of the page.
        host: address to listen on; others on the network reach the page only if this says so.
    """
    from lactic.studio.server import run

    run(brain, host, port, database)


@app.command
def fitness(as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False) -> None:
    """List fitness presets: how fast they tire and recover, and how long they hold 20, 50 and 80 % of their strength.

    Args:
        as_json: print JSON.
    """
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
def bodies(as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False) -> None:
    """List bodies: degrees of freedom, mass, parts; `lactic bodies fit --help` fits one to a human mesh.

    Args:
        as_json: print JSON.
    """
    from lactic import body

    rows = []
    for name in body.NAMES:
        made = body.get(name)
        rows.append(
            {
                "name": name,
                "joints": len(made.joints),
                "mass_kg": float(made.model.body_mass.sum()),
                "regions": ", ".join(made.regions),
                "strongest_Nm": float(made.torque_limit.max()),
            }
        )
    table(rows, as_json)


@app.command
def brains(as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False, make: Path | None = None) -> None:
    """List the shipped characters.

    Args:
        as_json: print JSON.
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
    if replay is not None:
        from lactic.world.fault import describe

        print("\n".join(describe(replay)))
        return
    from lactic.play.doctor import examine

    for line in examine():
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
def distil(
    run: Name,
    out: Path,
    hidden: tuple[int, ...] = (512, 256),
    clips: Path | None = None,
    rounds: int = 500,
    device: str = "cpu",
) -> None:
    """Teach a smaller network what a trained one does, for smaller and faster characters (needs lactic[train]).

    Args:
        run: the folder of a run.
        out: folder of the new run, for `lactic export`.
        hidden: sizes of the new policy's layers.
        clips: folder of the clips it was trained from.
        rounds: of practice and correction.
        device: cpu, cuda or warp-cpu.
    """
    needs("torch", "train")
    from lactic.learn.distil import distil as teach

    print(f"saved in {teach(run, out, hidden, clips=clips, rounds=rounds, device=device)}")


@app.command
def export(run: Name, out: Path, bits: int = 32, tired: Path | None = None) -> None:
    """Make a character of a training run: brain.onnx, params.yaml and states to start from (needs lactic[train]).

    Args:
        run: the folder of a run.
        out: folder of the character; `lactic play FOLDER` plays it.
        bits: of a weight: 32; 16 for half the size; 8 for a quarter, rounded to 1/127 of the largest in its row.
        tired: another run that follows a kinematic character: below 85 % of its legs' strength the brain does as that
            one, above 95 % as the first.
    """
    needs("torch", "train")
    from lactic.learn.export import export_run

    path = export_run(run, out, bits, tired)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB; try: lactic play {out}")


@app.command
def lab(
    paper: Name,
    item: Name,
    motions: tyro.conf.Positional[tuple[str, ...]] = (),
    out: Path | None = None,
    episodes: int = 256,
    brains: Annotated[tuple[str, ...], tyro.conf.arg(name="brain")] = (),
    clips: Path | None = None,
    seed: int = 0,
    database: Path | None = None,
) -> None:
    """Recompute a published table or figure from trained characters, or compare them with people.

    Args:
        paper: whose; cheema2023, bergamin2020, jiang2019, or people.
        item: table1, fig3 …, or all; cards (cheema2023) writes card.md of characters from what is in --out already.
            People's are pace, commands, bodies, limp, skills, load and gait.
        motions: for people gait, what to compare: fresh.bvh tired.bvh, two brains, or one brain, fresh and tired.
        out: folder for ITEM.json, ITEM.csv, ITEM.png and results.md; by default out/lab/PAPER.
        episodes: run side by side for each number.
        brains: only these characters, shipped ones or folders (NAME stands for NAME-expert and the like beside it too).
        clips: folder of retargeted clips, for distances to them.
        seed: of the start states.
        database: motion-matching database, for bergamin2020; by default that of the first brain that has one.
    """
    from lactic.lab.job import run

    run(
        paper,
        item,
        out or Path("out/lab") / paper,
        episodes=episodes,
        brains=brains,
        clips=clips,
        seed=seed,
        database=database,
        motions=motions,
    )


def main(arguments: list[str] | None = None) -> int:
    """Run a verb; wrong input is one line and exit code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["--version"]:
        print(__version__)
        return 0
    try:
        if words[:1] == ["clips"]:
            from lactic.cli.clips import app as clip_app

            clip_app.cli(args=words[1:] or ["--help"], prog="lactic clips", description="Motion clips.")
        elif words[:2] == ["bodies", "fit"]:
            from lactic.cli.bodies import app as bodies_app

            bodies_app.cli(args=words[1:], prog="lactic bodies", description="Bodies.")
        elif words[:1] == ["library"]:
            from lactic.cli.library import app as library_app

            library_app.cli(args=words[1:] or ["--help"], prog="lactic library", description="Motion libraries.")
        elif words[:1] == ["match"]:
            from lactic.cli.match import app as match_app

            match_app.cli(args=words[1:] or ["--help"], prog="lactic match", description="Motion matching.")
        elif words[:1] == ["strength"]:
            from lactic.cli.strength import run as strength_verb

            strength_verb(words[1:])
        elif words[:1] == ["train"]:
            from lactic.learn.__main__ import train as train_verb

            train_verb(words[1:])
        elif words[:1] == ["plan"]:
            from lactic.cli.plan import run as plan_verb

            plan_verb(words[1:])
        else:
            app.cli(args=words, prog="lactic", description="Characters with a finite body.")
    except InputError as error:
        print(f"lactic: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("lactic: stopped; files written so far are whole", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as in `lactic fitness | head`
        sys.stderr.close()
        return 0
    return 0
