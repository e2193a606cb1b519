"""What can be set about a task; each field says what it does in one sentence."""

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
    """Share of episodes that start fresh."""
    keep: float = 0.0
    """Share of episodes that start as tired as the last one of their world ended: in states that motion leads to."""
    start: Literal["uniform", "together"] = "together"
    """How the others start: each joint in a uniformly random state (cheema2023 Alg. 1), or all joints about as
    tired."""
    lame: float = 0.0
    """Share of the tired starts, where together, in which one limb is far more tired than the rest."""

    @property
    def seen(self) -> bool:
        """Whether MF reaches the policy. An expert is blind to it, where cheema2023 shows it random numbers: those
        taught ours to expect noise, and it fell when a body fresh all over showed none."""
        return self.observe and self.mode != "off"


@dataclass(frozen=True)
class HelpSettings:
    """Virtual forces at the root that hold a beginner up and fade as it learns (Yu et al. 2018, Sec. 4)."""

    push: float = 300.0
    """Towards the asked speed: N for each m/s that is missing; 0 for no help."""
    balance: float = 1000.0
    """Towards the lane: N for each metre aside, and a tenth of that for each m/s."""
    upright: float = 500.0
    """Towards an upright pelvis: Nm for each radian, and a tenth of that for each rad/s; not in the paper."""
    largest: float = 200.0
    """N; neither force exceeds this."""
    largest_torque: float = 150.0
    """Nm; nor the torque this."""
    fade: float = 0.75
    """The help is multiplied by this as soon as enough episodes last."""
    standing: float = 0.75
    """Share of the episodes ended of late that must have lasted to their time limit."""
    window: int = 300
    """Control steps, at least, between two fadings: so long are episodes judged."""
    least: float = 0.05
    """Below this share of its first strength help ends for good."""


@dataclass(frozen=True)
class StrideSettings:
    """Walking and running without motion data (jiang2019 Sec. 4.2); weights of Eq. 20 unless said otherwise."""

    limits: Literal["box", "lr", "lrle"] = "lrle"
    """What bounds the legs: box (constants), lr (learned muscle limits R), lrle (R, and learned effort E is paid)."""
    speed: tuple[float, ...] = (1.25, 1.25)
    """Slowest and fastest speed asked for, m/s; each episode draws its own."""
    speed_weight: float = 4.5
    """Of |mean speed − asked speed|, m/s."""
    mean_over: float = 0.5
    """Seconds over which the mean speed forgets; 0 takes the speed of the moment."""
    upright_weight: float = 1.0
    """Of the chest's turning from upright and forward."""
    turning: tuple[float, ...] = (1.0, 1.0, 0.5)
    """Cost of a radian to the side, forward or back, and about the vertical, in that."""
    lateral_weight: float = 3.0
    """Of the distance from the lane, m."""
    alive: float = 9.0
    """Paid in every step."""
    effort_weight: float = 0.4
    """w_e, of the effort: joint torques as shares of their limits or, in lrle, 5·E/15 kN for a leg's five joints."""
    other_effort_weight: float = 0.35
    """At most so much for joints that are not the legs', as in the paper's code."""
    beyond_weight: float = 0.02
    """Of what muscles could not give, Nm a leg (Sec. 3.5.2: helps learning)."""
    gain: float = 0.5
    """Share of the body's stiffness and damping: at full gains a swinging leg's damping alone exceeds its muscles."""
    ankle: float = 1.0
    """Share of the body's stiffness that flexes the ankles. Twice the body's own made a hopper of a walker."""
    astray: float = 0.9
    """Metres from the lane at which an episode fails."""
    tilt: float = 1.2
    """Radians the chest may lean before an episode fails."""
    help: HelpSettings = field(default_factory=HelpSettings)
    """Virtual forces that fade."""


