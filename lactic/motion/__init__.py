"""Clips: reading, writing, resampling, mirroring, looping, and retargeting to a body. NumPy only."""

from lactic.motion.amass import read_amass
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh import read_bvh
from lactic.motion.bvh_write import write_bvh, write_recording
from lactic.motion.clip import Clip, concatenate
from lactic.motion.deepmimic import read_deepmimic
from lactic.motion.poselib import read_poselib
from lactic.motion.read import read
from lactic.motion.retarget import Residual, retarget

__all__ = [
    "BodyClip",
    "Clip",
    "Residual",
    "concatenate",
    "read",
    "read_amass",
    "read_bvh",
    "read_deepmimic",
    "read_poselib",
    "retarget",
    "write_bvh",
    "write_recording",
]
