"""Clips: reading, writing, resampling, mirroring, looping, and retargeting to a body and back. NumPy only."""

from lactic.motion.body_clip import BodyClip
from lactic.motion.clip import Clip
from lactic.motion.onto import onto
from lactic.motion.read import read
from lactic.motion.residual import Residual
from lactic.motion.retarget import retarget

__all__ = ["BodyClip", "Clip", "Residual", "onto", "read", "retarget"]
