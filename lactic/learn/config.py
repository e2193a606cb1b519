"""What a training run is made of: typed, one sentence a field, read from and written to YAML."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml

from lactic import typed
from lactic.errors import InputError
from lactic.files import read_yaml, write_whole
from lactic.task.kinds import chosen
from lactic.task.settings import ImitateTaskSettings, TaskSettings

T = TypeVar("T")


@dataclass(frozen=True)
class StyleSettings:
    """The discriminator of AMP."""

    rate: float = 5e-5
    """Learning rate."""
    gradient_penalty: float = 1.0
    """Weight of the squared slope of the logit at the clip's pairs."""
    logit_weight: float = 0.05
    """Weight of the squared weights of the last layer."""
    weight_decay: float = 1e-4
    """Weight of the squared weights of all layers."""
    batch: int = 8192
    """New, replayed and clip pairs in each minibatch, of each."""
    replay: int = 200_000
    """Earlier pairs remembered."""
    keep: int = 16_384
    """Pairs remembered of each rollout."""
    scale: float = 2.0
    """The style reward is scale·(−log(1 − D))."""
    floor: float = 0.3
    """Least deviation a feature is normalised by: a neck that never moves in the clip would else show the noise of
    exploration as plainly as a fall."""


@dataclass(frozen=True)
class LearnSettings:
    """PPO, and AMP on top of it where the task has clips."""

    horizon: int = 16
    """Control steps of every world in a rollout."""
    epochs: int = 3
    """Passes over a rollout."""
    minibatches: int = 4
    """Parts a pass is cut into."""
    rate: float = 1e-4
    """Learning rate of actor and critic, at most."""
    kl: float = 0.03
    """How far an update may move the policy (KL divergence at its end): the rate falls while it moves further. Little
    noise makes every step a long one: at a deviation of exp(−3.5) half of all ratios were clipped."""
    clip: float = 0.2
    """Clipping of the probability ratio."""
    gamma: float = 0.99
    """Discount a control step."""
    lam: float = 0.95
    """λ of the advantage estimates."""
    log_deviation: float = -2.9
    """Logarithm of the deviation of the action noise."""
    torque_noise: float = 0.0
    """Where above 0, the noise of each joint asks for this share of its fresh strength, and `log_deviation` is that of
    the others alone. One deviation for all asks 8 % of a knee and 3 % of an ankle, which can hold 9 % for ever."""
    clock_noise: float = 0.0
    """Where above 0, the deviation of the action that asks for the pace of a motion which waits. Clocks have inertia:
    what joints explore by does not move them."""
    only: str = ""
    """Name of the one part of the action that learns, such as clock; the others act without noise and stay as they are,
    and so does all of the policy but its last layer. What it then meets is what it will meet in play."""
    learn_deviation: bool = False
    """Whether the deviation is learnt, from there."""
    averaged: float = 0.0
    """Samples over which the policy that is kept is a running mean of the one that learns; 0: what learns is kept.
    Large updates make a policy better on average and worse at times; the mean has only the first."""
    entropy: float = 0.0
    """Weight of the entropy, where the deviation is learnt."""
    value_weight: float = 1.0
    """Weight of the value loss."""
    wait: int = 60
    """Rollouts that the policy of a shipped brain waits for a new value function and discriminator (--from BRAIN)."""
    mirror: float = 0.0
    """Weight of the mirror loss: how far the action for a mirrored observation is from the mirrored action."""
    action_bound: float = 1.5
    """Mean actions beyond this cost."""
    bound_weight: float = 10.0
    """Weight of that cost."""
    gradient_norm: float = 1.0
    """Largest norm of a gradient."""
    policy: tuple[int, ...] = (1024, 512)
    """Hidden layers of the policy."""
    value: tuple[int, ...] = (1024, 512)
    """Hidden layers of the value function."""
    discriminator: tuple[int, ...] = (1024, 512)
    """Hidden layers of the discriminator."""
    activation: Literal["relu", "tanh"] = "relu"
    """Between the layers of policy and value function."""
    sight: float = 5.0
    """Deviations from its mean at which an observation is cut off. In a library of quiet motions fast ones lie far out:
    a flip spins at 16 deviations."""
    precision: Literal["fp32", "tf32", "bf16"] = "tf32"
    """Arithmetic of large products on a GPU."""
    style: StyleSettings = field(default_factory=StyleSettings)
    """The discriminator."""


