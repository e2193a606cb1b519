"""Writing a brain as one ONNX file, with the body it moves beside it."""

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path

import torch

from lactic import body as bodies
from lactic.body.xml import write_xml
from lactic.brain.file import INPUTS, BrainInfo
from lactic.brain.module import Brain
from lactic.files import whole_file


def example_inputs(brain: Brain, command: int, worlds: int = 2) -> tuple[torch.Tensor, ...]:
    """A batch of the right shapes: the body at rest, fresh, fatigue off."""
    joints = len(brain.body.joints)
    fatigue = torch.zeros(worlds, joints, 3)
    fatigue[..., 1] = 1.0
    return (
        torch.tensor(brain.body.rest, dtype=torch.float32).repeat(worlds, 1),
        torch.zeros(worlds, brain.body.model.nv),
        torch.zeros(worlds, len(brain.body.bodies), 3),
        torch.zeros(worlds, joints),
        torch.zeros(worlds, command),
        fatigue,
        torch.zeros(worlds, joints, 5),
    )


def export(brain: Brain, info: BrainInfo, path: str | Path) -> None:
    """Write `brain` with its description to `path`, and body.xml beside it; any number of worlds runs in one call."""
    write(brain, example_inputs(brain, info.command), INPUTS, info.outputs, info.to_json(), path)
    body = bodies.get(info.body, pinned=True) if info.pinned else brain.body
    write_xml(body, Path(path).with_name("body.xml"))


def write(
    module: torch.nn.Module,
    inputs: tuple[torch.Tensor, ...],
    input_names: Sequence[str],
    output_names: Sequence[str],
    note: str,
    path: str | Path,
) -> None:
    """Write a module as an ONNX file for any number of worlds, with `note` as its metadata entry `lactic`."""
    import onnx

    worlds = torch.export.Dim("worlds")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            module.eval(),
            inputs,
            input_names=list(input_names),
            output_names=list(output_names),
            dynamic_shapes=tuple({0: worlds} for _ in inputs),
            dynamo=True,
            verbose=False,
            optimize=True,
        )
    assert program is not None
    model = program.model_proto
    used = {name for node in model.graph.node for name in node.input}
    unused = [i for i in model.graph.input if i.name not in used]
    for entry in unused:
        model.graph.input.remove(entry)
    # the exporter notes each node's Python stack; a shipped file says nothing of the machine it was made on
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info, *model.graph.initializer):
        del value.metadata_props[:]
    del model.graph.value_info[:], model.graph.metadata_props[:], model.metadata_props[:]
    onnx.helper.set_model_props(model, {"lactic": note})
    with whole_file(path) as temporary:
        onnx.save(model, str(temporary))
