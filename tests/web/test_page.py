"""The page without a server, as a visitor has it: built, served by a plain static server, opened in Chromium."""

import gzip
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from browser import Page, chromium, wait

from lactic.brain import catalogue
from lactic.play.driver import Asked
from lactic.play.player import Player
from lactic.play.start import start_states
from lactic.studio.skill import opening_fitness

ROOT = Path(__file__).resolve().parents[2]
MOST = 8e6
"""Bytes of the whole page, compressed."""
STEPS, WITHIN = 90, 1e-4
"""Control steps for which it equals Python, and how closely, m and rad."""
ASKED = {"pace": [3.5, 0.0], "hold-arms": [1.0], "ant": [3.0, 1.0]}
"""Commands of the comparison; skills take none."""
QUIET = {"pace": [0.0, 0.0], "ant": [1.0, 0.0]}
"""Commands at which a small difference stays small once the character has settled: `pace` stands, `ant` walks."""
SETTLED = 60
"""Control steps until it has."""
STRETCHES = {"pace": 10, "ant": 30}
"""Control steps after which the page is given Python's state again where a character goes fast: there 5e-8 rad at the
start become 0.3 rad within 90 steps in Python alone (docs/web.md), and the two runtimes' sums of float32 differ so."""


class Silent(SimpleHTTPRequestHandler):
    """A plain static server that does not talk."""

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The page, built anew from what npm has installed."""
    if shutil.which("node") is None or not (ROOT / "web" / "node_modules" / "esbuild").is_dir():
        pytest.skip("no page: install Node.js, then run make site once")
    out = tmp_path_factory.mktemp("site")
    subprocess.run(["node", str(ROOT / "web" / "build.mjs"), str(out)], check=True)
    subprocess.run([sys.executable, str(ROOT / "web" / "data.py"), str(out)], check=True, cwd=ROOT)
    return out


@pytest.fixture(scope="module")
def page(site, tmp_path_factory) -> Iterator[Page]:
    """The page in a browser."""
    driver = chromium(tmp_path_factory.mktemp("downloads"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    opened = Page(driver, site)
    visit(opened, f"http://127.0.0.1:{server.server_port}/")
    yield opened
    driver.quit()
    server.shutdown()


def visit(page: Page, address: str) -> None:
    """Open an address and wait until something moves."""
    page.driver.get("about:blank")
    page.driver.get(address)
    wait(lambda: (look(page, "count") or 0) > 5, "motion")


def look(page: Page, what: str):
    """A part of the state on show."""
    return page.driver.execute_script(f"const s = window.lactic?.state; return s ? s.{what} : null")


def strength(page: Page, when: str = "state") -> np.ndarray:
    """Strength left of each joint, now or when the character came."""
    return 1 - np.array(page.driver.execute_script(f"return Array.from(window.lactic.{when}.spent)"))


def test_the_page(site, page):
    """One test, since all of it needs Node.js and a page that was built."""
    is_small(site)
    a_visitor_steers_changes_and_shares(page)
    every_character_moves_as_in_python(page)


def is_small(site):
    packed = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in site.iterdir()}
    assert {"mujoco.wasm.gz", "onnx.wasm.gz", "pace.onnx.gz", "index.html"} <= set(packed)
    assert sum(packed.values()) < MOST, packed


def a_visitor_steers_changes_and_shares(page):
    from selenium.webdriver.common.action_chains import ActionChains

    address = page.driver.current_url
    # keys: away from the camera, at a walk
    ActionChains(page.driver).key_down("w").perform()
    wait(lambda: look(page, "byHand"), "the keys")
    asked = np.array(look(page, "command"))
    assert np.hypot(*asked) == pytest.approx(1.4)
    assert asked @ [3.1, -4.3] < -0.99 * np.hypot(3.1, -4.3) * 1.4
    ActionChains(page.driver).key_up("w").perform()
    # a slider acts within two control steps
    before, after = page.driver.execute_async_script(
        """const done = arguments[0], slider = document.querySelector("[data-rate=scale]");
        slider.value = 60; slider.dispatchEvent(new Event("input"));
        const first = lactic.state.count, rate = lactic.state.rates[0];
        const wait = () => lactic.state.rates[0] > 1.9 * rate ? done([first, lactic.state.count]) : setTimeout(wait, 1);
        wait();"""
    )
    assert after - before <= 2
    # exhaust a leg, pause, share: a visitor of the link has character, fitness and strength
    page.click("//button[@data-exhaust='left leg']")
    knee = wait(lambda: strength(page)[24] < 0.15 and strength(page)[24], "a tired knee")
    assert knee > 0.05
    page.click("//button[@id='pause']")
    page.click("//button[@id='share']")
    shared, left = page.driver.current_url, strength(page)
    assert "#character=pace&fitness=human-30&scale=60&" in shared
    visit(page, shared)
    np.testing.assert_allclose(strength(page, "first"), left, atol=0.02)  # a step may still have been on its way
    assert look(page, "rates[0]") == pytest.approx(60 * 0.00755, rel=1e-5)
    own = address.split("#")[0]
    outside = {url for url in page.requests() if not url.startswith((own, "data:", "blob:", "about:", "chrome"))}
    assert not outside


def every_character_moves_as_in_python(page):
    names = page.driver.execute_script("return [...document.querySelectorAll('[data-name]')].map(e => e.dataset.name)")
    assert "pace" in names and len(names) > 5
    for name in names:
        moves_as_in_python(page, name, ASKED.get(name, []), STRETCHES.get(name, STEPS))
        if name in QUIET:
            moves_as_in_python(page, name, QUIET[name], STEPS, SETTLED)


def moves_as_in_python(page, name: str, asked: list[float], stretch: int, settled: int = 0):
    """Compare poses for STEPS control steps; after every `stretch` of them the page takes up Python's state."""
    folder = catalogue.find(name)
    brain = folder.load()
    player, command = Player(brain, opening_fitness(brain.info.fitness)), np.array(asked)
    driver, world = Asked(player, lambda: command, start=start_states(folder, player.body, 1, 0)), player.world
    for _ in range(settled):
        driver.step()
    starts, own = [], []
    for step in range(STEPS):
        if step % stretch == 0:
            now = {"qpos": world.qpos, "qvel": world.qvel, "torque": world.torque, "fatigue": player.fatigue}
            starts.append({part: values[0].ravel().tolist() for part, values in now.items()})
        driver.step()
        own.append(world.qpos[0].copy())
    script = "lactic.rehearse(...arguments[0]).then(arguments[1])"
    frames = page.driver.execute_async_script(script, [name, stretch, starts, command.tolist()])
    np.testing.assert_allclose(frames, own, rtol=0, atol=WITHIN, err_msg=name)
    assert np.ptp(own, axis=0).max() > 0.1 or not np.any(asked), name  # it did move
