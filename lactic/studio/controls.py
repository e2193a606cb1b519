"""What every panel shares: the engine, the page, the actor it is about, and how a wrong input is told."""

import traceback
from collections.abc import Callable
from typing import Any

import viser

from lactic.errors import InputError
from lactic.studio.actor import StageActor
from lactic.studio.engine import Engine
from lactic.studio.stage import Stage

LETTERS = "ABC"
"""Names of the actors side by side."""


class Controls:
    """What a person can change; `chosen` is the actor that the panels and the exports are about."""

    def __init__(self, server: viser.ViserServer, engine: Engine, stage: Stage):
        self.engine, self.stage = engine, stage
        self.gui: Any = server.gui  # its handles' values are read-only to a type checker
        self.chosen = 0
        self._listeners: list[Callable[[], None]] = []

    @property
    def actor(self) -> StageActor:
        """The chosen actor."""
        return self.engine.cast[min(self.chosen, len(self.engine.cast) - 1)]

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever the cast, the choice or a fitness has changed by other means than its own."""
        self._listeners.append(listener)

    def changed(self) -> None:
        """Let all panels show what is now the case."""
        self.chosen = self.stage.watched = min(self.chosen, len(self.engine.cast) - 1)
        for listener in self._listeners:
            listener()

    def tell(self, client: Any, text: str, good: bool = False) -> None:
        """Say something to one person."""
        title, seconds, colour = ("Studio", 5.0, "teal") if good else ("That did not work", 12.0, "red")
        client.add_notification(title, text, auto_close_seconds=seconds, color=colour)

    def when(self, handle: Any, action: Callable[[Any], Any]) -> Any:
        """Do `action` with a control's value whenever a person changes or presses it; returns the control."""
        return self.when_by(handle, lambda event: action(event.target.value))

    def when_pressed(self, handle: Any, action: Callable[[], Any]) -> Any:
        """The same for what has no value that matters."""
        return self.when_by(handle, lambda event: action())

    def when_by(self, handle: Any, action: Callable[[Any], Any]) -> Any:
        """The same with viser's event, which says who did it. What goes wrong is told to that person."""

        def act(event: Any) -> None:
            if event.client is None:  # we wrote the value ourselves
                return
            try:
                action(event)
            except InputError as error:
                self.tell(event.client, str(error))
            except Exception as error:
                traceback.print_exc()
                self.tell(event.client, f"{type(error).__name__}: {error}; the simulation goes on")

        hooks = (getattr(handle, name, None) for name in ("on_trigger", "on_upload", "on_click", "on_update"))
        next(hook for hook in hooks if hook is not None)(act)
        return handle


def show_html(handle: Any, html: str) -> None:
    """Write into a place on the page, and send it only if it is new."""
    if html != handle.content:
        handle.content = html


def offer(handle: Any, entries: tuple[str, ...]) -> None:
    """Let a list offer these entries; it keeps its choice if they are what it offers already."""
    if tuple(handle.options) != entries:
        handle.options = entries
