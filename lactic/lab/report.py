"""Results as tidy rows: printed for people, written as JSON, CSV and pictures, each file whole or not at all."""

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lactic.files import whole_file
from lactic.lab import verdict
from lactic.lab.statistics import Estimate
from lactic.lab.verdict import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METRICS = {
    "survival": "share of episodes without a fall",
    "fallen": "episodes that fell; speeds are those of the others",
    "seconds_to_fall": "s, of the episodes that fell",
    "capacity_at_fall": "mean residual capacity when falling",
    "speed": "m/s over the ground, in windows of a second",
    "speed_to_clip": "speed over the clip's",
    "repetitions_per_minute": "steps, hops, cartwheels, backflips or kicks a minute",
    "repetitions_to_clip": "repetitions a minute over the looped clip's",
    "distance": "to the closest clip frame: norm over the joints of angle/π",
    "distance_deviation": "standard deviation of that over frames",
    "distance_half_range": "the same, as a mean over the joints of |angle| over half its range",
    "distance_degrees": "the same, RMS over the joints, degrees",
    "height": "m: kicks, highest foot joint; hops, clearance of the lowest point",
    "length": "m covered in the air",
    "jump": "m, clearance of the lowest point during a kick",
    "rest_share": "share of time at rest: slow and upright for 1 s or more",
    "rests_that_help": "rests of 1 s or more with rising mean RC and another repetition after, per episode",
    "episodes_with_helpful_rest": "share of episodes that have one",
    "rest_gain": "rise of mean RC in one",
    "capacity": "mean residual capacity over joints and time",
    "mean_MF": "fatigued share of the joint, mean over time",
    "jitter": "rad/s², RMS acceleration of the shoulders at rest",
    "acceleration": "rad/s², RMS over the joints, at 30 Hz: well above the clip's own, a body jitters",
    "acceleration_at_rest": "the same, at rest",
    "skate": "m/s of feet that lie flat on the floor",
    "order_agreement": "share of pairs of bodies whose performance is ordered as their mean RC",
    "turned_in_3s": "share of turns to within 15° of the new direction in 3 s",
    "seconds_to_turn": "s until within 15°",
    "root_height": "m",
    "minutes": "of motion looked at",
    "transitions_per_second": "how often a character goes on from another frame",
    "largest_pop": "m, the most a body moves between two frames beyond what its velocities say",
    "slide": "mm, the farthest the ball of a foot gets in a contact from where it was at its start",
    "locked_share": "share of the time that a clip has a foot in contact for which it is locked",
    "place_jump": "m, the largest change of any body's position by a transition",
    "speed_jump": "m/s, the same of its velocity",
    "rise_time": "s from 10 to 90 % of the turn",
    "seconds_to_10_degrees": "s until the heading, over a step, is within 10° for good",
    "off_after_1s": "degrees between the heading, over a step, and the stick a second after it turned",
    "within_10_degrees_after_1s": "share of turns for which that is below 10°",
    "velocity": "m/s of the root along the run",
    "seconds_to_stop": "s until the velocity changes sign",
    "seconds_to_reverse": "s until the velocity has 80 % of its later value for good",
    "farthest_from_path": "m, the most a character strays from the path",
    "mean_from_path": "m, mean distance from the path",
    "arrived": "share of characters that reached the end of the path in time",
    "falls": "times a simulated character had to be put back onto its kinematic one",
    "lag": "s by which a simulated character changes the sign of its velocity after its kinematic one",
    "falls_per_5_minutes": "falls in 5 minutes of the artificial user",
    "seconds_between_falls": "s; all the time there was where none fell",
    "million_samples": "control steps that the brain was trained with",
    "legs_capacity": "residual capacity of the weaker leg, when the ten seconds looked at begin",
    "mean_speed": "m/s along the stick, mean of ten seconds",
    "top_speed": "m/s along the stick, the fastest second of ten",
    "falls_in_3_minutes": "falls of a character",
    "never_fell": "share of characters that did not fall",
    "reward": "r_fall·mean(r_pos, r_vel, r_local, r_cm-vel), at the thesis' sharpness",
    "microseconds": "µs of processor time for a character and a frame of 1/60 s",
    "ratio_to_mj_step": "the same over that of one bare mj_step (1/120 s) of the body, measured in turn",
    "in_real_time": "characters that one thread steps in real time",
    "seconds_a_second": "simulated seconds in one of the wall clock",
    "disagreements": "queries for which not all find the same frame",
    "microseconds_a_search": "µs of processor time",
    "over_brute_force": "the same over that of brute force",
    "over_k_d_tree": "the same over that of scipy's k-d tree, in whichever way that is faster",
    "kick_follows_capacity": "correlation of a kick's foot height with mean RC at its time",
    "torque_beyond_capacity": "share of joints and time with more torque than RC allows",
    "accuracy": "1 − ‖learned − exact‖/‖exact‖ over all samples",
    "R_error_median": "Nm, median over samples of ‖learned − exact‖",
    "R_error_p95": "Nm, 95th percentile of the same",
    "E_error_median": "N of maximal force at work, median over samples of |learned − exact|",
    "E_error_p95": "N, 95th percentile of the same",
    "plantarflexion": "Nm, the largest the ankle can give alone; learned: as long as no |R| exceeds 3 Nm",
    "off_exact": "Nm, |learned − exact|",
    "effort": "N of maximal force at work, Σ fₒ·a",
    "speed_along": "m/s along the lane, after 4 s",
    "cadence": "steps a minute",
    "duty": "share of a stride that its foot is on the ground",
    "hip_extension": "Nm/kg, largest torque in a stride, mean over strides",
    "hip_flexion": "the same",
    "knee_extension": "the same",
    "knee_flexion": "the same",
    "ankle_plantarflexion": "the same",
    "ground_peak": "body weights, largest upward force on a foot in a stride, over 25 ms",
    "leg_work": "J/kg/m, positive work of the leg joints",
    "cost_of_transport": "J/kg/m: work of leg muscles over their efficiency, and 1.2 W/kg for a body at rest",
    "infeasible_time": "share of time in which a leg gives a torque more than 3 Nm beyond what its muscles could",
    "infeasible_torque": "Nm, mean of what a leg gives beyond its muscles",
    "strides": "strides measured",
    "hip_most": "Nm/kg, largest of the mean curve over a stride (flexion)",
    "hip_least": "Nm/kg, smallest (extension)",
    "knee_most": "Nm/kg, largest of the mean curve over a stride (extension)",
    "knee_least": "Nm/kg, smallest (flexion)",
    "ankle_most": "Nm/kg, largest of the mean curve over a stride (dorsiflexion)",
    "ankle_least": "Nm/kg, smallest (plantarflexion)",
    "height_m": "m, of the mass centre at the top of the flight",
    "release_x_m_s": "m/s forward of the mass centre when letting go",
    "release_y_m_s": "m/s upward when letting go",
    "product_m2_s2": "m²/s², forward times upward speed when letting go; the paper's is the one asked for",
    "solving_seconds": "s that all searches of the held phase took",
    "solving_cpu_seconds": "s of processor time for the same: what counts where other programs run too",
    "iterations": "IPOPT's, of all searches of the held phase",
    "converged": "1 where IPOPT says Solve_Succeeded",
    "constraint_violation": "largest of any constraint or bound, in the programme's units",
    "beyond_smooth_muscles": "Nm, the most that muscles cannot give of it at any node, on the smooth leg of plans",
    "beyond_exact_muscles": "Nm, the same on OpenSim's own paths",
    "optimal_value_ratio": "LR's height, or product of release speeds, over MTU's",
    "time_ratio": "processor time of MTU's searches over that of LR's, in the same run",
    "deepest_knee_deg": "°, the most that the knee is bent in the held phase",
    "torque_Nm_s": "Nm·s, Σ|τ| of the leg over the held phase",
    "least_effort_N_s": "N·s, least Σ fₒ·a that gives these torques, over the held phase",
    "mean_knee_torque_Nm": "Nm, mean of |τ| at the knee over the held phase",
    "torque_highest": "Nm, the largest the policy ever asked for in training (noise included), left and right alike",
    "torque_typical": "Nm, 99.9th percentile at the end of training",
}
"""What each metric means. Suffix _first or _last: in the first or last third of the episode; _change: last over first
minus 1; _asymmetry: (left − right)/mean."""


