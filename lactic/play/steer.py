"""`lactic match steer`: lead a kinematic character by a script, a path or the artificial user, and show it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lactic import rotation
from lactic.errors import InputError
from lactic.files import output_folder, save_figure
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh_write import write_bvh
from lactic.steer.gamepad import BUTTON, LEFT, TRIGGER, ArtificialUser, Gamepad, Pad, PathFollower, read_script, script
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.matching import Database

LONGEST = 3600.0
SCRIPTS: dict[str, Callable[[], Pad]] = {
    "turn": lambda: script([(0, Gamepad((1, 0))), (3, Gamepad((0, 1))), (6, Gamepad((0, 1)))]),
    "reversal": lambda: script(
        [(0, Gamepad((1, 0), trigger=1)), (3, Gamepad((-1, 0), trigger=1)), (6, Gamepad((-1, 0), trigger=1))]
    ),
    "strafe": lambda: script(
        [(0, Gamepad((1, 0), (1, 0))), (3, Gamepad((0, 1), (1, 0))), (6, Gamepad((-1, 0), (1, 0))), (9, Gamepad())]
    ),
    "stop": lambda: script([(0, Gamepad((1, 0))), (3, Gamepad((1, 0), trigger=1)), (6, Gamepad())]),
    "eight": lambda: PathFollower(figure_eight()),
    "user": ArtificialUser,
}
"""Scripts by name; any other name is a file of rows."""


def figure_eight(size: float = 3.0) -> np.ndarray:
    """Points (point, 2) of a figure of eight that starts and ends at the origin."""
    t = np.linspace(0, 2 * np.pi, 200)
    return size * np.stack([np.sin(t), np.sin(t) * np.cos(t)], axis=-1)


@dataclass
class Ride:
    """What kinematic characters did, frame by frame, and what they were asked."""

    fps: float
    qpos: np.ndarray
    qvel: np.ndarray
    asked: np.ndarray
    """(frame, character, 3): velocity asked for (x, y) and heading."""
    transitions: np.ndarray

    @property
    def heading(self) -> np.ndarray:
        """Where the roots look, (frame, character) in radians."""
        return rotation.heading(self.qpos[..., 3:7])

    def speed(self) -> np.ndarray:
        """m/s over the ground, (frame, character), over about a step."""
        place = self.qpos[..., :2]
        pace = np.gradient(place, 1 / self.fps, axis=0) if len(place) > 1 else np.zeros_like(place)
        return np.linalg.norm(over_a_step(pace, self.fps), axis=-1)


def over_a_step(values: np.ndarray, fps: float, seconds: float = 0.35) -> np.ndarray:
    """The mean over a third of a second around each frame (frame, …): a pelvis turns and sways with every step."""
    wide = max(round(seconds * fps) // 2, 1)
    padded = np.concatenate([np.repeat(values[:1], wide, 0), values, np.repeat(values[-1:], wide, 0)])
    total = np.cumsum(np.concatenate([np.zeros_like(padded[:1]), padded]), axis=0)
    return (total[2 * wide + 1 :] - total[: -2 * wide - 1]) / (2 * wide + 1)


def ride(database: Database, pad: Pad, seconds: float, count: int = 1) -> Ride:
    """Lead kinematic characters that start standing at the origin, looking along x."""
    crowd, rows = KinematicCharacters(database, count), []
    for k in range(max(round(seconds * database.fps), 1)):
        pose = crowd.step(pad(k / database.fps, crowd.state.qpos[:, :7]))
        rows.append((pose.qpos.copy(), pose.qvel.copy(), crowd.state.goal.copy()))
    qpos, qvel, asked = (np.array(column) for column in zip(*rows, strict=True))
    return Ride(database.fps, qpos, qvel, asked, crowd.transitions)


def steer(database: str | Path, out: Path, name: str = "turn", seconds: float | None = None) -> dict[str, Any]:
    """Lead a character of the database by the script `name` and write motion, film strip and a map into `out`."""
    frames = Database.load(database)
    pad = pad_named(name, frames)
    if seconds is None:
        seconds = max(getattr(pad, "seconds", 0.0) + 3.0, 10.0 if name != "user" else 60.0)
    if not (np.isfinite(seconds) and 0 < seconds <= LONGEST):
        raise InputError(f"seconds {seconds:g}: must be above 0 and at most {LONGEST:g}")
    out = output_folder(out)
    done = ride(frames, pad, seconds)
    clip = BodyClip(frames.body_name, done.fps, done.qpos[:, 0], Path(name).stem)
    clip.save(out / "motion.npz")
    write_bvh(out / "motion.bvh", clip)
    from lactic.picture.film import draw_strip

    draw_strip(clip.body, clip.qpos, done.fps, out / "film.png", count=12)
    _map(done, out / "map.png")
    turn = np.abs(rotation.wrap(done.heading - done.asked[..., 2]))
    moving = np.linalg.norm(done.asked[..., :2], axis=-1)
    return {
        "folder": str(out),
        "seconds": round(seconds, 3),
        "transitions": int(done.transitions[0]),
        "speed": {"asked": round(float(moving.mean()), 3), "shown": round(float(done.speed().mean()), 3)},
        "heading_off_degrees": {"mean": round(float(np.degrees(turn.mean())), 2)},
    }


def pad_named(name: str, database: Database | None, seed: int = 0, count: int = 1) -> Pad:
    """The script of that name or file, for characters of a database that has the styles it asks for; without one, for
    characters whose sticks say a velocity."""
    if name == "user":
        rate = 30.0 if database is None else database.fps
        return ArtificialUser(count, seed, 1 / rate, crouch=database is not None and "crouch" in database.tags_present)
    if name in SCRIPTS:
        pad = SCRIPTS[name]()
    elif Path(name).is_file():
        pad = read_script(name)
    else:
        raise InputError(f"script {name}: neither a file nor one of {', '.join(SCRIPTS)}")
    if database is not None:
        _check(database, pad)
    return pad


def _check(database: Database, pad: Pad) -> None:
    """Say at once if a script asks for a style that the database does not have."""
    pads = getattr(pad, "pads", np.zeros((0, 6)))
    if (pads[:, BUTTON] > 0.5).any():
        database.index("crouch")
    if ((pads[:, TRIGGER] > 0.5) & (np.linalg.norm(pads[:, LEFT], axis=1) > 0)).any():
        database.index("run")


def _map(done: Ride, path: Path) -> None:
    """The way seen from above, and speed and heading beside what was asked."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.3))
    above, fast, turn = figure.add_subplot(grid[:, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    time = np.arange(len(done.qpos)) / done.fps
    root, asked = done.qpos[:, 0], done.asked[:, 0]
    above.plot(root[:, 0], root[:, 1], color="C0")
    marks = root[:: max(round(done.fps), 1)]
    facing = rotation.heading(marks[:, 3:7])
    above.quiver(marks[:, 0], marks[:, 1], np.cos(facing), np.sin(facing), angles="xy", width=0.004, color="C1")
    above.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", title="from above, a heading each second")
    fast.plot(time, np.linalg.norm(asked[:, :2], axis=1), "k--", lw=1, label="asked")
    fast.plot(time, done.speed(), label="shown")
    fast.set(ylabel="speed (m/s)")
    fast.legend(frameon=False)
    turn.plot(time, np.degrees(np.unwrap(asked[:, 2])), "k--", lw=1)
    turn.plot(time, np.degrees(np.unwrap(done.heading[:, 0])))
    turn.set(xlabel="time (s)", ylabel="heading (°)")
    save_figure(path, figure)
