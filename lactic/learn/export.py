"""From a checkpoint to a brain: the actor takes the place of the policy, nothing else changes."""

from pathlib import Path

import numpy as np
import torch

from lactic import fatigue as law
from lactic.brain.export import export
from lactic.brain.file import BrainInfo
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.files import output_folder, whole_file
from lactic.learn import checkpoint, config
from lactic.learn.config import RunSettings, from_dict
from lactic.learn.networks import Actor
from lactic.learn.starts import own_states
from lactic.learn.trainer import TASKS, line_of, spent

LARGE = 4096
"""Weights with at least so many numbers may be stored smaller."""


def brain_of(folder: str | Path) -> tuple[Brain, BrainInfo]:
    """The brain a checkpoint (or the folder of its run) holds, and its description."""
    folder = Path(folder)
    folder = folder if checkpoint.exists(folder) else folder / "checkpoint"
    parts, values = checkpoint.load(folder, ("weights",))
    settings = from_dict(RunSettings, values["settings"], str(folder))
    task, fatigue = settings.task, settings.task.fatigue
    kind = TASKS[task.kind]
    body = kind.own_body(task)
    observer, action = kind.parts(body, task)
    actor = Actor(observer, action, settings.learn.policy, activation=settings.learn.activation)
    actor.load_state_dict({k.removeprefix("actor."): v for k, v in parts["weights"].items() if k.startswith("actor.")})
    limit = torch.tensor(values["torque_limit"])
    brain = Brain(body, actor.eval(), torque_limit=limit, control_dt=1 / task.control_rate, rule=fatigue.rule)
    # an expert was made fresh and is played so unless told otherwise; so is one that is steered, who tires if one likes
    fitness = law.preset("off") if fatigue.mode == "off" or task.kind == "steer" else law.Fitness(
        "cheema2023", fatigue.F, fatigue.R, fatigue.r, fatigue.L, fatigue.time_scale)  # fmt: skip
    rates = np.asarray(law.rates(fitness, body.groups)).tolist()
    info = BrainInfo(
        name=settings.name, body=body.name, joints=body.joints, control_rate=task.control_rate,
        physics_rate=task.control_rate * task.substeps, stiffness=tuple(body.stiffness.tolist()),
        damping=tuple(body.damping.tolist()), torque_limit=tuple(limit.tolist()), fitness=_preset_like(fitness),
        rates=tuple(map(tuple, rates)), rule=fatigue.rule, command=observer.command_size,
        description=settings.description,
        extra={
            **{name: round(of) for name, of in spent(line_of(values)).items()},
            "command": observer.kind, "fatigue": fatigue.mode, **observer.about,
            **{name: values[name] for name in ("rests_below", "until") if values.get(name) is not None}})  # fmt: skip
    return brain, info


def _preset_like(fitness: law.Fitness) -> str:
    """The preset with the same numbers, or else the nearest in kind; the rates are stored beside the name."""
    own = (fitness.F, fitness.R, fitness.r, fitness.L, fitness.time_scale)
    for preset in law.PRESETS.values():
        if preset.joints is None and own == (preset.F, preset.R, preset.r, preset.L, preset.time_scale):
            return preset.name
    return fitness.name


def export_run(run: str | Path, out: str | Path, bits: int = 32) -> Path:
    """Write brain.onnx, params.yaml, starts.npz and an expert's torques.yaml of a run into `out`."""
    if bits not in (32, 16, 8):
        raise InputError(f"--bits {bits}: a large weight takes 32, 16 or 8")
    brain, info = brain_of(run)
    values = checkpoint.read_manifest(Path(run) if checkpoint.exists(run) else Path(run) / "checkpoint")["values"]
    settings = from_dict(RunSettings, values["settings"], str(run))
    # first, since it refuses a character that cannot stand: nothing is written then
    moves = settings.task.clips and settings.task.kind != "steer"  # who follows starts where the other one stands
    starts = own_states(brain, values["starts"], settings.task) if moves else None
    folder = output_folder(out)
    path = folder / "brain.onnx"
    export(brain, info, path)
    if bits < 32:
        shrink(path, bits)
    config.write(settings, folder / "params.yaml")
    torques = Path(run) / "torques.yaml"
    if torques.is_file():
        with whole_file(folder / torques.name) as temporary:
            temporary.write_bytes(torques.read_bytes())
    if starts is not None:
        with whole_file(folder / "starts.npz") as temporary:
            np.savez_compressed(temporary, qpos=starts[0].astype(np.float32), qvel=starts[1].astype(np.float32))
    return path


def shrink(path: str | Path, bits: int) -> None:
    """Store the large weights of an ONNX file in half precision, or as whole numbers of 8 bits with a scale for each
    row; they are what they stood for again when it is loaded."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    graph, grown = model.graph, []
    for weight in list(graph.initializer):
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < LARGE:
            continue
        values, name = numpy_helper.to_array(weight), weight.name
        graph.initializer.remove(weight)
        scale = np.abs(values).max(axis=-1, keepdims=True).clip(1e-30) / 127 if bits == 8 else None
        small = values.astype(np.float16) if scale is None else np.round(values / scale).astype(np.int8)
        graph.initializer.append(numpy_helper.from_array(small, f"{name}_small"))
        cast = name if scale is None else f"{name}_whole"
        grown.append(helper.make_node("Cast", [f"{name}_small"], [cast], to=TensorProto.FLOAT))
        if scale is not None:
            graph.initializer.append(numpy_helper.from_array(scale.astype(np.float32), f"{name}_scale"))
            grown.append(helper.make_node("Mul", [cast, f"{name}_scale"], [name]))
    nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend([*grown, *nodes])
    with whole_file(path) as temporary:
        onnx.save(model, str(temporary))
