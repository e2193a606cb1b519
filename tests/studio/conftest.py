"""A page of Chromium on the studio of the module that asks for it."""

import pytest
from browser import Page, chromium

from lactic.studio.server import Studio


@pytest.fixture(scope="module")
def window(studio: Studio, tmp_path_factory: pytest.TempPathFactory):
    """Open the module's studio; it skips where there is no Chromium."""
    downloads = tmp_path_factory.mktemp("downloads")
    driver = chromium(downloads)
    page = Page(driver, downloads)
    page.open(studio.address)
    yield page
    driver.quit()
