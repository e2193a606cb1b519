"""From a run of MuscleVAE, or of its high-level policy, to a brain of the muscle man, its law and body beside it."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import yaml
from torch import Tensor, nn

from lactic import fatigue as tiring
from lactic.body import muscle_man
from lactic.body.xml import write_xml
from lactic.brain.export import write
from lactic.brain.file import MAN_INPUTS, MAN_OUTPUTS, BrainInfo, CodeInfo
from lactic.brain.law_file import export_law
from lactic.brain.man import man_info
from lactic.errors import InputError
from lactic.files import output_folder, save_arrays, write_whole
from lactic.learn import checkpoint, config
from lactic.learn.export import STARTS, shrink
from lactic.learn.vae.crowd import HEAD
from lactic.learn.vae.muscles import TorchMuscles
from lactic.learn.vae.networks import STEP, Controller
from lactic.learn.vae.reference import ManReference
from lactic.learn.vae.run import clips_of
from lactic.learn.vae.settings import GuideSettings, VaeSettings
from lactic.learn.vae.state import ManState, Skeleton, seen
from lactic.learn.vae.steer import Guide, facing, goal_of
from lactic.motion.man import ManLibrary
from lactic.muscle.man.men import muscle_men

LOW = 1.0
"""Height of the head's joint below which a character counts as fallen, m."""
SLOW = 0.05
"""m/s below which a velocity has no direction, and the character may look where it does."""
WARM_UP, KEPT_STEPS, NEAR = 20, 100, 0.25
"""Control steps that are left out and that are run for states to start from; metres its head may be off the clip's."""


class MuscleBrain(nn.Module):
    """What a host runs in every control step: state, command, fatigue of all muscles and noise in, the action out.

    Without a guide the command is 1 and a motion's next frame (root's place, velocities, quaternions of all bodies), or
    0 and anything: the prior. With one it is a velocity over the floor, in the world.
    """

    def __init__(self, controller: Controller, guide: Guide | None = None):
        super().__init__()
        self.controller, self.guide, self.skeleton = controller, guide, Skeleton()
        self.muscles, self.bodies = TorchMuscles(self.skeleton), self.skeleton.count
        self.speeds = muscle_man().model.nv

    @property
    def command(self) -> int:
        """Size of the command."""
        return 4 + self.speeds + 4 * self.bodies if self.guide is None else 2

    def forward(
        self, qpos: Tensor, qvel: Tensor, xquat: Tensor, command: Tensor, fatigue: Tensor, noise: Tensor
    ) -> Tensor:
        """The mean action for the code that noise makes."""
        state = self.skeleton.sensed(qpos, qvel, xquat, self.muscles.fatigue(fatigue))
        sight = self.controller.sight(seen(self.skeleton, state), state.fatigue)
        mean = self.controller.middle(sight) + self.shift(state, sight, command)
        return self.controller.act(self.controller.intent(sight, mean + self.controller.net.deviation * noise), state)

    def shift(self, state: ManState, sight: Tensor, command: Tensor) -> Tensor:
        """How far the command moves the mean of the prior."""
        if self.guide is not None:
            speed = command.square().sum(-1).sqrt()
            heading = torch.where(speed > SLOW, torch.atan2(command[:, 1], command[:, 0]), facing(state))
            return self.guide(sight, goal_of(state, speed, heading))
        follow, root, speeds, turns = command.split([1, 3, self.speeds, 4 * self.bodies], -1)
        next_frame = self.skeleton.sensed(root, speeds, turns.unflatten(-1, (self.bodies, 4)), state.fatigue)
        return follow * self.controller.shift(sight, self.controller.view(seen(self.skeleton, next_frame).flat()))


def settings_of(run: str | Path) -> VaeSettings | GuideSettings | None:
    """The settings of a run that moves the muscle man; None where the run is another."""
    path = Path(run) / "params.yaml"
    try:
        held = yaml.safe_load(path.read_text()) if path.is_file() else None
    except (yaml.YAMLError, UnicodeDecodeError):
        return None
    if not isinstance(held, dict) or not held.keys() & {"vae", "net"}:
        return None
    kind: type[VaeSettings] | type[GuideSettings] = GuideSettings if "vae" in held else VaeSettings
    return config.from_dict(kind, held, str(path))


def muscle_brain(run: str | Path) -> tuple[MuscleBrain, BrainInfo, VaeSettings]:
    """The brain that a run holds, its description, and the settings of its MuscleVAE."""
    settings = settings_of(run)
    if settings is None:
        raise InputError(f"{run}: no run of a recipe of the muscle man (no such params.yaml)")
    guided = settings if isinstance(settings, GuideSettings) else None
    home = Path(run) if guided is None else _beside(run, guided.vae)
    own = config.read_as(VaeSettings, home / "params.yaml")
    if own.control == "activation":
        raise InputError(f"{home}: its actions are activations, for which there is no law; export a run of lengths")
    parts, values = checkpoint.load(checkpoint.find(home), ("weights",))
    controller = Controller(own.net, TorchMuscles(Skeleton()), own.control)
    checkpoint.fill(controller.state_dict(), checkpoint.below(parts["weights"], "controller"), str(home))
    samples = (int(values["iteration"]) * own.steps + own.kept) * own.worlds
    seconds, guide = float(values["seconds"]), None
    if guided is not None:
        parts, values = checkpoint.load(checkpoint.find(run), ("weights",))
        guide = Guide(controller.size, guided.hidden, own.net.latent)
        checkpoint.fill(guide.state_dict(), checkpoint.below(parts["weights"], "guide"), str(run))
        samples += int(values["iteration"]) * guided.steps * guided.worlds
        seconds += float(values["seconds"])
    brain = MuscleBrain(controller, guide).eval()
    info = man_info(
        settings.name,
        tiring.preset(own.fitness),
        round(1 / STEP),
        command=brain.command,
        asks="motion" if guide is None else "velocity",
        codes=CodeInfo(own.net.latent, own.net.deviation, guide is None),
        samples=samples,
        seconds=round(seconds),
        description=settings.description,
    )
    return brain, info, own


