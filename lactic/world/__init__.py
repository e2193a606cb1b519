"""Many simulations of one body behind one small interface.

`CpuWorld` needs MuJoCo only. `WarpWorld` needs torch, Warp and mujoco_warp, and is imported from `lactic.world.gpu` so
that playing a character never loads them.
"""

from lactic.world.cpu import CpuWorld
from lactic.world.interface import World

__all__ = ["CpuWorld", "World"]
