"""What a database can answer: the seconds it holds of each speed, turn rate and direction of travel, for each tag."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lactic.steer.matching.database import Database
from lactic.steer.matching.features import AHEAD, GROUPS, SLICES
from lactic.steer.matching.labels import TAGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPEEDS = np.arange(0.0, 6.01, 0.25)  # m/s
TURNS = np.arange(-180.0, 180.1, 15.0)  # degrees a second, left positive
HEADINGS = np.arange(-180.0, 180.1, 15.0)  # degrees from where the character looks to where it goes, left positive
MOVING = 0.3  # m/s below which there is no direction of travel
SIDES = {"forwards": 0, "to the left": 90, "backwards": 180, "to the right": -90}


@dataclass(frozen=True)
class NextSecond:
    """What each frame does in the second after it."""

    speed: np.ndarray
    """m/s, from here to there."""
    turn: np.ndarray
    """Degrees a second."""
    heading: np.ndarray
    """Degrees from where it looks, on average over that second, to where it goes; NaN for one that hardly moves."""


def next_second(database: Database, frames: np.ndarray) -> NextSecond:
    """The second after each of these frames, from its features."""
    features = database.features[frames].astype(float)
    trajectory = features[:, SLICES["trajectory"]].reshape(-1, *GROUPS["trajectory"])[:, -1]
    headings = features[:, SLICES["headings"]].reshape(-1, *GROUPS["headings"])
    turned = np.degrees(np.unwrap(np.arctan2(headings[..., 1], headings[..., 0]), axis=1))
    speed = np.linalg.norm(trajectory, axis=1) / AHEAD[-1]
    # looks are known after 0.33, 0.66 and 1 s; three quarters of their mean is the mean over the second
    travel = np.degrees(np.arctan2(trajectory[:, 1], trajectory[:, 0])) - 0.75 * turned.mean(axis=1)
    heading = np.where(speed > MOVING, (travel + 180) % 360 - 180, np.nan)
    return NextSecond(speed, turned[:, -1] / AHEAD[-1], heading)


def seconds_of(database: Database) -> dict[str, dict[str, float]]:
    """For each tag present the seconds found standing, going each way, and turning either way."""
    table = {}
    for tag in database.tags_present:
        coming = next_second(database, _tagged(database, tag))
        row = {"all": len(coming.speed), "standing": int((coming.speed <= MOVING).sum())}
        for side, middle in SIDES.items():
            with np.errstate(invalid="ignore"):
                row[side] = int((np.abs((coming.heading - middle + 180) % 360 - 180) <= 45).sum())
        row["turning left"], row["turning right"] = int((coming.turn > 30).sum()), int((coming.turn < -30).sum())
        table[tag] = {name: round(count / database.fps, 1) for name, count in row.items()}
    return table


def filled(database: Database, tag: str) -> float:
    """Share of the cells speed × turn rate × heading, up to the tag's fastest speed, that hold any frame."""
    coming = next_second(database, _tagged(database, tag))
    moving = ~np.isnan(coming.heading)
    if not moving.any():
        return 0.0
    cells, _ = np.histogramdd(
        np.stack([coming.speed, coming.turn, coming.heading], axis=1)[moving], bins=[SPEEDS[1:], TURNS, HEADINGS]
    )
    fastest = int(np.flatnonzero(cells.any(axis=(1, 2)))[-1]) + 1 if cells.any() else 1
    return float((cells[:fastest] > 0).mean())


def figure(database: Database) -> "Figure":
    """A row a tag: speed × turn rate, speed × heading, turn rate × heading; colours are seconds."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    tags = database.tags_present
    drawn = Figure(figsize=(12, 3.3 * len(tags) + 0.6), layout="constrained")
    grid = drawn.subplots(len(tags), 3, squeeze=False)
    norm = LogNorm(1 / database.fps, 60)
    image = None
    for row, tag in zip(grid, tags, strict=True):
        coming = next_second(database, _tagged(database, tag))
        fastest = min(SPEEDS[-1], max(1.0, np.ceil(coming.speed.max() * 4) / 4))
        speed, turn = (coming.speed, SPEEDS, "speed (m/s)"), (coming.turn, TURNS, "turn rate (°/s, left +)")
        heading = (coming.heading, HEADINGS, "heading: travel against look (°, left +)")
        views = ((turn, speed), (heading, speed), (heading, turn))
        for axes, ((x, x_bins, x_name), (y, y_bins, y_name)) in zip(row, views, strict=True):
            known = ~(np.isnan(x) | np.isnan(y))
            counts, _, _ = np.histogram2d(x[known], y[known], bins=[x_bins, y_bins])
            shown = np.ma.masked_equal(counts.T / database.fps, 0)
            image = axes.pcolormesh(x_bins, y_bins, shown, norm=norm, cmap="viridis")
            axes.set_facecolor("#eeeeee")
            axes.set(xlabel=x_name, ylabel=y_name, xticks=np.arange(-180, 181, 90))
            if y_bins is SPEEDS:
                axes.set_ylim(0, fastest)
        row[0].set_title(f"{tag}: {len(coming.speed) / database.fps / 60:.1f} min", loc="left", fontsize=11)
        row[2].set_title(f"{filled(database, tag):.0%} of all cells hold something", loc="right", fontsize=9)
    if image is not None:
        drawn.colorbar(image, ax=grid, label="seconds in the database", shrink=0.6)
    drawn.suptitle("What the database can answer: the second after each frame (grey: nothing)", x=0.01, ha="left")
    return drawn


def _tagged(database: Database, tag: str) -> np.ndarray:
    return np.flatnonzero(database.tags[:, TAGS.index(tag)] & database.searchable)