@dataclass(frozen=True)
class AnyRunSettings:
    """What every training run has, of whatever kind."""

    name: str = "run"
    """What the skill is called."""
    description: str = ""
    """One line for people who look for a character."""
    worlds: int = 8192
    """Simulations side by side."""
    seed: int = 0
    """Of all random numbers."""
    device: str = "auto"
    """cuda, cpu (CpuWorld, bitwise reproducible), warp-cpu (the GPU code on Warp's CPU device), or auto."""
    graphs: bool = True
    """Whether to replay CUDA graphs on a GPU."""
    save_every: float = 120.0
    """Seconds between checkpoints."""


@dataclass(frozen=True)
class RunSettings(AnyRunSettings):
    """A whole training run."""

    task: TaskSettings = field(default_factory=ImitateTaskSettings)
    """What is asked."""
    learn: LearnSettings = field(default_factory=LearnSettings)
    """How it is learnt."""
    transfer: dict[str, Any] = field(default_factory=dict)
    """What the second stage changes, by place, such as {task.episode: 1000}."""
    programme: tuple[tuple[float, ...], ...] = ()
    """What `lactic play` asks of the character: seconds and the command that begins then, such as a direction."""


def from_dict(kind: type[T], values: Any, source: str) -> T:
    """Build settings from plain values; what does not fit is named by its place in `source`."""
    return typed.from_dict(kind, values, source, choose=lambda k, v: chosen(v, source) if k is TaskSettings else (k, v))


def to_dict(settings: Any) -> Any:
    """Plain values, in the order of the fields, for YAML."""
    if dataclasses.is_dataclass(settings):
        return {f.name: to_dict(getattr(settings, f.name)) for f in dataclasses.fields(settings)}
    return [to_dict(x) for x in settings] if isinstance(settings, tuple) else settings


def changed(settings: T, changes: Mapping[str, Any], source: str = "settings") -> T:
    """The settings with some replaced, by place: {"task.episode": 1000}; a group changes what it names alone."""
    if (
        isinstance(settings, RunSettings) and "task.kind" in changes
    ):  # another task has other settings: those that both have stay
        kind, _ = chosen({"kind": changes["task.kind"]}, source)
        names = {entry.name for entry in dataclasses.fields(kind)} - {"kind"}
        shared: dict[str, Any] = {k: v for k, v in vars(settings.task).items() if k in names}
        settings = dataclasses.replace(settings, task=kind(**shared))
    values: dict[str, Any] = to_dict(settings)
    for name, value in _single(settings, changes, source):
        *path, last = name.split(".")
        place = values
        for part in path:
            place = place[part]
        place[last] = value
    return from_dict(type(settings), values, source)


def _single(settings: Any, changes: Mapping[str, Any], source: str, place: str = "") -> Iterator[tuple[str, Any]]:
    """Changes of single settings by their whole place, those of groups taken apart."""
    for name, value in changes.items():
        held = settings
        for part in str(name).split("."):
            if not dataclasses.is_dataclass(held) or not hasattr(held, part):
                raise InputError(f"{source}: there is no setting '{place}{name}'")
            held = getattr(held, part)
        if dataclasses.is_dataclass(held) and isinstance(value, Mapping):
            yield from _single(held, value, source, f"{place}{name}.")
        else:
            yield f"{place}{name}", value


def read(path: str | Path) -> RunSettings:
    """Settings of a YAML file, or of a shipped recipe by name."""
    path = recipe(str(path)) if not Path(path).suffix and not Path(path).exists() else Path(path)
    return read_as(RunSettings, path)


def read_as(kind: type[T], path: Path) -> T:
    """Settings of one kind from a YAML file."""
    values = read_yaml(path)
    return from_dict(kind, {} if values is None else values, str(path))


def write(settings: Any, path: str | Path) -> None:
    """Write all settings of a run and its task, defaults included, as YAML."""
    write_whole(path, yaml.safe_dump(to_dict(settings), sort_keys=False, allow_unicode=True))


def recipes() -> list[str]:
    """Names of the shipped recipes."""
    return sorted(path.stem for path in (Path(__file__).parent / "recipes").glob("*.yaml"))


def recipe(name: str) -> Path:
    """The file of a shipped recipe."""
    if name not in recipes():
        raise InputError(f"no recipe '{name}' and no such file; recipes: {', '.join(recipes())}")
    return Path(__file__).parent / "recipes" / f"{name}.yaml"
