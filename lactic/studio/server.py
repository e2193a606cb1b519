"""`lactic studio`: the web server, its clients, and the loop that keeps the page up to date."""

import contextlib
import io
import socket
import threading
import time
import traceback
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import viser

from lactic.errors import InputError
from lactic.studio.engine import Engine
from lactic.studio.gamepads import PATH, PageGamepads
from lactic.studio.panels import Panels
from lactic.studio.stage import Stage
from lactic.studio.viser_private import check_version, on_connection

RATE = 30.0
"""Updates of the stage a second."""
LOCAL = ("localhost", "127.0.0.1", "::1")
ASK, ANSWER = 2.0, 6.0
"""Seconds between questions whether a page is still there, and until one that does not answer counts as gone."""
READ = 6
"""Updates of the stage for one of the panels."""


class PrivateServer(viser.ViserServer):
    """A server for its own page only: no tunnel is opened, and other sites' pages cannot reach in through a browser."""

    def __init__(self, host: str, port: int, label: str, engine: Engine):
        super().__init__(host=host, port=port, label=label, verbose=False)
        self.gamepads = PageGamepads(engine, lambda page: getattr(self.get_clients().get(page), "camera", None))

        async def admit(connection: Any) -> None:
            headers = connection.request.headers if connection.request else {}
            if not own_page(headers.get("Origin"), headers.get("Host"), host):
                await connection.close(1008, "only the studio's own page may connect")
            elif connection.request and connection.request.path.partition("?")[0] == PATH:
                await self.gamepads.listen(connection)  # until it is closed; viser has no part in it

        on_connection(self, admit)

    def request_share_url(self, verbose: bool = True) -> None:
        """Refuse to publish the page."""


def own_page(origin: str | None, asked: str | None, bound: str) -> bool:
    """Whether a connection comes from our page: from the host it asks, which on a private server is this machine."""
    if origin is None:  # no browser
        return True
    page = urlsplit(origin)
    return page.netloc == asked and (bound not in LOCAL or page.hostname in LOCAL)


def check_port(host: str, port: int) -> None:
    """Say plainly when the address cannot be had."""
    if not 0 <= port <= 65535:
        raise InputError(f"port {port}: give a number from 1 to 65535 (0 takes any free one)")
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except socket.gaierror as error:
        raise InputError(f"host {host}: no such address") from error
    except OSError as error:
        raise InputError(f"port {port}: cannot be used on {host} ({error.strerror}); give another") from error


class Studio:
    """Engine, stage and server together; `start` returns at once, `close` ends all of it."""

    def __init__(
        self, brain: str | Path = "pace", host: str = "127.0.0.1", port: int = 8080, database: str | Path | None = None
    ):
        check_version()
        check_port(host, port)
        self.engine = Engine(brain, self.say, database)
        with contextlib.redirect_stdout(io.StringIO()):  # its own banner
            self.server = PrivateServer(host=host, port=port, label="Lactic studio", engine=self.engine)
        self.host, self.port = host, self.server.get_port()
        self.stage = Stage(self.server, self.engine)
        self.panels = Panels(self.server, self.engine, self.stage)
        self._stopped = threading.Event()
        self._awake: set[int] = set()
        self.server.on_client_connect(self._listen)
        self.server.on_client_connect(self.server.gamepads.install)
        self.panels.controls.on_change(lambda: self.server.gamepads.switch(self.engine.skill.led))
        self.panels.controls.changed()
        self._loop = threading.Thread(target=self._run, name="lactic-page", daemon=True)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{'localhost' if self.host in ('127.0.0.1', '0.0.0.0') else self.host}:{self.port}"

    def say(self, text: str, colour: Literal["orange", "red", "teal"] = "orange") -> None:
        """Tell everybody who looks."""
        for client in self.server.get_clients().values():
            client.add_notification("Studio", text, auto_close_seconds=8.0, color=colour)

    def start(self) -> None:
        """Start simulating and showing."""
        self.stage.update(1.0)
        self.engine.start()
        self._loop.start()

    def close(self) -> None:
        """Stop everything."""
        self._stopped.set()
        self.engine.stop()
        if self._loop.is_alive():
            self._loop.join(5)
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    def _listen(self, client: viser.ClientHandle) -> None:
        """Ask a page again and again whether it is there: one that was left by a link stays connected, asleep."""
        self._awake.add(client.client_id)
        threading.Thread(target=self._ask, args=(client,), daemon=True).start()

    def _ask(self, client: viser.ClientHandle) -> None:
        while not self._stopped.wait(ASK) and client.client_id in self.server.get_clients():
            try:
                client.local_storage.get_item("lactic", timeout=ANSWER)
                self._awake.add(client.client_id)
            except TimeoutError:
                self._awake.discard(client.client_id)
            except RuntimeError:  # gone, as the next round will see, or a browser that keeps no notes
                continue
        self._awake.discard(client.client_id)

    def _run(self) -> None:
        last, turn = time.perf_counter(), 0
        while not self._stopped.wait(1 / RATE if self.engine.viewers else 0.1):
            self.engine.attend(self._awake & set(self.server.get_clients()))
            if not self.engine.viewers:
                continue
            now = time.perf_counter()
            try:
                self.stage.update(now - last)
                if turn % READ == 0:
                    self.panels.update()
            except Exception:  # a client that goes away in mid-update must not stop the page for others
                traceback.print_exc()
            last, turn = now, turn + 1


def run(brain: str | Path, host: str, port: int, database: str | Path | None = None) -> None:
    """Open the studio and stay until Ctrl-C."""
    studio = Studio(brain, host, port, database)
    studio.start()
    print(f"The studio is open at {studio.address} (Ctrl-C closes it)", flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        print("closed")
    finally:
        studio.close()
