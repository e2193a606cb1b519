"""A person at the studio's page: real Chromium, headless, driven by labels that are seen on the page."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=0.5",
)
PATIENCE = 120.0
"""Seconds: only a page that fails takes them, and where others use the cores a page is slow."""


def wait(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """What `condition` gives as soon as it is true; elements that are being redrawn count as not yet."""
    from selenium.common.exceptions import WebDriverException

    until = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except WebDriverException:
            value = None
        if value:
            return value
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.05)


def chromium(downloads: Path, width: int = 960, height: int = 860) -> Any:
    """A headless browser that saves downloads without asking; skips where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="no browser driver: pip install lactic[dev]")
    if not (CHROMIUM and DRIVER):
        pytest.skip("no browser: install chromium and chromedriver")
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    options.add_experimental_option(
        "prefs", {"download.default_directory": str(downloads), "download.prompt_for_download": False}
    )
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))


class Page:
    """The page in one window."""

    def __init__(self, driver: Any, downloads: Path):
        self.driver, self.downloads = driver, downloads

    def open(self, address: str) -> None:
        """Go there and wait until the panels are."""
        self.driver.get(address)
        wait(lambda: self.read("[data-mode]"), "the readout")

    def find(self, xpath: str) -> Any:
        """The first such element that is shown."""
        return wait(
            lambda: next((e for e in self.driver.find_elements("xpath", xpath) if e.is_displayed()), None), xpath
        )

    def read(self, selector: str) -> str:
        """The text of the first element there, or nothing."""
        return self.driver.execute_script(
            "const e = document.querySelector(arguments[0]); return e ? e.textContent : ''", selector
        )

    def click(self, xpath: str) -> None:
        """Click it once it stands still enough to be clicked."""
        wait(lambda: self.find(xpath).click() or True, f"a click on {xpath}")

    def tab(self, title: str) -> None:
        """Turn to a tab."""
        self.click(f"//*[@role='tab' and @title='{title}']")

    def press(self, text: str) -> None:
        """Press the button that says so."""
        self.click(f"//button[normalize-space()='{text}']")

    def field(self, label: str, kind: str) -> str:
        """Where the input beside a label is."""
        return (
            f"//label[normalize-space()='{label}']/ancestor::div[contains(@class,'mantine-Flex-root')][1]"
            f"//input[{kind}]"
        )

    def type(self, label: str, text: str, kind: str = "@inputmode='decimal'") -> None:
        """Write into the box beside a label."""
        from selenium.webdriver.common.keys import Keys

        def write() -> bool:
            box = self.find(self.field(label, kind))
            box.send_keys(Keys.CONTROL, "a")
            box.send_keys(text)
            return True

        wait(write, label)

    def choose(self, label: str, option: str) -> None:
        """Pick from the list beside a label."""
        from selenium.webdriver.common.keys import Keys

        found = (
            f"//*[@role='option' and (normalize-space()='{option}' or starts-with(normalize-space(),'{option} · '))]"
        )

        place = self.field(label, "@role='combobox'")

        def pick() -> str:
            shown = [e for e in self.driver.find_elements("xpath", found) if e.is_displayed()]
            text = shown[0].text.strip() if shown else ""
            if text:
                shown[0].click()
            return text

        def choose_once() -> None:
            box = self.find(place)
            box.click()
            box.send_keys(Keys.CONTROL, "a")
            box.send_keys(option[:-1])  # long lists are searched; what is typed differs from what is chosen
            text = wait(pick, f"{option} of {label}")
            wait(lambda: self.find(place).get_property("value") == text, f"{label} to show {text}", 5.0)

        try:
            choose_once()
        except AssertionError:  # the page was being redrawn, and the click was lost
            choose_once()

    def tick(self, label: str) -> None:
        """Click the box beside a label."""
        self.click(self.field(label, "@type='checkbox'"))

    def notice(self, part: str) -> str:
        """Wait for a notification that says so, and close all."""
        text = wait(lambda: next((t for t in self._notices() if part in t), None), f"a notice with '{part}'")
        self.clear()
        return text

    def clear(self) -> None:
        """Close all notifications."""
        self.driver.execute_script(
            "document.querySelectorAll('.mantine-Notification-closeButton').forEach(e => e.click())"
        )

    def _notices(self) -> list[str]:
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.mantine-Notification-root')].map(e => e.textContent)"
        )

    def download(self, button: str, name: str) -> bytes:
        """Press a button and wait for the whole file."""
        path = self.downloads / name
        path.unlink(missing_ok=True)
        self.press(button)
        wait(lambda: path.is_file() and not list(self.downloads.glob("*.crdownload")), name)
        return path.read_bytes()

    def requests(self) -> set[str]:
        """Every address that was asked for so far."""
        found = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                params = message["params"]
                found.add(params.get("url") or params["request"]["url"])
        return found
