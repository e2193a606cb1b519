"""The brain that holds the arms of the muscle man, made without training from a params.yaml."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lactic import fatigue as tiring
from lactic.body import muscle_man
from lactic.body.xml import write_xml
from lactic.brain.export import write
from lactic.brain.file import MAN_OUTPUTS, BrainInfo
from lactic.brain.law_file import export_law
from lactic.brain.man import man_info
from lactic.errors import InputError
from lactic.muscle.man.arms import balance, hanging

CONTROL_RATE = 20.0  # feng2023 C.1
KEYS = ("description", "body", "fitness", "programme", "seconds")


class HeldArms(nn.Module):
    """The command is a phase from 0, arms that hang, to 1, arms held out; actions are linear in between."""

    def __init__(self) -> None:
        super().__init__()
        self.low: Tensor
        self.high: Tensor
        self.register_buffer("low", torch.tensor(hanging(), dtype=torch.float32))
        self.register_buffer("high", torch.tensor(balance(), dtype=torch.float32))

    def forward(self, command: Tensor) -> Tensor:
        """The action (world, muscle)."""
        return torch.lerp(self.low, self.high, command.clamp(0.0, 1.0))


def arms_info(params: dict[str, Any], name: str) -> BrainInfo:
    """The description of the brain that `params` asks for."""
    for key in params:
        if key not in KEYS:
            raise InputError(f"{name}/params.yaml: '{key}' is not known; there are: {', '.join(KEYS)}")
    fitness = tiring.preset(str(params.get("fitness", "feng2023-arms")))
    about = str(params.get("description", ""))
    return man_info(name, fitness, CONTROL_RATE, command=1, asks="pose", pinned=True, description=about)


def export_arms(params: dict[str, Any], name: str, path: Path) -> None:
    """Write the brain, and law.onnx and body.xml beside it."""
    info = arms_info(params, name)
    write(HeldArms(), (torch.zeros(2, 1),), ("command",), MAN_OUTPUTS, info.to_json(), path)
    export_law(path.with_name("law.onnx"), tiring.preset(info.fitness))
    write_xml(muscle_man(pinned=True), path.with_name("body.xml"))
