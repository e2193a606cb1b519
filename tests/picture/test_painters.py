"""Processes that draw: answers in turn, errors as they were, and nothing lost or left where one ends."""

import os
import signal
from collections.abc import Iterator

import pytest

from lactic.errors import InputError
from lactic.files import check_target
from lactic.picture.filming import FilmFormat, film_of
from lactic.picture.painters import PainterGone, Painters


def test_they_answer_in_turn_and_say_what_went_wrong(capfd: pytest.CaptureFixture[str]) -> None:
    with Painters(1) as painters:
        noise = painters.ask(0, print, "by chance")
        size, wrong = painters.ask(0, film_of, "64x36", 10.0), painters.ask(0, check_target, "film.png", "give")
        several = painters.ask(0, counted, 3)
        assert list(several) == [0, 1, 2]
        assert noise.result() is None and size.result() == FilmFormat((64, 36), 10.0)
        with pytest.raises(InputError, match="npz"):
            wrong.result()
    assert capfd.readouterr().out == ""


def test_what_one_leaves_undone_is_done_here_or_told_of() -> None:
    with Painters(1) as painters:
        first = painters.ask(0, os.getpid).result()
        assert first != os.getpid()
        os.kill(first, signal.SIGKILL)
        here, several = painters.ask(0, os.getpid), painters.ask(0, counted, 3)
        assert here.result() == os.getpid()
        with pytest.raises(PainterGone):
            list(several)


def test_they_end_with_the_block() -> None:
    with pytest.raises(KeyboardInterrupt), Painters(2) as painters:
        running = [painters.ask(k, os.getpid).result() for k in range(2)]
        painters.grow(1)
        assert len(painters) == 2
        raise KeyboardInterrupt
    for process in running:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def counted(count: int) -> Iterator[int]:
    """So many numbers, one by one."""
    yield from range(count)
