"""A clip of one's own, retargeted to the body, that moves beside the simulation."""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lactic.body import Body, humanoid
from lactic.errors import InputError
from lactic.motion import BodyClip, read, retarget

LONGEST = 120.0
"""Seconds of a clip that are shown."""
LARGEST = 50 * 2**20
"""Bytes of a file that are read."""


@dataclass(frozen=True)
class Guest:
    """The clip's poses on the body, at the stage's rate."""

    clip: BodyClip
    xpos: np.ndarray
    """(frame, body, 3), starting at the origin of the floor."""
    xquat: np.ndarray
    about: str
    """How long it is and how well it fits, in words."""

    def frame(self, second: float) -> int:
        """The frame at a second of the stage's clock; the clip starts again when it ends."""
        return round(second * self.clip.fps) % len(self.xpos)


def invite(name: str, content: bytes, body: Body, fps: float) -> Guest:
    """Read the contents of a motion file called `name` and retarget it."""
    if len(content) > LARGEST:
        raise InputError(f"{name}: {len(content) / 2**20:.0f} MB; files up to {LARGEST / 2**20:.0f} MB are read")
    if body.joints != humanoid().joints:
        raise InputError(f"{name}: clips can only be shown on the humanoid and on persons, not on the {body.name}")
    shown = Path(name).name or "clip"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"clip{Path(shown).suffix[:8]}"
        path.write_bytes(content)
        try:
            source = read(path)
            clip, residual = retarget(source, body, fps=fps, close=source.cyclic)
        except InputError as error:  # says the temporary file's name, which means nothing to anybody
            raise InputError(str(error).replace(str(path), shown)) from error
        except Exception as error:
            raise InputError(f"{shown}: cannot be read as a motion ({type(error).__name__})") from error
    whole = clip.seconds
    clip = replace(clip.cut(0.0, LONGEST) if whole > LONGEST else clip, name=shown)
    xpos, xquat = clip.positions()
    xpos = xpos - xpos[0, 0] * [1, 1, 0]
    about = (
        f"{shown}: {whole:.1f} s"
        + (f" (the first {LONGEST:.0f} s shown)" if whole > LONGEST else "")
        + f"; limbs point {np.degrees(residual.direction_mean):.1f}° off the clip's on average, "
        f"at worst {np.degrees(residual.direction_max):.0f}° ({residual.worst})"
    )
    return Guest(clip, xpos, xquat, about)
