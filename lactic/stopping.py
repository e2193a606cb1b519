"""Ctrl-C and SIGTERM as a request to stop that a loop may obey when it suits."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any


class StopRequest:
    """The first signal sets `asked` and calls `heard`; a second one raises KeyboardInterrupt at once."""

    def __init__(self, heard: Callable[[], Any] = lambda: None):
        self.asked, self._heard = False, heard
        self._old: dict[signal.Signals, Any] = {}
        for kind in (signal.SIGINT, signal.SIGTERM):
            try:
                self._old[kind] = signal.signal(kind, self._ask)
            except ValueError:  # not in the main thread
                return

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._heard()

    def restore(self) -> None:
        """Give the signals back."""
        for kind, handler in self._old.items():
            signal.signal(kind, handler)

    def __enter__(self) -> "StopRequest":
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()
