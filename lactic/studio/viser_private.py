"""All that the studio needs of viser that viser does not offer in public: each name here is checked for one version."""

from collections.abc import Awaitable, Callable
from typing import Any

import viser
from viser import _messages

from lactic.errors import InputError

VERSION = "1.1.1"
"""The version that these names are of, as pyproject.toml pins it."""
PROTOCOL = f"viser-v{VERSION}"
"""What a socket must say that it speaks."""


def check_version() -> None:
    """Say plainly if another version is installed."""
    if viser.__version__ != VERSION:
        raise InputError(f"the studio needs viser {VERSION}, not {viser.__version__}: pip install viser=={VERSION}")


def on_connection(server: viser.ViserServer, admit: Callable[[Any], Awaitable[None]]) -> None:
    """Call `admit` with each socket that a page opens, before viser reads from it."""
    sockets = server._websock_server

    async def connected(client: Any) -> None:
        await admit(sockets._live_connections[client.client_id])

    sockets.on_client_connect(connected)


def run_script(client: viser.ClientHandle, source: str) -> None:
    """Run JavaScript in a page."""
    client.gui._websock_interface.queue_message(_messages.RunJavascriptMessage(source=source))
