"""From a checkpoint to a brain: the actor takes the place of the policy, nothing else changes."""

from pathlib import Path

import numpy as np
import torch

from lactic import fatigue as law
from lactic.brain.export import export
from lactic.brain.file import BrainInfo
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.files import output_folder, whole_file, write_whole
from lactic.learn import checkpoint, config
from lactic.learn.checkpoint import line_of, spent
from lactic.learn.config import RunSettings, from_dict
from lactic.learn.networks import Actor
from lactic.task.observe import COMMANDS
from lactic.task.registry import TASKS
from lactic.task.settings import TaskSettings
from lactic.world.cpu import CpuWorld

LARGE = 4096
"""Weights with at least so many numbers may be stored smaller."""
STARTS, WARM_UP, STEPS = 64, 45, 120
"""States kept to start from; control steps: what the first second and a half still owes to the clip is left out."""


def brain_of(folder: str | Path) -> tuple[Brain, BrainInfo]:
    """The brain a checkpoint (or the folder of its run) holds, and its description."""
    values, settings, actor = _actor_of(folder)
    body, observer, line = TASKS[settings.task.kind].own_body(settings.task), actor.observer, line_of(values)
    task, fatigue = settings.task, settings.task.fatigue
    limit = torch.tensor(values["torque_limit"])
    brain = Brain(body, actor.eval(), torque_limit=limit, control_dt=1 / task.control_rate, load=fatigue.load)
    # an expert was made fresh and is played so unless told otherwise
    fitness = law.preset("off" if fatigue.mode == "off" else fatigue.fitness)
    rates = np.asarray(law.rates(fitness, body.groups)).tolist()
    info = BrainInfo(
        name=settings.name,
        body=body.name,
        joints=body.joints,
        control_rate=task.control_rate,
        physics_rate=task.control_rate * task.substeps,
        stiffness=tuple(body.stiffness.tolist()),
        damping=tuple(body.damping.tolist()),
        torque_limit=tuple(limit.tolist()),
        fitness=fitness.name,
        rates=tuple(map(tuple, rates)),
        load=fatigue.load,
        command=observer.command_size,
        description=settings.description,
        asks=observer.kind,
        tires=fatigue.mode,
        samples=round(spent(line)["samples"]),
        seconds=round(spent(line)["seconds"]),
        **observer.about,
    )
    return brain, info


def _actor_of(folder: str | Path) -> tuple[dict, RunSettings, Actor]:
    """Values, settings and policy of a run."""
    parts, values = checkpoint.load(checkpoint.find(folder), ("weights",))
    settings = from_dict(RunSettings, values["settings"], str(folder))
    kind, learn = TASKS[settings.task.kind], settings.learn
    seen = kind.parts(kind.own_body(settings.task), settings.task)
    actor = Actor(*seen, learn.policy, activation=learn.activation, sight=learn.sight)
    actor.load_state_dict(checkpoint.below(parts["weights"], "actor"))
    return values, settings, actor


def export_run(run: str | Path, out: str | Path, bits: int = 32, clips: str | Path | None = None) -> Path:
    """Write brain.onnx, params.yaml, starts.npz and an expert's torques.yaml of a run into `out`; `clips` is the folder
    of a muscle man's library."""
    if bits not in (32, 16, 8):
        raise InputError(f"bits {bits}: a large weight takes 32, 16 or 8")
    from lactic.learn.vae.export import export_muscle_run, settings_of  # which builds on this file

    if settings_of(run) is not None:
        return export_muscle_run(run, out, bits, clips)
    brain, info = brain_of(run)
    values = checkpoint.read_manifest(checkpoint.find(run))["values"]
    settings = from_dict(RunSettings, values["settings"], str(run))
    # first, since it refuses a character that cannot stand: nothing is written then
    moves = TASKS[settings.task.kind].moving_starts
    starts = own_states(brain, values["starts"], settings.task) if moves else None
    folder = output_folder(out)
    path = folder / "brain.onnx"
    export(brain, info, path)
    if bits < 32:
        shrink(path, bits)
    config.write(settings, folder / "params.yaml")
    torques = Path(run) / "torques.yaml"
    if torques.is_file():
        write_whole(folder / torques.name, torques.read_bytes())
    if starts is not None:
        with whole_file(folder / "starts.npz") as temporary:
            np.savez_compressed(temporary, qpos=starts[0].astype(np.float32), qvel=starts[1].astype(np.float32))
    return path


@torch.no_grad()
def own_states(brain: Brain, starts: dict[str, list], task: TaskSettings) -> tuple[np.ndarray, np.ndarray]:
    """Let the character move from `starts`, fresh, and sample what it does: qpos (S, nq) and qvel (S, nv). So a brain
    ships without any frame of a clip."""
    body, joints = brain.body, len(brain.body.joints)
    count = len(starts["qpos"])
    world = CpuWorld(body, count, substeps=task.substeps)
    world.reset(None, np.array(starts["qpos"]), np.array(starts["qvel"]))
    watched = [body.bodies.index(name) for name in task.fall.bodies]
    fatigue = law.fresh((count, joints), torch.zeros(1))
    fitness = torch.tensor([0.0, 0.0, 0.0, 10.0, 0.0]).expand(count, joints, 5)  # motor units answer, nothing tires
    command = torch.zeros(count, COMMANDS[TASKS[task.kind].command_kind].size)
    standing, seen = np.ones(count, bool), []
    for step in range(STEPS):
        senses = (world.qpos, world.qvel, world.xpos, world.torque)
        state = (torch.tensor(np.array(x), dtype=torch.float32) for x in senses)
        out = brain(*state, command, fatigue, fitness)
        fatigue = out.fatigue
        world.drive(*(x.numpy() for x in (out.targets, out.stiffness, out.damping, out.limits)))
        world.step(task.substeps)
        standing &= (world.xpos[:, watched, 2] >= task.fall.height).all(1)
        if step >= WARM_UP:
            seen += [(world.qpos[i].copy(), world.qvel[i].copy()) for i in np.flatnonzero(standing)]
    if not seen:
        raise InputError("the character falls within two seconds of every start: train it longer before exporting it")
    chosen = np.random.default_rng(0).choice(len(seen), min(STARTS, len(seen)), replace=False)
    return np.stack([seen[i][0] for i in chosen]), np.stack([seen[i][1] for i in chosen])


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
