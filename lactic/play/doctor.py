"""`lactic doctor`: what works on this machine, and what to do about what does not."""

import importlib.metadata
import importlib.util
import platform
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from lactic import __version__
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.picture.video import INSTALL, encoder


def examine() -> Iterator[str]:
    """One line for each thing looked at."""
    yield f"Lactic {__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    for package in ("mujoco", "onnxruntime", "numpy"):
        yield f"{package} {importlib.metadata.version(package)}"
    yield _said("simulation", _simulate)
    for name in catalogue.names():
        yield _said(f"brain {name}", partial(_think, name))
    yield f"film.mp4: encoder {encoder()}" if encoder() else INSTALL
    if importlib.util.find_spec("torch") and importlib.util.find_spec("mujoco_warp"):
        yield _said("training", _train)
    else:
        yield "training: not installed; run `pip install 'lactic[train]'`"


def _said(what: str, look: Callable[[], str]) -> str:
    try:
        return f"{what}: {look()}"
    except (InputError, RuntimeError, ImportError, OSError) as error:
        return f"{what}: FAILED ({str(error).splitlines()[0]})"


def _simulate() -> str:
    from lactic import body
    from lactic.world.cpu import CpuWorld

    world = CpuWorld(body.humanoid(), count=2)
    world.step(4)
    if not np.isfinite(world.qpos).all() or world.faults:
        raise RuntimeError("a standing body blew up")
    return "works"


def _think(name: str) -> str:
    from lactic.play.man import MusclePlayer
    from lactic.play.player import Player

    brain = catalogue.find(name).load()
    player = MusclePlayer(brain) if brain.info.moves_muscles else Player(brain)
    player.step(np.zeros(player.info.command))
    return "works"


def _train() -> str:
    import torch
    import warp

    warp.config.log_level = warp.LOG_ERROR
    devices = ", ".join(d.name for d in warp.get_cuda_devices()) or "no GPU (Warp's CPU device serves tests)"
    return f"torch {torch.__version__}, mujoco-warp {importlib.metadata.version('mujoco-warp')}, {devices}"
