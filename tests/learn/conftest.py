"""The tiny body under a name, for as long as a test runs."""

import made_up
import pytest

from lactic import body as bodies


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the body 'tiny' known."""
    monkeypatch.setitem(bodies.BUILDERS, made_up.NAME, made_up.tiny)
