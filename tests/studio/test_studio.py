"""The studio's server and a clip of one's own, without a browser."""

import re
import socket
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import viser
from made_up import random_clip
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from lactic.cli import main
from lactic.errors import InputError
from lactic.motion.bvh_write import write_bvh
from lactic.studio.engine import Engine
from lactic.studio.server import Studio, check_port, own_page
from lactic.studio.viser_private import VERSION


def test_a_taken_port_is_one_line(capsys: pytest.CaptureFixture[str]):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["studio", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"lactic: port {port}: cannot be used on 127.0.0.1") and said.count("\n") == 1


def test_private_names_of_viser_are_those_of_the_pinned_version(monkeypatch: pytest.MonkeyPatch):
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert f"viser=={VERSION}" in project["dependencies"]
    monkeypatch.setattr(viser, "__version__", "99.0")
    with pytest.raises(InputError, match=f"the studio needs viser {re.escape(VERSION)}, not 99.0: pip install viser=="):
        Studio("hold-arms", port=0)


def test_a_missing_brain_and_a_bad_address_are_one_line(capsys: pytest.CaptureFixture[str]):
    assert main(["studio", "--brain", "nobody", "--port", "0"]) == 2
    assert "unknown brain 'nobody'" in capsys.readouterr().err
    for host, port in (("127.0.0.1", 70000), ("no.such.host.invalid", 0)):
        with pytest.raises(InputError):
            check_port(host, port)


def test_listens_here_only_and_serves_only_the_page():
    studio = Studio("hold-arms", port=0)
    try:
        assert studio.server.get_host() == "127.0.0.1"
        page = urllib.request.urlopen(f"http://127.0.0.1:{studio.port}/").read()
        assert b"<html" in page.lower()
        for path in ("/../__init__.py", "/%2e%2e/__init__.py", "//etc/passwd", "/etc/passwd", "/..%5c..%5cx"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{studio.port}{path}")
        assert studio.server.request_share_url() is None  # nobody can publish the page
    finally:
        studio.close()


def test_pages_of_other_sites_cannot_connect():
    studio = Studio("hold-arms", port=0)
    url, kind = f"ws://127.0.0.1:{studio.port}", [Subprotocol(f"viser-v{viser.__version__}")]
    try:
        with connect(url, subprotocols=kind, origin=Origin("http://elsewhere.example")) as foreign:
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    foreign.recv(timeout=10)
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008
        with connect(url, subprotocols=kind, origin=Origin(f"http://127.0.0.1:{studio.port}")) as own:
            assert own.recv(timeout=10)
    finally:
        studio.close()
    assert own_page("http://evil.example:80", "evil.example:80", "0.0.0.0")
    assert not own_page("http://evil.example:80", "evil.example:80", "127.0.0.1")  # a name turned to point here


def test_a_clip_stands_beside_the_body_not_inside_it(tmp_path: Path):
    write_bvh(tmp_path / "mine.bvh", random_clip())
    studio = Studio("pace", port=0)
    try:
        studio.engine.invite("mine.bvh", (tmp_path / "mine.bvh").read_bytes())
        for _ in range(30):
            studio.engine.advance()
            studio.stage.update(studio.engine.dt)
        stage, guest = studio.stage, studio.stage.guest
        assert guest is not None
        clip, body = (doll.root.position[:2] + doll.limbs[0].position[:2] for doll in (guest, stage.views[0].doll))
        assert np.linalg.norm(clip - body) > 1.0  # metres between the pelvises
    finally:
        studio.close()


def test_a_clip_is_shown_retargeted(tmp_path: Path):
    engine = Engine("pace")
    clip = random_clip()
    write_bvh(tmp_path / "mine.bvh", clip)
    guest = engine.invite("mine.bvh", (tmp_path / "mine.bvh").read_bytes())
    assert engine.guest is guest and guest.about.startswith("mine.bvh: 1.0 s")
    assert guest.xpos.shape == (31, len(engine.body.bodies), 3)
    assert np.allclose(guest.xpos[0, 0, :2], 0) and guest.frame(1.1) == guest.frame(1.1 - 31 / 30)
    for name, content in (("x.bvh", b"HIERARCHY\nROOT"), ("x.exe", b"MZ"), ("x.npy", b"\x93NUMPY"), ("", b"")):
        with pytest.raises(InputError) as error:
            engine.invite(name, content)
        assert "/tmp" not in str(error.value)
        assert engine.guest is guest
    engine.load("hold-arms")
    assert engine.guest is guest
    engine.guest = None
    assert engine.guest is None
