"""The Body panel: skill, fitness, what it means, which joints or muscles are tired, and what happens inside one."""

from functools import partial
from typing import get_args

import numpy as np
from PIL import Image

from lactic import fatigue
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.picture.muscles import By, has_muscles
from lactic.picture.plots import BLUE, ORANGE
from lactic.studio import readings
from lactic.studio.controls import Controls, offer, show_html
from lactic.studio.labels import listed, meaning, name_of, preset_entry
from lactic.studio.skill import body_parts, opening_fitness, regions

MOST_TIRED = "the most tired one"
INSIDE, GIVEN = "inside the {}, %", "{} and its limits, {}"
"""Titles of curves."""
SECONDS = 20.0
"""Length of the curves."""


class BodyPanel:
    """Acts on the chosen actor."""

    def __init__(self, controls: Controls):
        self.controls, gui, when = controls, controls.gui, controls.when
        self.skills = {_entry(folder): folder.path for folder in map(catalogue.find, catalogue.names())}
        label = self._label()
        self.skill = when(gui.add_dropdown("Skill", tuple(self.skills), initial_value=label), self.load)
        self._listed = label
        self._gallery()
        presets, hint = tuple(map(preset_entry, fatigue.PRESETS)), "How fast a body tires and recovers"
        self.preset = when(gui.add_dropdown("Fitness", presets, hint=hint), self._choose)
        self.tires = gui.add_checkbox("Fatigue", True, hint="Off: the body is fresh at once and stays so")
        when(self.tires, lambda _: self._alter())
        hints = {
            "F": "How fast active muscle tires, 1/s",
            "R": "How fast tired muscle recovers, 1/s",
            "r": "How many times faster it recovers at rest",
            "time scale": "How many times faster than the rates above say all of it runs",
        }
        self.sliders = {name: gui.add_slider(name, 0.0, 1.0, 0.001, 0.5, hint=hint) for name, hint in hints.items()}
        for name, slider in self.sliders.items():
            when(slider, partial(self._move, name.replace(" ", "_")))
        self.meaning = gui.add_markdown("")
        self._muscles()
        self.region = gui.add_dropdown("Region", tuple(regions(controls.engine.body)))
        self.act = when(gui.add_button_group("Its strength", ("Exhaust", "Refresh")), self._exhaust)
        self.table = gui.add_html("")
        self.joint = gui.add_dropdown("Joint", (MOST_TIRED,))
        self.inside = readings.Curves(gui, INSIDE.format("joint"), readings.COMPARTMENTS, SECONDS, (0.0, 100.0))
        lines = ("load", ORANGE), ("left", BLUE)
        self.load_curves = readings.Curves(gui, "load and strength left, %", lines, SECONDS, (0.0, 105.0))
        torques = ("torque", ORANGE), ("limit", readings.FAINT), ("−limit", readings.FAINT)
        self.torque = readings.Curves(gui, GIVEN.format("torque", "Nm"), torques, SECONDS, None)
        controls.on_change(self.sync)
        self.sync()

    def _muscles(self) -> None:
        """What muscles show, there only while the muscle man is on stage."""
        gui, stage, when = self.controls.gui, self.controls.stage, self.controls.when
        with gui.add_folder("Muscles") as self.muscles:
            for label, hint, k in (
                ("Colour by", "What the colour of a muscle shows", 0),
                ("Width by", "What the width of a muscle shows; strong ones are wider anyway", 1),
            ):
                handle = gui.add_dropdown(label, get_args(By), initial_value=stage.look[k], hint=hint)
                when(handle, partial(self._look, k))

    def _look(self, place: int, by: By) -> None:
        look = list(self.controls.stage.look)
        look[place] = by
        self.controls.stage.look = look[0], look[1]

    def _gallery(self) -> None:
        """A picture of each skill of the list, with a button that puts it on stage."""
        gui = self.controls.gui
        with gui.add_folder("What they look like", expand_by_default=False):
            for label, folder in self.skills.items():
                if (picture := folder / "picture.png").is_file():
                    gui.add_image(np.asarray(Image.open(picture).convert("RGB")), format="jpeg")
                self.controls.when_pressed(gui.add_button(folder.name, color="gray"), partial(self.load, label))

    def _label(self) -> str:
        """What the skill on stage is called in the list; one that was loaded from a folder is added to it."""
        folder = self.controls.engine.skill.folder
        for label, path in self.skills.items():
            if path == folder.path:
                return label
        label = _entry(folder) if _entry(folder) not in self.skills else str(folder.path)
        self.skills[label] = folder.path
        return label

    def load(self, name: str) -> None:
        """Put another brain on stage, by its name in the list or its folder; the list goes back where it cannot be."""
        self._listed = self.skill.value
        try:
            self.controls.engine.load(self.skills.get(name, name))
        finally:
            self.controls.changed()

    def _choose(self, entry: str) -> None:
        fitness = opening_fitness(name_of(entry))
        self.controls.engine.set_fitness(self.controls.chosen, fitness, self.tires.value)
        self.controls.changed()

    def _move(self, name: str, value: float) -> None:
        """A slider moved: replace that one number in all joints, keeping the others."""
        self._alter(**{name: float(value)})

    def _alter(self, **changes: float) -> None:
        fitness = self.controls.actor.fitness.altered(**changes)
        self.controls.engine.set_fitness(self.controls.chosen, fitness, bool(self.tires.value))
        self._say_meaning()

    def _say_meaning(self) -> None:
        actor = self.controls.actor
        self.meaning.content = meaning(actor.fitness) if actor.tires else "Does not tire."

    def _exhaust(self, pressed: str) -> None:
        spent = 0.9 if pressed == "Exhaust" else 0.0
        self.controls.engine.exhaust(self.controls.chosen, self.region.value, spent)

    def sync(self) -> None:
        """Show the chosen actor's settings."""
        actor, engine = self.controls.actor, self.controls.engine
        fitness, label = actor.fitness, self._label()
        offer(self.skill, tuple(self.skills))
        if self.skill.value == self._listed != label:  # otherwise a person has just chosen, and `load` will follow
            self.skill.value = self._listed = label
        self.preset.value = preset_entry(fitness.name)
        self.tires.value = actor.tires
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
        self._say_meaning()
        muscular = has_muscles(engine.body)
        what, force = ("muscle", "force") if muscular else ("joint", "torque")
        if self.muscles.visible != muscular:
            self.muscles.visible = muscular
        if self.joint.label != what.capitalize():
            self.joint.label = what.capitalize()
        self.inside.call(INSIDE.format(what))
        self.torque.call(GIVEN.format(force, engine.body.unit))
        offer(self.joint, (MOST_TIRED, *body_parts(engine.body).names))
        offer(self.region, tuple(regions(engine.body)))

    def update(self) -> None:
        """Read out the frame on show."""
        with self.controls.engine.lock:
            frame, tape = self.controls.engine.shown, self.controls.actor.tape
            parts = body_parts(tape.player.body)
            if self.joint.value == MOST_TIRED or len(self.joint.options) != len(parts.names) + 1:
                i = int(np.argmax(parts.shares @ tape.fatigue[tape.slot(frame), :, 2]))
            else:
                i = self.joint.options.index(self.joint.value) - 1
            html = readings.tired_table(tape, frame)
            slots, x = readings.window(tape, frame, SECONDS)
            own = np.flatnonzero(parts.shares[i])
            state = 100 * np.einsum("j,tjk->tk", parts.shares[i, own], tape.fatigue[slots][:, own])
            load = 100 * tape.load[slots][:, own] @ parts.shares[i, own]
            torque, limit = (kept[slots][:, own].sum(1) for kept in (tape.torque, tape.limit))
        show_html(self.table, html)
        self.inside.show(x, *state.T)
        self.load_curves.show(x, load, 100 - state[:, 2])
        pulls_only = np.full(len(x), np.nan) if has_muscles(tape.player.body) else -limit
        self.torque.show(x, torque, limit, pulls_only)


def _entry(folder: BrainFolder) -> str:
    """A brain in the list of skills: its name and its description."""
    try:
        about = folder.params().get("description")
    except InputError:  # said when it is chosen
        about = None
    return listed(folder.name, " ".join(str(about or "").split()))
