"""How quickly a body tires and recovers: measured human rows, the papers' settings, whole bodies, each with its source.

F and R are per second. Fatigue in the animation papers runs about 200 times faster than in people; `time_scale`
says so openly: it multiplies F, R and L, so a scaled body goes through exactly the same curve, only faster.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.fatigue.endurance import endurance_time
from lactic.fatigue.law import RULES, SLOWEST, Rule

RULE_SAYS: dict[Rule, str] = {"held": "r counts while the load is met", "rest": "r counts only at rest"}
"""What each rule of the rest multiplier r says."""
XIA_L = 10.0  # Xia & Frey-Law 2008: LD = LR = 10, "arbitrary"; used wherever a source gives no L


@dataclass(frozen=True)
class Fitness:
    """Fatigue rate F, recovery rate R, rest multiplier r and drive L of a body, or of each group of its joints; and
    when that multiplier counts."""

    name: str
    F: float  # 1/s, active units that tire
    R: float  # 1/s, fatigued units that recover
    r: float = 1.0  # R is multiplied by it while the muscle rests
    L: float = XIA_L  # 1/s, how fast units are recruited and released
    time_scale: float = 1.0  # how many times faster than the rates above say
    rule: Rule = "held"  # r counts while the load is met, or only at rest, where there is none
    source: str = ""
    about: str = ""  # what it is, in a few words
    joints: Mapping[str, Fitness] | None = None  # joint group -> row; groups not named use the rates above

    def __post_init__(self) -> None:
        for option in ("F", "R", "r", "L", "time_scale"):
            value = getattr(self, option)
            positive = option in ("L", "time_scale")
            if not math.isfinite(value) or value < 0 or (positive and value == 0):
                least = "above 0" if positive else "0 or more"
                raise InputError(f"fitness {self.name}: {option} is {value}; give a finite number, {least}")
        if self.rule not in RULES:
            raise InputError(f"fitness {self.name}: rule {self.rule!r} must be {' or '.join(RULES)}")
        for option in ("F", "R", "L"):
            if not math.isfinite(getattr(self, option) * self.time_scale):
                raise InputError(f"fitness {self.name}: {option} times time_scale is too large; give smaller values")
        if self.L * self.time_scale < SLOWEST:
            raise InputError(f"fitness {self.name}: L times time_scale is too small; give larger values")

    @property
    def tires(self) -> bool:
        """Whether any joint tires at all: its rates say so, not its name."""
        return any(row.F > 0 for row in (self, *(self.joints or {}).values()))

    def altered(self, **changes: float | None) -> Fitness:
        """The same body with F, R, r, L or time_scale replaced in all its joints; None leaves a value as it is."""
        given: dict[str, Any] = {key: value for key, value in changes.items() if value is not None}
        if not given:
            return self
        rows = {key: value for key, value in given.items() if key != "time_scale"}
        if self.joints is not None:
            given["joints"] = {group: replace(row, **rows) for group, row in self.joints.items()}
        base, _, earlier = self.source.partition("; with ")
        said = dict(pair.split(" = ") for pair in earlier.split(", ") if pair)  # a slider may move a thousand times
        said |= {key: f"{value:g}" for key, value in given.items() if key != "joints"}
        return replace(self, **given, source=f"{base}; with {', '.join(f'{k} = {v}' for k, v in said.items())}")


def _human_row(joint: str, F: float, R: float, r: float | None) -> Fitness:
    rest = f"r: Looft & Frey-Law 2020 ({joint})" if r is not None else "r: none published, 1"
    source = f"F, R: Frey-Law, Looft & Heitsman 2012, Table 1 ({joint}); {rest}; L: Xia & Frey-Law 2008"
    # the r of that paper was fitted to work with pauses, in which the load is 0
    about = "every joint as a person's mean joint" if joint == "general" else f"every joint as a person's {joint}"
    return Fitness(f"frey-law-{joint}", F, R, 1.0 if r is None else r, rule="rest", source=source, about=about)


ANKLE = _human_row("ankle", 0.00589, 0.00058, 15.0)
KNEE = _human_row("knee", 0.01500, 0.00149, 15.0)
TRUNK = _human_row("trunk", 0.00755, 0.00075, None)
SHOULDER = _human_row("shoulder", 0.01820, 0.00168, 15.0)
ELBOW = _human_row("elbow", 0.00912, 0.00094, 15.0)
GRIP = _human_row("grip", 0.00980, 0.00064, 30.0)
GENERAL = _human_row("general", 0.00970, 0.00091, 15.0)
HUMAN_ROWS = (ANKLE, KNEE, TRUNK, SHOULDER, ELBOW, GRIP, GENERAL)

HUMAN = Fitness(
    "human",
    GENERAL.F,
    GENERAL.R,
    GENERAL.r,
    rule="rest",
    # The neck has no row: like the trunk it is held up all day by postural extensors, so it takes the trunk's. The hip
    # has none either. The knee's would be a poor guess, since only one of the four heads of the quadriceps crosses the
    # hip and its own large muscles (glutei, iliopsoas) are not among them; so it takes the row fitted over all joints.
    joints={
        "abdomen": TRUNK,
        "neck": TRUNK,
        "shoulder": SHOULDER,
        "elbow": ELBOW,
        "wrist": GRIP,
        "hip": GENERAL,
        "knee": KNEE,
        "ankle": ANKLE,
    },
    source="each joint its Frey-Law 2012 row with Looft & Frey-Law 2020's r; neck as trunk; hip and others as general",
    about="a person, joint by joint, in real time",
)


def _faster(times: int) -> Fitness:
    """The same person, tiring and recovering so many times as fast."""
    source, about = f"{HUMAN.source}; {times} times as fast", f"a person, {times} times as fast"
    return replace(HUMAN, name=f"human-{times}", time_scale=float(times), source=source, about=about)


DEFAULT = _faster(30)
"""A person whose minutes are two seconds: tired after half a minute of running."""
QUICK = _faster(100)
"""For skills that are bursts of seconds, which must spend a body too."""


def _cheema(suffix: str, F: float, R: float, figure: str, about: str) -> Fitness:
    source = f"cheema2023 {figure}; L: its Sec. 3 (Xia & Frey-Law 2008)"
    return Fitness(f"cheema2023{suffix}", F, R, source=source, about=about)


PRESETS: dict[str, Fitness] = {
    fitness.name: fitness
    for fitness in (
        DEFAULT,
        QUICK,
        HUMAN,
        *HUMAN_ROWS,
        Fitness(
            "off", 0.0, 0.0, 0.0, about="never tires", source="cheema2023 Figs. 8 and 11, (0, 0, 0): nothing tires"
        ),
        _cheema("", 1.0, 0.01, "Figs. 8 and 15, (1, 0.01, 1), the setting it trains with", "tires within seconds"),
        _cheema("-kick", 2.0, 0.05, "Fig. 8, tornado kick, middle row, (2, 0.05, 1)", "its kick: spent in a second"),
        _cheema("-cartwheel", 3.0, 0.02, "Fig. 8, cartwheel, bottom row, (3, 0.02, 1)", "its cartwheel: spent at once"),
        _cheema("-backflip-moderate", 1.0, 0.06, "Fig. 11, middle row, (1, 0.06, 1)", "its backflip, moderately tired"),
        _cheema("-backflip-high", 2.0, 0.07, "Fig. 11, bottom row, (2, 0.07, 1)", "its backflip, very tired"),
        Fitness(
            "feng2023",
            0.01,
            0.002,
            2.0,
            50.0,
            about="the whole body of the muscle paper",
            source="feng2023 C.1: F 0.01, R 0.002, r 2, L 50",
        ),
        Fitness(
            "feng2023-arms",
            0.1,
            0.005,
            2.0,
            50.0,
            about="the arms of the muscle paper",
            source="feng2023 C.1, arm holding: F 0.1, F/R = 20, r 2, L 50",
        ),
        Fitness(
            "tired-actor",
            2.0,
            0.05,
            about="tires within a second or two",
            source="tired_actor Tab. 3: (2, 0.05, 1); L not given, Xia & Frey-Law 2008",
        ),
        Fitness(
            "myosuite-2.4",
            0.00912,
            0.000094,
            150.0,
            about="as MyoSuite has it",
            source="MyoSuite 2.4 defaults; L: Xia & Frey-Law 2008",
        ),
        Fitness(
            "user-in-the-box",
            0.0146,
            0.0022,
            7.5,
            about="as User-in-the-Box has it",
            source="User-in-the-Box defaults; L: Xia & Frey-Law 2008",
        ),
    )
}


def preset(name: str) -> Fitness:
    """The fitness called `name`."""
    if name not in PRESETS:
        near = difflib.get_close_matches(name, PRESETS, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(PRESETS)}"
        raise InputError(f"fitness {name!r} is unknown: {hint}")
    return PRESETS[name]


def rates(fitness: Fitness, groups: Sequence[str]) -> np.ndarray:
    """The law's rates (n, 5) = F, R, r, L, rule for actuators of these joint groups, with the time scale multiplied in;
    the rule is 1 for "rest" and 0 for "held"."""
    rows = [(fitness.joints or {}).get(group, fitness) for group in groups]
    table = np.array([[row.F, row.R, row.r, row.L, float(row.rule == "rest")] for row in rows], dtype=float)
    return table.reshape(-1, 5) * np.array([fitness.time_scale, fitness.time_scale, 1.0, fitness.time_scale, 1.0])


def fitness_rows(loads: Sequence[float] = (0.2, 0.5, 0.8)) -> list[dict[str, Any]]:
    """The presets as plain rows for a listing; endurance in seconds at 20, 50, 80 % load, None where it never ends."""
    rows = []
    for fitness in PRESETS.values():
        F, R, _, L, _ = rates(fitness, ["whole body"])[0]
        row: dict[str, Any] = {
            "name": fitness.name,
            "F": fitness.F,
            "R": fitness.R,
            "r": fitness.r,
            "L": fitness.L,
            "time_scale": fitness.time_scale,
            "rule": fitness.rule,
            "about": fitness.about,
            "source": fitness.source,
        }
        for load in loads:
            seconds = float(endurance_time(F, R, load, L))
            row[f"endurance_{100 * load:.0f}"] = round(seconds, 2) if math.isfinite(seconds) else None
        row["joints"] = {group: joint.name for group, joint in (fitness.joints or {}).items()} or None
        rows.append(row)
    return rows
