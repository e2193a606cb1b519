"""How a film is made, as people ask for it."""

from dataclasses import dataclass

from lactic.errors import InputError

LEAST, MOST = 16, 4096  # pixels of a side


@dataclass(frozen=True)
class FilmFormat:
    """A film's size and rate."""

    size: tuple[int, int] = (1280, 720)
    """Width and height in pixels, even numbers."""
    rate: float = 30.0
    """Frames a second."""


def film_of(size: str, rate: float) -> FilmFormat:
    """From what people type: a size such as 1280x720, and frames a second."""
    width, _, height = size.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise InputError(f"film size {size}: give width and height in pixels, such as 1280x720")
    sides = int(width), int(height)
    if any(side % 2 or not LEAST <= side <= MOST for side in sides):
        raise InputError(f"film size {size}: each side must be an even number from {LEAST} to {MOST}")
    if not 1 <= rate <= 120:
        raise InputError(f"film fps {rate:g}: must be from 1 to 120")
    return FilmFormat(sides, rate)
