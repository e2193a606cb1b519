"""The tiny body under a name, for as long as a test runs."""

import pytest
import tiny_body

from lactic import body as bodies


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the body 'tiny' known."""
    monkeypatch.setitem(bodies._BUILDERS, tiny_body.NAME, tiny_body.tiny)
