"""The Compare panel: two or three bodies of different fitness from the same start, with their curves in one plot."""

from functools import partial
from typing import Any

import numpy as np

from lactic import fatigue
from lactic.studio import readings
from lactic.studio.character import opening_fitness
from lactic.studio.desk import LETTERS, Desk
from lactic.studio.tape import SECONDS
from lactic.studio.words import fitness_name, name_of, preset_entry

SUGGESTED = {2: ("off",), 3: ("off", "human-100")}
"""What to put beside the body on stage, until chosen otherwise."""


class ComparePanel:
    """Fills the stage and reads all its characters out."""

    def __init__(self, desk: Desk):
        self.desk, gui = desk, desk.gui
        gui.add_markdown("Bodies that differ only in how they tire, from the same start, side by side.")
        self.count = gui.add_button_group("Bodies", ("1", "2", "3"))
        self.count.on_click(desk.guarded(lambda event: self.resize(int(event.target.value))))
        self.presets = []
        for k, letter in enumerate(LETTERS):
            row = gui.add_dropdown(f"Fitness {letter}", tuple(map(preset_entry, fatigue.PRESETS)), visible=k == 0)
            row.on_update(desk.guarded(partial(self._choose, k)))
            self.presets.append(row)
        desk.button("Start together", lambda event: desk.engine.reset(), icon="run")
        names = tuple(zip(LETTERS, readings.IDENTITY, strict=True))
        self.strength = readings.Curves(gui, "mean strength left, %", names, SECONDS, (0.0, 105.0), 170)
        self.speed = readings.Curves(gui, "speed over the ground, m/s", names, SECONDS, (0.0, 6.0), 150)
        desk.on_change(self.sync)
        self.sync()

    def resize(self, count: int) -> None:
        """Put so many bodies on stage; those that stay keep their fitness."""
        cast = self.desk.engine.cast
        fitness = [actor.fitness for actor in cast[:count]]
        for name in SUGGESTED.get(count, ())[len(fitness) - 1 :]:
            fitness.append(opening_fitness(name))
        self.desk.engine.compare(fitness)
        self.desk.changed()

    def _choose(self, k: int, event: Any) -> None:
        if k < len(self.desk.engine.cast):
            self.desk.engine.set_fitness(k, opening_fitness(name_of(self.presets[k].value)))
            self.desk.changed()

    def sync(self) -> None:
        """Show what is on stage."""
        cast = self.desk.engine.cast
        for k, row in enumerate(self.presets):
            row.visible = k < len(cast)
            if k < len(cast):
                row.value = preset_entry(cast[k].fitness.name)

    def update(self) -> None:
        """Read out the last minute of all."""
        with self.desk.engine.lock:
            frame, cast = self.desk.engine.shown, self.desk.engine.cast
            slots, x = readings.window(cast[0].tape, frame, SECONDS)
            left = [100 * (1 - actor.tape.fatigue[slots, :, 2].mean(1)) for actor in cast]
            speed = [_smooth(np.linalg.norm(actor.tape.qvel[slots, :2], axis=1)) for actor in cast]
        nothing = [np.full(len(x), np.nan)] * (len(LETTERS) - len(cast))
        self.strength.show(x, *left, *nothing)
        self.speed.show(x, *speed, *nothing)

    def titles(self) -> list[str]:
        """What each character is called on stage."""
        cast = self.desk.engine.cast
        if len(cast) == 1:
            return [fitness_name(cast[0].fitness, cast[0].tires)]
        return [f"{LETTERS[k]}  {fitness_name(a.fitness, a.tires)}" for k, a in enumerate(cast)]


def _smooth(values: np.ndarray, width: int = 5) -> np.ndarray:
    """A running mean over about a stride."""
    if len(values) < 2 * width:
        return values
    padded = np.pad(values, width // 2, mode="edge")
    return np.convolve(padded, np.full(width, 1 / width), "valid")
