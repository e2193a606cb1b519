"""Keys and gamepads of every open page, which its script sends over a socket of its own."""

import asyncio
import json
import math
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import viser

from lactic.steer.gamepad import COLUMNS, tidy
from lactic.studio.engine import Engine
from lactic.studio.viser_private import PROTOCOL, run_script

TITLE = "Lactic"
"""Of the browser's tab; viser would write its own name there."""
PATH = "/pad"
"""Where pages connect to; what follows the question mark is the page's number."""
LONGEST = 200
"""Characters of a message."""


class PageGamepads:
    """Listens to all pages: the last one that changed anything holds the gamepad."""

    def __init__(self, engine: Engine, cameras: Callable[[int], Any]):
        self.engine, self._cameras = engine, cameras
        self._source = files("lactic.studio").joinpath("pad.js").read_text(encoding="utf-8")
        self.pages: dict[Any, asyncio.AbstractEventLoop] = {}
        """Open sockets and where they are served."""
        self._on = False

    def install(self, client: viser.ClientHandle) -> None:
        """Give a page its title and the script that reads its keys and gamepads."""
        where = (
            f'document.title = "{TITLE}";\n'
            'const ADDRESS = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}'
            f"{PATH}?{client.client_id}`;\n"
            f'const PROTOCOL = "{PROTOCOL}";\n'
        )
        run_script(client, where + self._source)

    def switch(self, on: bool) -> None:
        """Tell all pages whether keys steer now; where they do not, they keep their other meanings."""
        self._on = on
        for connection, loop in list(self.pages.items()):
            asyncio.run_coroutine_threadsafe(_send(connection, on), loop)

    async def listen(self, connection: Any) -> None:
        """Hold the gamepad as a page says, until it has gone."""
        page = connection.request.path.partition("?")[2]
        self.pages[connection] = asyncio.get_running_loop()
        try:
            await _send(connection, self._on)
            async for message in connection:
                pad = read(message)
                if pad is not None:
                    self.engine.pad = turned(pad, self._yaw(page))
        finally:
            del self.pages[connection]
            self.engine.pad = np.zeros(COLUMNS)

    def _yaw(self, page: str) -> float:
        """Where that page's camera looks."""
        camera = self._cameras(int(page)) if page.isdecimal() else None
        if camera is None:
            return 0.0
        way = np.asarray(camera.look_at) - np.asarray(camera.position)
        return math.atan2(way[1], way[0])


async def _send(connection: Any, on: bool) -> None:
    from websockets.exceptions import ConnectionClosed

    try:
        await connection.send("on" if on else "off")
    except ConnectionClosed:  # it has just gone
        return


def read(message: str | bytes) -> np.ndarray | None:
    """The gamepad (6,) of a page's message, as the screen shows directions; None for anything else."""
    if len(message) > LONGEST:
        return None
    try:
        pad = np.array(json.loads(message), dtype=float)
    except (TypeError, ValueError):
        return None
    return tidy(pad) if pad.shape == (COLUMNS,) else None


def turned(pad: np.ndarray, yaw: float) -> np.ndarray:
    """A gamepad whose sticks point as on the screen (right, away), with sticks that point as in the world."""
    c, s, turned = math.cos(yaw), math.sin(yaw), pad.copy()
    for k in (0, 2):
        right, away = pad[k], pad[k + 1]
        turned[k], turned[k + 1] = c * away + s * right, s * away - c * right
    return turned