@dataclass
class Row:
    """One number: of what, under what, which, with its 95 % interval, and what it is held against."""

    subject: str
    condition: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    paper: float | None = None
    """The number the paper prints."""
    paper_change: str | None = None
    """How the paper says it changes with fatigue: lower or higher."""
    least: float | None = None
    """The target: at least this."""
    most: float | None = None
    """The target: at most this."""


@dataclass
class Report:
    """What an item found: rows, what had to be skipped and why, and its pictures."""

    paper: str
    item: str
    title: str
    settings: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    figure: "Figure | None" = None
    extra: dict[str, Callable[[Path], None]] = field(default_factory=dict)
    """More pictures: what to add to the item's name, and what draws it into a file."""
    quiet: set[int] = field(default_factory=set)
    """Rows that are written but not printed."""

    def add(
        self, subject: str, condition: str, metric: str, value: Estimate | float, paper: float | None = None,
        quiet: bool = False, paper_change: str | None = None, least: float | None = None, most: float | None = None,
    ) -> None:  # fmt: skip
        """Add a number."""
        if quiet:
            self.quiet.add(len(self.rows))
        against = {"paper": paper, "paper_change": paper_change, "least": least, "most": most}
        low = high = n = None
        if isinstance(value, Estimate):
            low, high, n = _finite(value.low), _finite(value.high), value.n
            value = value.value
        self.rows.append(Row(subject, condition, metric, _finite(value), low, high, n, **against))  # type: ignore[arg-type]

    def skip(self, message: str) -> None:
        """Say what could not be done."""
        self.skipped.append(message)

    def value(self, subject: str, condition: str, metric: str) -> float | None:
        """A number added before."""
        for row in self.rows:
            if (row.subject, row.condition, row.metric) == (subject, condition, metric):
                return row.value
        return None

    def lines(self) -> list[str]:
        """The rows as a table for people, and what they contradict."""
        shown = [asdict(row) for k, row in enumerate(self.rows) if k not in self.quiet]
        columns = columns_of(shown)
        cells = [list(columns)] + [cells_of(row, columns) for row in shown]
        widths = [max(len(line[k]) for line in cells) for k in range(len(columns))]
        lines = ("  ".join(map(str.ljust, line, widths)) for line in cells)
        return [*(line.rstrip() for line in lines), *verdict.sentences(shown)]

    def write(self, folder: Path) -> list[Path]:
        """Write pictures and CSV, and last the JSON: where that is, all is there."""
        written = []
        if self.figure is not None:
            with whole_file(folder / f"{self.item}.png") as temporary:
                _save_figure(self.figure, temporary)
            written.append(folder / f"{self.item}.png")
        for name, draw in self.extra.items():
            path = folder / f"{self.item}-{name}.png"
            draw(path)
            written.append(path)
        rows = [{name: _short(value) for name, value in asdict(row).items()} for row in self.rows]
        with whole_file(folder / f"{self.item}.csv") as temporary, temporary.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(Row.__dataclass_fields__), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        about = {
            "paper": self.paper, "item": self.item, "title": self.title, "settings": self.settings,
            "skipped": self.skipped, "pictures": [path.name for path in written], "unprinted": sorted(self.quiet),
        }  # fmt: skip
        with whole_file(folder / f"{self.item}.json") as temporary:
            temporary.write_text(_lines(about, rows), encoding="utf-8")
        return [*written, folder / f"{self.item}.csv", folder / f"{self.item}.json"]


