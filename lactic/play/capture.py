"""`lactic match capture`: a database of what a simulated character did, so that no captured motion need be shipped."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.recorded import SHORTEST, pieces
from lactic.play.driver import Collector
from lactic.play.steered import Steered, crowd_of, database_of
from lactic.steer.gamepad import BUTTON, COLUMNS, LEFT, RIGHT, TRIGGER
from lactic.steer.matching import Database, build

TAKES = 12
"""Characters side by side."""
TAKE = 25.0
"""Seconds of a take; then all start again from standing."""
LONGEST = 60.0
PATIENCE = 4.0
"""How many times longer than what is wanted it may take, for those that fall."""
HELD = (1.0, 3.5)
"""Seconds between two things asked for."""
MIX = {"stand": 0.14, "walk": 0.32, "run": 0.30, "strafe": 0.14, "crouch": 0.10}
"""How often each is asked for."""
STEADY = 0.4
"""Chance that a direction stays, or else turns at once; and that it then turns steadily."""


class Drill:
    """Asks for everything a database should hold in a short time, where the artificial user waits for seconds: starts,
    stops, straight ways, steady and sudden turns, walks aside and backwards."""

    def __init__(self, count: int, seed: int = 0, run: bool = True, crouch: bool = True):
        self.pads, self._due, self._rate = np.zeros((count, COLUMNS)), np.zeros(count), np.zeros(count)
        self._before = 0.0
        self._random = np.random.default_rng(seed)
        mix = {what: share for what, share in MIX.items() if (run or what != "run") and (crouch or what != "crouch")}
        self._kinds, shares = list(mix), np.array(list(mix.values()))
        self._shares = shares / shares.sum()

    def __call__(self, second: float, roots: np.ndarray) -> np.ndarray:
        """The gamepads (character, 6), as a `Pad`."""
        for i in np.flatnonzero(second >= self._due):
            self._draw(int(i), float(rotation.heading(roots[i, 3:7])))
            self._due[i] = second + self._random.uniform(*HELD)
        turn = self._rate * (second - self._before)
        self._before = second
        c, s, (x, y) = np.cos(turn), np.sin(turn), self.pads[:, LEFT].T.copy()
        self.pads[:, LEFT] = np.stack([c * x - s * y, s * x + c * y], axis=1)
        return self.pads

    def _draw(self, i: int, heading: float) -> None:
        draw, gait, pad = self._random, self._random.choice(self._kinds, p=self._shares), self.pads[i]
        way, turn = heading, 0.0
        if draw.random() > STEADY:
            way += draw.choice([-np.pi, -np.pi / 2, np.pi / 2, np.pi]) * draw.uniform(0.2, 1.0)
        elif draw.random() > STEADY:
            turn = draw.uniform(-2.0, 2.0)
        length = 0.0 if gait == "stand" or (gait == "crouch" and draw.random() < 0.2) else draw.uniform(0.6, 1.0)
        pad[:] = 0.0
        pad[LEFT] = length * np.cos(way), length * np.sin(way)
        if gait == "strafe":
            pad[RIGHT], turn = (np.cos(heading), np.sin(heading)), 0.0
        pad[TRIGGER] = draw.uniform(0.7, 1.0) if gait == "run" else 0.0
        pad[BUTTON] = gait == "crouch"
        self._rate[i] = turn


def capture(
    brain: str | Path,
    database: str | Path | None = None,
    minutes: float = 10.0,
    *,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: None,
) -> tuple[Database, dict[str, float]]:
    """Let a brain's characters follow those of a database through a drill, and build a database of what they did.

    Falls are cut out. Also returned: seconds simulated, seconds kept before they were cut to length, and falls.
    """
    if not (np.isfinite(minutes) and SHORTEST <= 60 * minutes <= 60 * LONGEST):
        raise InputError(f"minutes {minutes:g}: must be above {SHORTEST / 60:g} and at most {LONGEST:g}")
    folder = catalogue.find(brain)
    frames = database_of(folder, database)
    crowd = crowd_of(folder, frames, Drill(TAKES), TAKES)
    player, tags = crowd.player, frames.tags_present
    clips: list[BodyClip] = []
    kept, falls, simulated = 0.0, 0, 0.0
    while kept < 60 * minutes:
        if simulated > PATIENCE * 60 * minutes:
            raise InputError(f"{folder.name}: fell {falls} times; only {kept:.0f} s of {simulated:.0f} can be kept")
        drill = Drill(TAKES, seed + len(clips), "run" in tags, "crouch" in tags)
        taken, fell = _take(crowd, drill)
        for i in range(TAKES):
            name = f"take_{simulated / TAKE:.0f}_{i + 1}"
            whole = BodyClip(player.body.name, player.info.control_rate, taken[:, i], name)
            clips += pieces(whole, np.flatnonzero(fell[:, i]) + 1)
        falls += int(fell.sum())
        simulated += TAKE * TAKES
        kept = sum(clip.seconds for clip in clips)
        say(f"{kept / 60:.1f} of {minutes:g} minutes kept, {falls} falls")
    made = build(_no_longer(clips, 60 * minutes), fps=frames.fps)
    return made, {"simulated_s": simulated, "kept_s": round(kept, 2), "falls": falls}


def _take(crowd: Steered, drill: Drill) -> tuple[np.ndarray, np.ndarray]:
    """Poses (step, character, nq) of a take from standing, and after which steps (step, character) each had fallen."""
    steps = round(TAKE * crowd.player.info.control_rate) + 1
    kept = Collector(crowd, steps, {"qpos": lambda: crowd.player.world.qpos}, {}, get_up=True)
    crowd.pad = drill
    crowd.reset()
    return kept.run()["qpos"], kept.fell


def _no_longer(clips: list[BodyClip], seconds: float) -> list[BodyClip]:
    """As many clips as last so long, the last one cut; what would be too short is left out."""
    chosen, left = [], seconds
    for clip in clips:
        if left < SHORTEST:
            break
        frames = min(clip.frames, round(left * clip.fps) + 1)
        chosen.append(BodyClip(clip.body_name, clip.fps, clip.qpos[:frames], clip.name))
        left -= (frames - 1) / clip.fps
    return chosen
