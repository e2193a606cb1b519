"""The Compare panel: two or three bodies of different fitness from the same start, with their curves in one plot."""

from functools import partial

import numpy as np

from lactic import fatigue
from lactic.play.steer import over_a_step
from lactic.studio import readings
from lactic.studio.controls import LETTERS, Controls
from lactic.studio.labels import fitness_name, name_of, preset_entry
from lactic.studio.skill import opening_fitness
from lactic.studio.tape import SECONDS

STRIDE = 5.0
"""Points of a curve that are about a stride, over which speed is averaged."""
SUGGESTED = {2: ("off",), 3: ("off", "human-100")}
"""What to put beside the body on stage, until chosen otherwise."""


class ComparePanel:
    """Fills the stage and reads all its actors out."""

    def __init__(self, controls: Controls):
        self.controls, gui, when = controls, controls.gui, controls.when
        gui.add_markdown("Bodies that differ only in how they tire, from the same start, side by side.")
        when(gui.add_button_group("Bodies", ("1", "2", "3")), lambda pressed: self.resize(int(pressed)))
        entries = tuple(map(preset_entry, fatigue.PRESETS))
        self.presets = [gui.add_dropdown(f"Fitness {letter}", entries, visible=letter == "A") for letter in LETTERS]
        for k, row in enumerate(self.presets):
            when(row, partial(self._choose, k))
        controls.when_pressed(gui.add_button("Start together", icon="run"), controls.engine.reset)
        names = tuple(zip(LETTERS, readings.IDENTITY, strict=True))
        self.strength = readings.Curves(gui, "mean strength left, %", names, SECONDS, (0.0, 105.0), 170)
        self.speed = readings.Curves(gui, "speed over the ground, m/s", names, SECONDS, (0.0, 6.0), 150)
        controls.on_change(self.sync)
        self.sync()

    def resize(self, count: int) -> None:
        """Put so many bodies on stage; those that stay keep their fitness."""
        cast = self.controls.engine.cast
        fitness = [actor.fitness for actor in cast[:count]]
        for name in SUGGESTED.get(count, ())[len(fitness) - 1 :]:
            fitness.append(opening_fitness(name))
        self.controls.engine.compare(fitness)
        self.controls.changed()

    def _choose(self, k: int, entry: str) -> None:
        if k < len(self.controls.engine.cast):
            self.controls.engine.set_fitness(k, opening_fitness(name_of(entry)))
            self.controls.changed()

    def sync(self) -> None:
        """Show what is on stage."""
        cast = self.controls.engine.cast
        for k, row in enumerate(self.presets):
            row.visible = k < len(cast)
            if k < len(cast):
                row.value = preset_entry(cast[k].fitness.name)

    def update(self) -> None:
        """Read out the last minute of all."""
        with self.controls.engine.lock:
            frame, cast = self.controls.engine.shown, self.controls.engine.cast
            slots, x = readings.window(cast[0].tape, frame, SECONDS)
            left = [100 * (1 - actor.tape.fatigue[slots, :, 2].mean(1)) for actor in cast]
            speed = [over_a_step(np.linalg.norm(actor.tape.qvel[slots, :2], axis=1), 1.0, STRIDE) for actor in cast]
        nothing = [np.full(len(x), np.nan)] * (len(LETTERS) - len(cast))
        self.strength.show(x, *left, *nothing)
        self.speed.show(x, *speed, *nothing)

    def titles(self) -> list[str]:
        """What each actor is called on stage."""
        cast = self.controls.engine.cast
        if len(cast) == 1:
            return [fitness_name(cast[0].fitness, cast[0].tires)]
        return [f"{LETTERS[k]}  {fitness_name(a.fitness, a.tires)}" for k, a in enumerate(cast)]
