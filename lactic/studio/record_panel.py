"""The Record panel: the last minute to scrub and replay, marks in and out, and downloads of what lies between."""

from functools import partial
from typing import Any

from lactic.studio.controls import Controls, show_html
from lactic.studio.export import KINDS, export, kinds
from lactic.studio.tape import SECONDS

ICONS = {"bvh": "walk", "glb": "cube", "csv": "table", "png": "photo"}


class RecordPanel:
    """The timeline counts back from the newest frame, which is at 0."""

    def __init__(self, controls: Controls):
        self.controls, gui, when = controls, controls.gui, controls.when
        self._apart = False
        gui.add_markdown("The last minute is always on tape. Drag to look back; the simulation waits.")
        marks = ((-60, "−60 s"), (-40, "−40"), (-20, "−20"), (0, "now"))
        self.timeline = when(gui.add_slider("Timeline", -SECONDS, 0.0, 0.01, 0.0, marks=marks), self._scrub)
        self.where = gui.add_html("")
        when(gui.add_button_group("Show", ("Replay", "Live")), self._show)
        when(gui.add_button_group("Mark", ("In", "Out", "Clear")), self._mark)
        gui.add_markdown("**Download** what lies between the marks:")
        self.everybody = gui.add_checkbox(
            "All bodies", False, visible=False, hint="All that stand side by side, as one zip; else the chosen one"
        )
        self.buttons = {k: gui.add_button(title, icon=ICONS[k], color="gray") for k, (title, _) in KINDS.items()}
        for kind, button in self.buttons.items():
            controls.when_by(button, partial(self._download, kind))
        controls.on_change(self.update)
        controls.on_change(self._sync)

    def _sync(self) -> None:
        there = kinds(self.controls.engine.body)
        for kind, button in self.buttons.items():
            if button.visible != (kind in there):
                button.visible = kind in there

    def _scrub(self, seconds: float) -> None:
        engine = self.controls.engine
        with engine.lock:
            engine.scrub(engine.newest + round(seconds / engine.dt))

    def _show(self, pressed: str) -> None:
        if pressed == "Replay":
            self.controls.engine.replay()
        else:
            self.controls.engine.pause(False)

    def _mark(self, what: str) -> None:
        engine = self.controls.engine
        with engine.lock:
            if what == "In":
                engine.mark_in = engine.shown
            elif what == "Out":
                engine.mark_out = engine.shown
            else:
                engine.mark_in = engine.mark_out = None

    def _download(self, kind: str, event: Any) -> None:
        waiting = event.client.add_notification("Studio", f"Making the {KINDS[kind][0]}", loading=True)
        try:
            everybody = self.everybody.value and len(self.controls.engine.cast) > 1
            name, content = export(self.controls.engine, None if everybody else self.controls.chosen, kind)
        finally:
            waiting.remove()
        event.client.send_file_download(name, content, save_immediately=True)

    def update(self) -> None:
        """Follow what is on show."""
        engine = self.controls.engine
        with engine.lock:
            behind = (engine.shown - engine.newest) * engine.dt
            (first, last), at, marked = engine.span(), engine.shown, (engine.mark_in, engine.mark_out) != (None, None)
            waiting = engine.paused and not engine.replaying
        value = round(max(behind, -SECONDS), 2)
        apart = abs(self.timeline.value - value) > 1.5 * engine.dt
        if apart and (self._apart or not waiting):  # a hand that drags is about to be heard: wait once
            self.timeline.value = value
        self._apart = apart
        what = "between the marks" if marked else "on tape"
        html = (
            '<div style="font-size:12px;padding:2px 10px 6px;font-variant-numeric:tabular-nums">'
            f"shown <b data-shown>{at * engine.dt:.2f} s</b> · {what} <b data-span>{first * engine.dt:.2f} to "
            f"{last * engine.dt:.2f} s</b>, {last - first + 1} frames</div>"
        )
        show_html(self.where, html)
        everybody = len(engine.cast) > 1
        if self.everybody.visible != everybody:
            self.everybody.visible = everybody
