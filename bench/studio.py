"""How long after a slider is moved a control step obeys it, in milliseconds; one control step plus 100 ms is allowed.

    python bench/studio.py [--times 100] [--bodies 3]

With Chromium on the machine the page is open meanwhile, and the slider is also moved there by key presses, counted from
the browser's own event. Without it messages are sent over viser's socket alone.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from lactic.studio.server import Studio

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "studio")]

from browser import CHROMIUM, DRIVER, Page, chromium, wait  # noqa: E402
from hand import Hand  # noqa: E402


class Watch:
    """Notes when a control step has ended that began with another F than the one before."""

    def __init__(self, studio: Studio):
        self.engine, self.seen = studio.engine, 0.0
        self._F, self._advance = self.engine.cast[0].fitness.F, self.engine.advance
        self.engine.advance = self.advance

    def advance(self, steps: int = 1) -> None:
        """In the place of the engine's own."""
        F = self.engine.cast[0].fitness.F
        self._advance(steps)
        if F != self._F:
            self._F, self.seen = F, time.time()

    def after(self, act) -> float:
        """Seconds from the moment that `act` returns until it is obeyed."""
        self.seen = 0.0
        start = act()
        wait(lambda: self.seen, "the step")
        return self.seen - start


def report(what: str, seconds: list[float], allowed: float) -> None:
    """One line."""
    ms = 1000 * np.array(seconds)
    middle, most, within = np.median(ms), np.percentile(ms, 95), np.mean(ms <= allowed)
    print(f"{what:34} {middle:7.1f} {most:7.1f} {ms.max():7.1f}   {within:.0%} within {allowed:.0f}")


def main() -> None:
    """Move F up and down at random moments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--bodies", type=int, default=1)
    asked = parser.parse_args()
    studio = Studio("pace", port=0)
    studio.engine.compare([studio.engine.cast[0].fitness] * asked.bodies)
    studio.panels.controls.changed()
    studio.start()
    driver, rng = None, np.random.default_rng(0)
    allowed = 1000 * studio.engine.dt + 100
    try:
        with tempfile.TemporaryDirectory() as folder:
            if CHROMIUM and DRIVER:
                driver = chromium(Path(folder))
                page = Page(driver, Path(folder))
                page.open(studio.address)
            hand = Hand(studio)
            wait(lambda: studio.engine.running, "the runner")
            watch, slider = Watch(studio), studio.panels.body.sliders["F"]
            print(f"{'ms until obeyed':34} {'median':>7} {'95 %':>7} {'max':>7}")
            found = []
            for k in range(asked.times):
                time.sleep(rng.uniform(0.05, 0.15))

                def send(k: int = k) -> float:
                    hand.move(slider, 2.0 + k % 2)  # never what it is already
                    return time.time()

                found.append(watch.after(send))
            report("a message" + (" beside an open page" if driver else ""), found, allowed)
            if driver:
                report("a key on the slider in Chromium", pressed(page, watch, asked.times, rng), allowed)
            pace = studio.engine.pace
            print(f"{asked.bodies} bodies at {pace:.2f} × real time" if pace else "")
            hand.close()
    finally:
        if driver:
            driver.quit()
        studio.close()


def pressed(page: Page, watch: Watch, times: int, rng: np.random.Generator) -> list[float]:
    """Press arrow keys on the slider of F."""
    from selenium.webdriver.common.keys import Keys

    page.tab("Body")
    thumb = page.find(
        "//label[normalize-space()='F']/ancestor::div[contains(@class,'mantine-Flex-root')][1]//*[@role='slider']"
    )
    page.driver.execute_script(
        "document.addEventListener('keydown', e => { window.lacticKey = performance.timeOrigin + e.timeStamp }, true)"
    )
    found = []
    for k in range(times):
        time.sleep(rng.uniform(0.05, 0.15))

        def press(k: int = k) -> float:
            thumb.send_keys(Keys.ARROW_RIGHT if k % 2 else Keys.ARROW_LEFT)
            return page.driver.execute_script("return window.lacticKey") / 1000

        found.append(watch.after(press))
    return found


if __name__ == "__main__":
    main()
