"""What can be set about every task; each field says what it does in one sentence. Needs no torch."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class FallSettings:
    """When an episode has failed."""

    bodies: tuple[str, ...] = ("pelvis", "torso", "head")
    """Bodies whose frame may not sink below `height`."""
    height: float = 0.5
    """Metres above the floor."""
    may_touch: tuple[str, ...] | None = None
    """Bodies that may touch the floor, all others ending the episode; contact is not looked at where this is null."""


@dataclass(frozen=True)
class FatigueSettings:
    """What fatigue does to the body, and what the policy knows of it (cheema2023 Sec. 4.1, 6.1)."""

    mode: Literal["off", "limits", "reward"] = "off"
    """off: full strength, MF not observed (expert); limits: torque bounded by RC·τmax (transfer); reward: full
    strength, tiring only punished (the baseline after Cheema 2020)."""
    fitness: str = "human-30"
    """Preset of the body's rates (`lactic fitness`)."""
    time_spread: float = 1.0
    """Each episode has its own time scale: the preset's times a log-uniform factor of at most this, at least one over
    it."""
    F_spread: float = 1.0
    """The same of F alone."""
    R_spread: float = 1.0
    """The same of R alone."""
    load: Literal["applied", "intended"] = "applied"
    """What the body tires by: the torque it gave, or what the PD formula asks for (cheema2023 Eq. 11)."""
    torque: Literal["body", "expert", "expert_typical"] = "body"
    """Maximal torques: the body's (largest over all skills, Table 4), or the peaks of the expert started from, absolute
    (Eq. 10) or the typical ones (99.9th percentile)."""
    observe: bool = True
    """Whether the policy sees MF; zeros take its place where not."""
    beta: bool = True
    """Whether the policy sets the multiplier β of stiffness and damping; β = 1 where not."""
    reward_weight: float = 1.0
    """Weight of −mean |MA − TL| in mode reward."""
    fresh: float = 0.0
    """Share of episodes that start fresh, but for a lame limb."""
    keep: float = 0.0
    """Share of episodes that start as fatigued as the last one of their world ended: in states that motion leads to."""
    start: Literal["uniform", "together"] = "together"
    """How the others start: each joint in a uniformly random state (cheema2023 Alg. 1), or all joints about as
    fatigued."""
    levels: float = 2.5
    """λ of those, where together: capacity is exponential (tired_actor Eq. 7), so a large λ means deep fatigue."""
    most: float = 0.92
    """The largest MF that they start with."""
    noiseless: float = 0.0
    """How many times the torque that exploration's noise asks for is taken off the load, by squares. Noise shakes the
    whole body, which tires as it would not in play. With 1, walking legs tire as without noise (bench/noise.py)."""
    lame: float = 0.0
    """Share of all but the kept ones, where together, in which one limb is far more fatigued than the rest."""

    @property
    def seen(self) -> bool:
        """Whether MF reaches the policy. An expert is blind to it, where cheema2023 shows it random numbers: those
        taught ours to expect noise, and it fell when a body fresh all over showed none."""
        return self.observe and self.mode != "off"


@dataclass(frozen=True)
class TaskSettings:
    """What every task has: a body, how long it may try, when it has failed, what fatigue does."""

    kind: str = ""
    """Which task: imitate, pace, ant, stride or track."""
    body: str = "humanoid"
    """Name of the body."""
    strength: Literal["own", "athlete", "adult", "cheema2023"] = "own"
    """Table of its torque limits; own: the body's, which is an athlete's for people."""
    persons: tuple[str, ...] = ()
    """Bodies side by side in training, such as [humanoid, person-1.60-52], each with its own share of the worlds."""
    episode: int = 300
    """Control steps after which an episode ends without failure."""
    control_rate: float = 30.0
    """Decisions a second."""
    substeps: int = 4
    """Physics steps in a control step."""
    task_weight: float = 0.0
    """Weight of the task's own reward."""
    exertion_weight: float = 0.0
    """How much giving much of what is left costs: all pay is multiplied by exp(−weight·Σ (TL/RC)²), summed over the
    joints, where the body tires. People stand on straight legs for it, and spare what is fatigued."""
    exertion_power: float = 2.0
    """The power in that sum. With 3 the joints that have least left are spared first; with 2 a body that is tired all
    over costs as much as one spent hip; with 1 even small loads count."""
    fall: FallSettings = field(default_factory=FallSettings)
    """When an episode has failed."""
    fatigue: FatigueSettings = field(default_factory=FatigueSettings)
    """What fatigue does."""


@dataclass(frozen=True)
class PoseSettings(TaskSettings):
    """Of tasks whose policy sees its own pose and says where its joints shall go."""

    centre: Literal["middle", "rest"] = "middle"
    """Pose that action 0 aims at: the middle of the joints' ranges, or standing at rest."""
    start_noise: float = 0.0
    """Radians by which joints and the root's turn start off the reference, and ten times that in rad/s."""
    jolts: float = 0.0
    """Mean seconds between jolts in mid-episode, which change velocities as `start_noise` does at a start, and the
    root's by four times that in m/s; 0: none."""


@dataclass(frozen=True)
class CommandSettings(PoseSettings):
    """Of tasks whose command changes now and then."""

    command_change: float = 5.0
    """Mean seconds between new commands in mid-episode."""
    command_spread: float = 1.0
    """Factor by which they are more or fewer at most, world by world: nobody tires or rests in six seconds."""


@dataclass(frozen=True)
class StyleTaskSettings(PoseSettings):
    """Of tasks that imitate the style of clips."""

    clips: dict[str, float] = field(default_factory=dict)
    """Clips to imitate, by name, with the share of time each gets."""
    mirror: bool = False
    """Whether the mirrored clips count as well, with the same share."""
    straighten: bool = False
    """Whether bend is taken off knees that never lose it: CMU's knees are bent too much."""
    style_weight: float = 1.0
    """Weight of the style reward."""


@dataclass(frozen=True)
class ImitateTaskSettings(StyleTaskSettings):
    """Only the clips' style is paid, and if asked their pace or turns."""

    kind: Literal["imitate"] = "imitate"
    pay: Literal["pace", "turns"] = "pace"
    """What the own reward is for: speed over the floor, or turning over as the clip does."""


@dataclass(frozen=True)
class PaceTaskSettings(StyleTaskSettings, CommandSettings):
    """A velocity over the floor is paid too."""

    kind: Literal["pace"] = "pace"


@dataclass(frozen=True)
class AntTaskSettings(PoseSettings):
    """Walking to a goal, without a clip."""

    kind: Literal["ant"] = "ant"
