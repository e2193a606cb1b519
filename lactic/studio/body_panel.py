"""The Body panel: skill, fitness, what it means, which joints are tired, and what happens inside a joint."""

from functools import partial
from typing import Any

import numpy as np

from lactic import fatigue
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.picture.plots import BLUE, ORANGE
from lactic.studio import readings
from lactic.studio.character import opening_fitness
from lactic.studio.desk import Desk
from lactic.studio.engine import regions
from lactic.studio.words import joint_name, listed, meaning, name_of, preset_entry

MOST_TIRED = "the most tired one"
SECONDS = 20.0
"""Length of the curves."""


class BodyPanel:
    """Acts on the chosen character."""

    def __init__(self, desk: Desk):
        self.desk, gui = desk, desk.gui
        self.skills = {_entry(folder): folder.path for folder in map(catalogue.find, catalogue.names())}
        label = self._label()
        self.skill = gui.add_dropdown("Skill", tuple(self.skills), initial_value=label)
        self.skill.on_update(desk.guarded(lambda event: self.load(self.skill.value)))
        self.preset = gui.add_dropdown(
            "Fitness", tuple(map(preset_entry, fatigue.PRESETS)), hint="How fast a body tires and recovers"
        )
        self.preset.on_update(desk.guarded(lambda event: self._choose(name_of(self.preset.value))))
        self.tires = gui.add_checkbox("Fatigue", True, hint="Off: the body is fresh at once and stays so")
        self.tires.on_update(desk.guarded(lambda event: self._alter()))
        hints = {
            "F": "How fast active muscle tires, 1/s",
            "R": "How fast tired muscle recovers, 1/s",
            "r": "How many times faster it recovers at rest",
            "time scale": "How many times faster than the rates above say all of it runs",
        }
        self.sliders = {name: gui.add_slider(name, 0.0, 1.0, 0.001, 0.5, hint=hint) for name, hint in hints.items()}
        for name, slider in self.sliders.items():
            slider.on_update(desk.guarded(partial(self._moved, name)))
        self.words = gui.add_markdown("")
        self.region = gui.add_dropdown("Region", tuple(regions(desk.engine.body)))
        self.act = gui.add_button_group("now", ("Exhaust", "Refresh"))
        self.act.on_click(
            desk.guarded(
                lambda event: desk.engine.exhaust(
                    desk.chosen, self.region.value, 0.9 if event.target.value == "Exhaust" else 0.0
                )
            )
        )
        self.table = gui.add_html("")
        self.joint = gui.add_dropdown("Joint", (MOST_TIRED,))
        self.inside = readings.Curves(gui, "inside the joint, %", readings.COMPARTMENTS, SECONDS, (0.0, 100.0))
        self.load_curves = readings.Curves(
            gui, "load and strength left, %", (("load", ORANGE), ("left", BLUE)), SECONDS, (0.0, 105.0)
        )
        self.torque = readings.Curves(
            gui,
            "torque and its limits, Nm",
            (("torque", ORANGE), ("limit", readings.FAINT), ("−limit", readings.FAINT)),
            SECONDS,
            None,
        )
        desk.on_change(self.sync)
        self.sync()

    def _label(self) -> str:
        """What the skill on stage is called in the list; one that was loaded from a folder is added to it."""
        folder = self.desk.engine.skill.folder
        for label, path in self.skills.items():
            if path == folder.path:
                return label
        label = _entry(folder) if _entry(folder) not in self.skills else str(folder.path)
        self.skills[label] = folder.path
        return label

    def load(self, name: str) -> None:
        """Put another brain on stage, by its name in the list or its folder; the list goes back where it cannot be."""
        try:
            self.desk.engine.load(self.skills.get(name, name))
        finally:
            self.desk.changed()

    def _choose(self, preset: str) -> None:
        self.desk.engine.set_fitness(self.desk.chosen, opening_fitness(preset), self.tires.value)
        self.desk.changed()

    def _moved(self, name: str, event: Any) -> None:
        self._alter(name)

    def _alter(self, moved: str | None = None) -> None:
        """A slider moved: replace that one number in all joints, keeping the others."""
        changes: dict[str, Any] = {}
        if moved:
            changes[moved.replace(" ", "_")] = float(self.sliders[moved].value)
        fitness = self.desk.character.fitness.altered(**changes)
        self.desk.engine.set_fitness(self.desk.chosen, fitness, bool(self.tires.value))
        self.words.content = self._meaning()

    def _meaning(self) -> str:
        character = self.desk.character
        return meaning(character.fitness) if character.tires else "Does not tire."

    def sync(self) -> None:
        """Show the chosen character's settings."""
        character = self.desk.character
        fitness, engine = character.fitness, self.desk.engine
        label = self._label()
        if tuple(self.skill.options) != tuple(self.skills):
            self.skill.options = tuple(self.skills)
        self.skill.value = label
        self.preset.value = preset_entry(fitness.name)
        self.tires.value = character.tires
        usual = fatigue.preset(fitness.name)
        values = {"F": fitness.F, "R": fitness.R, "r": fitness.r, "time scale": fitness.time_scale}
        scale = 100.0 if usual.F < 0.2 else 4.0
        reach = {"F": 4 * usual.F or 4.0, "R": 6 * usual.R or 0.06, "r": 30.0, "time scale": scale}
        steps = {"F": reach["F"] / 400, "R": reach["R"] / 600, "r": 0.5, "time scale": scale / 400}
        lows = {"F": 0.0, "R": 0.0, "r": 0.0, "time scale": scale / 400}
        for name, slider in self.sliders.items():
            top = max(reach[name], values[name])
            slider.max, slider.step, slider.min = max(top, slider.value), steps[name], min(lows[name], slider.value)
            slider.precision = 5 if name in ("F", "R") and top < 0.1 else 3  # a person's rates are small
            slider.value = values[name]
            slider.min, slider.max = lows[name], top
        self.words.content = self._meaning()
        wanted = (MOST_TIRED, *map(joint_name, engine.body.joints))
        if tuple(self.joint.options) != wanted:
            self.joint.options = wanted
            self.region.options = tuple(regions(engine.body))

    def update(self) -> None:
        """Read out the frame on show."""
        with self.desk.engine.lock:
            frame, tape = self.desk.engine.shown, self.desk.character.tape
            at = tape.slot(frame)
            if self.joint.value == MOST_TIRED:
                i = int(np.argmax(tape.fatigue[at, :, 2]))
            else:
                i = self.joint.options.index(self.joint.value) - 1
            html = readings.tired_table(tape, frame)
            slots, x = readings.window(tape, frame, SECONDS)
            state, load = 100 * tape.fatigue[slots, i], 100 * tape.load[slots, i]
            torque, limit = tape.torque[slots, i], tape.limit[slots, i]
        if html != self.table.content:
            self.table.content = html
        self.inside.show(x, *state.T)
        self.load_curves.show(x, load, 100 - state[:, 2])
        self.torque.show(x, torque, limit, -limit)


def _entry(folder: BrainFolder) -> str:
    """A brain in the list of skills: its name and its description."""
    try:
        about = folder.params().get("description")
    except InputError:  # said when it is chosen
        about = None
    return listed(folder.name, " ".join(str(about or "").split()))