def _beside(run: str | Path, name: str) -> Path:
    """The run of a MuscleVAE as it was named, or the folder of that name beside a run of its high-level policy."""
    for folder in (Path(name), Path(run).resolve().parent / Path(name).name):
        if (folder / "params.yaml").is_file():
            return folder
    raise InputError(f"{run}: needs the run {name} that it was trained on; put it beside")


def example(brain: MuscleBrain, worlds: int = 2) -> tuple[Tensor, ...]:
    """A batch of the right shapes: at rest, fresh."""
    model, count = muscle_man().model, brain.muscles.count
    upright = torch.tensor([1.0, 0.0, 0.0, 0.0]).expand(worlds, brain.bodies, 4).clone()
    return (
        torch.tensor(model.qpos0, dtype=torch.float32).repeat(worlds, 1),
        torch.zeros(worlds, model.nv),
        upright,
        torch.zeros(worlds, brain.command),
        tiring.fresh((worlds, count), torch.zeros(0)),
        torch.zeros(worlds, brain.controller.net.latent),
    )


def export_muscle_run(
    run: str | Path,
    out: str | Path,
    bits: int = 32,
    clips: str | Path | None = None,
    say: Callable[[str], None] = print,
) -> Path:
    """Write brain.onnx, law.onnx, body.xml, params.yaml and, where it stays up, starts.npz of a run into `out`."""
    brain, info, own = muscle_brain(run)
    try:
        starts = own_states(brain, clips_of(own, clips), own)
    except InputError as error:
        starts = None
        say(f"no starts.npz, so it starts in the rest pose: {error}")
    folder = output_folder(out)
    path = folder / "brain.onnx"
    write(brain, example(brain), MAN_INPUTS, MAN_OUTPUTS, info.to_json(), path)
    if bits < 32:
        shrink(path, bits)
    export_law(folder / "law.onnx", tiring.preset(info.fitness))
    write_xml(muscle_man(), folder / "body.xml")
    made = config.to_dict(settings_of(run)) | {"library": Path(own.library).name}
    if "vae" in made:
        made["vae"] = Path(made["vae"]).name
    made["task"] = {"fall": {"bodies": ["head"], "height": LOW}}
    write_whole(folder / "params.yaml", yaml.safe_dump(made, sort_keys=False, allow_unicode=True))
    if starts is not None:
        save_arrays(folder / "starts.npz", {"qpos": starts[0], "qvel": starts[1]})
    return path


@torch.no_grad()
def own_states(brain: MuscleBrain, library: ManLibrary, own: VaeSettings) -> tuple[np.ndarray, np.ndarray]:
    """Follow clips, fresh and without noise, and sample what it does: a brain ships without any frame of a clip."""
    torch.manual_seed(0)
    plain = MuscleBrain(brain.controller)
    reference = ManReference(library, plain.skeleton, plain.muscles)
    men = muscle_men(STARTS, dataclasses.replace(tiring.preset(own.fitness), F=0.0))
    frame = reference.draw(STARTS)
    men.reset(None, reference.qpos[frame].numpy(), reference.qvel[frame].numpy())
    near, seen_states = np.ones(STARTS, bool), []
    for step in range(KEPT_STEPS):
        frame = torch.minimum(frame + 1, reference.last[frame])
        qpos, qvel, xquat, fatigue = (
            torch.tensor(np.array(x), dtype=torch.float32) for x in (men.qpos, men.qvel, men.xquat, men.fatigue)
        )
        state = plain.skeleton.sensed(qpos, qvel, xquat, plain.muscles.fatigue(fatigue))
        sight = plain.controller.sight(seen(plain.skeleton, state), state.fatigue)
        mean = plain.controller.middle(sight)
        mean = mean + plain.controller.shift(sight, plain.controller.view(reference.flat[frame]))
        men.step(plain.controller.act(plain.controller.intent(sight, mean), state).numpy())
        off = np.abs(men.xpos[:, HEAD, 2] - reference.views.height[frame, HEAD].numpy())
        near &= (off < NEAR) & ~men.faulted
        if not near.any():
            break
        if step >= WARM_UP:
            seen_states += [(men.qpos[i].copy(), men.qvel[i].copy()) for i in np.flatnonzero(near)]
    if not seen_states:
        raise InputError("it leaves every clip within a second; train it longer")
    chosen = np.random.default_rng(0).choice(len(seen_states), min(STARTS, len(seen_states)), replace=False)
    found = [np.stack([seen_states[i][k] for i in chosen]).astype(np.float32) for k in (0, 1)]
    return found[0], found[1]