def _short(value: Any) -> Any:
    """Six digits of a number: no trial is more exact."""
    return float(f"{value:.6g}") if isinstance(value, float) and math.isfinite(value) else value


def _lines(about: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """JSON with a line for each row."""
    head = json.dumps(about, indent=1, ensure_ascii=False).removesuffix("\n}")
    table = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{head},\n "rows": [\n{table}\n ]\n}}\n'


def _finite(value: float) -> float | None:
    value = float(value)
    return value if math.isfinite(value) else None


COLUMNS = ("subject", "condition", "metric", "value", "95 %", "n", "paper", "target")


def columns_of(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The columns that these rows fill: whether a paper's numbers, targets, or both."""
    targets = any(verdict.target(row) for row in rows)
    papers = not targets or any(row["paper"] is not None for row in rows)
    return tuple(name for name in COLUMNS if (name != "paper" or papers) and (name != "target" or targets))


def cells_of(row: dict[str, Any], columns: Sequence[str] = COLUMNS) -> list[str]:
    """A row of JSON as words for these columns."""
    words = {
        "value": number(row["value"]), "95 %": verdict.interval(row), "n": "" if row["n"] is None else str(row["n"]),
        "paper": "" if row["paper"] is None else number(row["paper"]), "target": verdict.target(row),
    }  # fmt: skip
    return [words[name] if name in words else str(row[name]) for name in columns]


def _save_figure(figure: "Figure", path: Path) -> None:
    """As a PNG with a palette."""
    from PIL import Image

    from lactic.play.film import save_palette

    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=130, format="png")
    save_palette(Image.open(drawn).convert("RGB"), path, 32)