@dataclass(frozen=True)
class SteerSettings:
    """How a kinematic character is followed (bergamin2020, Ch. 5)."""

    filter: float = 0.2
    """β of the moving average that smooths the policy's offsets, once a frame of the reference; 1 does not smooth."""
    state: Literal["errors", "plain", "blind"] = "errors"
    """What the state tells of the kinematic character: differences to it, itself, or nothing."""
    feels: bool = False
    """Whether the policy also sees its own joints and the root's turn. The thesis' joints are where they were sent, and
    six bones tell the rest; ours are springs, and what stretches them tells what they carry."""
    all_joints: bool = False
    """Whether the policy offsets the elbows too, which else only follow the kinematic pose."""
    reach: float = 1.0
    """Radians of offset for an action of 1."""
    lead: float = 1.0
    """Share of the joints' damping that is taken off the kinematic velocity: targets lie lead·(kd/kp)·q̇ ahead of the
    pose. With 0, as in the thesis, our damping holds every swing back, and limbs come a tenth of a second late."""
    stiffness: float = 3.0
    """Times the body's stiffness. The thesis drives its joints by velocity constraints, which follow at once."""
    damping: float = 2.0
    """Times the body's damping; with more, joints at their limits would rattle."""
    position: float = 10.0
    """Sharpness of r_pos, the factor in its exponent."""
    velocity: float = 1.0
    """Sharpness of r_vel."""
    local: float = 10.0
    """Sharpness of r_local."""
    centre: float = 1.0
    """Sharpness of r_cm-vel."""
    terms: tuple[str, ...] = ("position", "velocity", "local", "centre")
    """Which of the four are paid, each the same."""
    rest: float = 1.0
    """How much r_pos and r_local count while the kinematic character stands and is asked to: who rests may find a
    stance of its own, in which its feet are where they came to stand, and its joints carry less."""
    impact: float = 0.0
    """Largest blow in N·s, of random size and direction on a random body, once a second; 8 kg at 5 m/s are 40."""


@dataclass(frozen=True)
class TaskSettings:
    """What the character is asked to do and how long it may try."""

    kind: Literal["imitate", "pace", "ant", "stride", "steer"] = "imitate"
    """imitate: only the clips' style is paid; pace: a velocity over the floor too; ant: walking to a goal, no clip;
    stride: walking or running at a speed, no clip; steer: following a kinematic character, whose streams are the
    clips."""
    body: str = "humanoid"
    """Name of the body."""
    strength: Literal["own", "athlete", "adult", "cheema2023"] = "own"
    """Table of its torque limits; own: the body's, which is an athlete's for people."""
    persons: tuple[str, ...] = ()
    """Bodies side by side in training, such as [humanoid, person-1.60-52], each with its own share of the worlds."""
    clips: dict[str, float] = field(default_factory=dict)
    """Clips to imitate, by name, with the share of time each gets."""
    mirror: bool = False
    """Whether the mirrored clips count as well, with the same share."""
    straighten: bool = False
    """Whether bend is taken off knees that never lose it: CMU's knees are bent too much."""
    start_noise: float = 0.0
    """Radians by which joints start off the clip, and ten times that in rad/s."""
    episode: int = 300
    """Control steps after which an episode ends without failure."""
    control_rate: float = 30.0
    """Decisions a second."""
    substeps: int = 4
    """Physics steps in a control step."""
    command_change: float = 5.0
    """Mean seconds between new commands in mid-episode, where there are commands."""
    style_weight: float = 1.0
    """Weight of the style reward."""
    task_weight: float = 0.0
    """Weight of the task's own reward."""
    exertion_weight: float = 0.0
    """How much giving much of what is left costs: all pay is multiplied by exp(−weight·Σ (TL/RC)²), summed over the
    joints, where the body tires. People stand on straight legs for it, and spare what is tired."""
    pay: Literal["pace", "turns"] = "pace"
    """What the own reward of kind imitate is for: speed over the floor, or turning over as the clip does."""
    centre: Literal["middle", "rest"] = "middle"
    """Pose that action 0 aims at: the middle of the joints' ranges, or standing at rest."""
    fall: FallSettings = field(default_factory=FallSettings)
    """When an episode has failed."""
    fatigue: FatigueSettings = field(default_factory=FatigueSettings)
    """What fatigue does."""
    steer: SteerSettings = field(default_factory=SteerSettings)
    """How a kinematic character is followed, for the kind steer."""
    stride: StrideSettings = field(default_factory=StrideSettings)
    """What kind stride pays and which limits its legs have."""
