"""What every panel shares: the engine, the page, the character it is about, and how a wrong input is told."""

import traceback
from collections.abc import Callable
from typing import Any

import viser

from lactic.errors import InputError
from lactic.studio.character import Character
from lactic.studio.engine import Engine
from lactic.studio.stage import Stage

LETTERS = "ABC"
"""Names of the characters side by side."""


class Desk:
    """The page's controls stand on it; `chosen` is the character that they and the exports are about."""

    def __init__(self, server: viser.ViserServer, engine: Engine, stage: Stage):
        self.server, self.engine, self.stage = server, engine, stage
        self.gui: Any = server.gui  # its handles' values are read-only to a type checker
        self.chosen = 0
        self._listeners: list[Callable[[], None]] = []

    @property
    def character(self) -> Character:
        """The chosen character."""
        return self.engine.cast[min(self.chosen, len(self.engine.cast) - 1)]

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever the cast, the choice or a fitness has changed by other means than its own."""
        self._listeners.append(listener)

    def changed(self) -> None:
        """Let all panels show what is now the case."""
        self.chosen = self.stage.watched = min(self.chosen, len(self.engine.cast) - 1)
        for listener in self._listeners:
            listener()

    def tell(self, client: viser.ClientHandle, text: str, good: bool = False) -> None:
        """Say something to one person."""
        client.add_notification(
            "Studio" if good else "That did not work",
            text,
            auto_close_seconds=5.0 if good else 12.0,
            color="teal" if good else "red",
        )

    def guarded(self, action: Callable[[Any], None]) -> Callable[[Any], None]:
        """`action` as a callback that a person's doing triggers, not ours; what goes wrong is told to that person."""

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

        return act

    def button(self, label: str, action: Callable[[Any], None], **options: Any) -> Any:
        """A button that does `action`."""
        handle = self.gui.add_button(label, **options)
        handle.on_click(self.guarded(action))
        return handle
