"""Clips on the muscle man, whose joints are balls and hinges: retargeting, and libraries of them."""

from lactic.motion.man.clips import ManLibrary
from lactic.motion.man.retarget import onto_man

__all__ = ["ManLibrary", "onto_man"]
