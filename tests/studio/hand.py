"""A hand on the page's sliders without a browser: viser's own messages over its own socket."""

import struct
import threading
import time

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from lactic.studio.server import Studio


class Hand:
    """One connected client; `move` sends what the page sends when a slider is moved."""

    def __init__(self, studio: Studio):
        kind = [Subprotocol(f"viser-v{viser.__version__}")]
        self.socket = connect(f"ws://127.0.0.1:{studio.port}", subprotocols=kind, max_size=None)
        self._sliders: dict[str, str] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._send(  # a client counts from its first camera on
            "ViewerCameraMessage",
            wxyz=(1.0, 0.0, 0.0, 0.0),
            position=(3.0, 0.0, 1.0),
            fov=1.0,
            near=0.01,
            far=100.0,
            image_height=400,
            image_width=600,
            look_at=(0.0, 0.0, 1.0),
            up_direction=(0.0, 0.0, 1.0),
        )

    def _read(self) -> None:
        """Note what the page is told of its sliders: messages come packed, then compressed, behind two lengths."""
        try:
            for message in self.socket:
                whole, packed = struct.unpack("<QQ", message[:16])
                plain = zstandard.ZstdDecompressor().decompress(message[16 : 16 + packed], max_output_size=whole)
                for part in msgspec.msgpack.decode(plain)["messages"]:
                    if part["type"] == "GuiSliderMessage":
                        self._sliders[part["props"]["label"]] = part["uuid"]
        except ConnectionClosed:
            pass

    def _send(self, kind: str, **fields: object) -> None:
        self.socket.send(msgspec.msgpack.encode({"type": kind, **fields}))

    def move(self, slider: viser.GuiSliderHandle, value: float) -> None:
        """Move a slider, once the page has been told of it."""
        until = time.monotonic() + 30
        while slider.label not in self._sliders:
            assert time.monotonic() < until, f"no slider {slider.label}"
            time.sleep(0.005)
        self._send("GuiUpdateMessage", uuid=self._sliders[slider.label], updates={"value": value})

    def close(self) -> None:
        """Go away."""
        self.socket.close()
