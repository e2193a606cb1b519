"""What every picture shares: the colours of tiredness, the backdrop, letters and the legend."""

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from lactic import rotation
from lactic.picture.figure import Shapes

# in linear light: bone when all strength is left, saturated pink when none is (cheema2023 Fig. 19)
FRESH = np.array([0.88, 0.76, 0.62])
EXHAUSTED = np.array([0.72, 0.008, 0.10])
PAPER = np.array([0.955, 0.950, 0.940])
INK, FAINT = (52, 50, 54), (128, 124, 128)
LEGEND = "strength left", "100 %", "0 %"
"""What every legend of these colours says: the name of the scale, and its two ends."""


def tinted(tint: np.ndarray) -> np.ndarray:
    """Colour in linear light (…,3) of a fraction of lost strength (…,): 0 fresh, 1 exhausted."""
    share = np.clip(np.nan_to_num(np.asarray(tint, float), nan=1.0), 0, 1)[..., None]
    return FRESH * (1 - share) + EXHAUSTED * share


def coloured(shapes: Shapes, tint: np.ndarray | None) -> np.ndarray:
    """Colours (n,3) of shapes whose bodies have lost the given fractions of strength; fresh without."""
    return np.tile(FRESH, (len(shapes.body), 1)) if tint is None else tinted(tint)[shapes.body]


def heading(qpos: np.ndarray) -> float:
    """Direction the root of a pose faces, in radians from +x; 0 without a root that moves."""
    if len(qpos) < 7:
        return 0.0
    return float(rotation.heading(np.asarray(qpos[3:7])))


def backdrop(height: int, width: int, ground: float) -> np.ndarray:
    """An empty studio (H,W,3): paper, a touch darker below the row `ground`, where the floor is."""
    below = np.clip((np.arange(height) - ground) / height + 0.12, 0, 0.4)
    rows = PAPER * (1 - 0.10 * np.sqrt(below / 0.4))[:, None]
    return np.repeat(rows[:, None], width, axis=1).astype(np.float32)


def encoded(canvas: np.ndarray) -> np.ndarray:
    """Linear light to 8-bit sRGB."""
    from lactic.picture import light  # which compiles: who only asks for a picture need not

    table = _srgb()
    if light.COMPILED:
        linear = np.ascontiguousarray(canvas, np.float32)
        codes = np.empty(linear.shape, np.uint8)
        light.encode(linear, table, codes)
        return codes
    level = canvas * np.float32(len(table) - 1) + np.float32(0.5)
    return table[np.clip(level, 0, len(table) - 1, out=level).astype(np.uint16)]


@cache
def _srgb() -> np.ndarray:
    """sRGB of light from 0 to 1, in steps fine enough for its dark end."""
    light = np.linspace(0, 1, 16384)
    display = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * display).astype(np.uint8)


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own typeface at a size in pixels."""
    return ImageFont.load_default(size)


def clock(times: np.ndarray, frame: float) -> list[str]:
    """Moments as people write them: as few decimals as tell them apart to within a frame of so many seconds."""
    allowed = 1.01 * min(frame, 0.04)
    digits = next((d for d in (0, 1) if np.abs(np.round(times, d) - times).max() <= allowed), 2)
    return [f"{time:.{digits}f} s" for time in times]


def draw_legend(image: Image.Image, right: int, middle: int, size: int, words: tuple[str, str, str] = LEGEND) -> None:
    """The colour scale, ending at the pixel column `right` and centred on the row `middle`."""
    draw, letters = ImageDraw.Draw(image), font(size)
    bar = 7 * size
    name, full, end = words
    left = right - round(draw.textlength(end, letters)) - size // 2 - bar
    ramp = encoded(tinted(np.linspace(0, 1, bar))[None].repeat(round(0.7 * size), 0))
    image.paste(Image.fromarray(ramp), (left, middle - ramp.shape[0] // 2))
    draw.text((right, middle), end, FAINT, letters, anchor="rm")
    draw.text((left - size // 2, middle), f"{name}  {full}", FAINT, letters, anchor="rm")
