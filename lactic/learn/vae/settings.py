"""What a run of MuscleVAE is made of: typed, one sentence a field, as flags and in YAML like those of other runs."""

from dataclasses import dataclass, field

from lactic.learn.config import AnyRunSettings


@dataclass(frozen=True)
class LossSettings:
    """Weights of what is compared (feng2023 Eq. 13–16; values of the paper's released configuration).

    Differences are summed over bodies or muscles, and those of velocities count for a control step, 1/20 s.
    """

    place: float = 0.2
    """Places of all bodies, as the root sees them."""
    turn: float = 0.1
    """Rotations of all bodies."""
    motion: float = 0.5
    """Velocities of all bodies."""
    spin: float = 0.5
    """Angular velocities of all bodies."""
    height: float = 1.2
    """Heights of all bodies above the floor."""
    up: float = 3.0
    """Where the root sees the world's up."""
    length: float = 0.1
    """Muscle lengths, in rest lengths (Eq. 14, second part)."""
    kl: float = 0.09
    """β of Eq. 13 in the end: how much it costs that the posterior leaves the prior."""
    kl_first: float = 0.009
    """β at the beginning."""
    kl_updates: int = 4000
    """Updates of the controller after which β is whole."""
    active: float = 0.01
    """Activation that the springs ask for, summed over muscles (Eq. 16, L1)."""
    active_square: float = 0.001
    """Squares of that activation, summed over muscles (Eq. 16, L2)."""
    discount: float = 0.95
    """γ: what a step counts against the one before."""


@dataclass(frozen=True)
class WorldLossSettings:
    """Weights of what the world model says against what happened (Eq. 17; the released configuration); means over
    bodies."""

    place: float = 1.0
    """Places of all bodies, in the world."""
    turn: float = 0.5
    """First two axes of all bodies: they differ by about twice the angle, whose weight is 1."""
    motion: float = 4.0
    """Velocities of all bodies, for a control step."""
    spin: float = 4.0
    """Angular velocities of all bodies, for a control step."""
    fatigue: float = 1.0
    """Fatigue state, summed over its parts."""


@dataclass(frozen=True)
class NetSettings:
    """Sizes of the networks (feng2023 B.1)."""

    latent: int = 64
    """Numbers of a latent code z."""
    deviation: float = 0.3
    """Deviation of prior and posterior."""
    noise: float = 0.05
    """Deviation of the policy."""
    experts: int = 6
    """Networks whose weights are blended into the policy."""
    policy: tuple[int, ...] = (512, 512, 512)
    """Hidden layers of an expert."""
    gate: tuple[int, ...] = (64, 64)
    """Hidden layers of what blends them."""
    encoder: tuple[int, ...] = (512, 512)
    """Hidden layers of prior and posterior."""
    world: tuple[int, ...] = (512, 512, 512, 512)
    """Hidden layers of the world model."""


@dataclass(frozen=True)
class StudySettings:
    """How networks learn (feng2023 Alg. 1)."""

    updates: int = 8
    """Updates of each part in an iteration."""
    batch: int = 512
    """Windows in an update."""
    world_window: int = 8
    """Control steps that the world model is trained over."""
    window: int = 24
    """Control steps that posterior, prior and policy are trained over."""
    world_rate: float = 2e-3
    """Learning rate of the world model."""
    rate: float = 1e-5
    """Learning rate of posterior, prior and policy."""
    gradient: float = 1.0
    """Largest norm of a gradient."""
    warm: int = 0
    """Updates of the world model on the first rollouts, before anything else learns."""


@dataclass(frozen=True)
class PaySettings:
    """PPO, where a run learns by reward instead of through the world model."""

    mild: float = 10.0
    """The loss of a frame, KL apart, at which pay has fallen to 1/e of the most."""
    gamma: float = 0.97
    """What pay a control step later counts for."""
    lam: float = 0.95
    """λ of generalised advantages."""
    epochs: int = 4
    """How often a rollout is gone through."""
    minibatches: int = 8
    """Parts of a rollout, one for each step of the optimiser."""
    clip: float = 0.2
    """How far a probability may change before its gain no longer counts."""
    moved: float = 0.02
    """KL of policies before and after an update that the learning rate is geared to."""
    rate: float = 3e-4
    """Highest learning rate; a run begins with a twentieth of it."""
    noise: float = 0.1
    """Deviation of what the policy says: rest lengths, wishes, or shifts of codes."""
    warm: int = 0
    """Rollouts from which the value function alone learns: it is new where a policy was taught by an expert."""
    kl: float = 0.003
    """What it costs that the posterior leaves the prior."""
    value: tuple[int, ...] = (512, 512)
    """Hidden layers of the value function."""
    expert: tuple[int, ...] = (1024, 512, 512)
    """Hidden layers of an expert."""
    model_updates: int = 2
    """Updates of the world model after each rollout; of a pupil too. 0 where no high-level policy learns through it."""


@dataclass(frozen=True)
class VaeSettings(AnyRunSettings):
    """A whole training run of MuscleVAE."""

    name: str = "muscle-vae"
    worlds: int = 2048
    library: str = "man.npz"
    """The library of clips that `lactic library man` made, in the clips folder or by its path."""
    only: tuple[str, ...] = ()
    """Names of the clips that are used, such as '["07_01"]'; nothing means all that are for training."""
    steps: int = 4
    """Control steps of every simulation in an iteration."""
    kept: int = 48
    """Control steps of every simulation that the buffer keeps."""
    by: str = "model"
    """How posterior, prior and policy learn: model, through the world model (Alg. 1), reward, by PPO, or pupil, from an
    expert. expert is a run that makes one, by PPO."""
    teacher: str = ""
    """The run of the expert that a pupil learns from."""
    begin: str = ""
    """Another run of the same networks whose weights it begins with."""
    control: str = "length"
    """What the policy says: length, the target of each muscle's spring, or activation itself (feng2023 Fig. 12), or
    wish, a number for each degree of freedom, of which the springs' targets are made (`wishes.py`)."""
    fitness: str = "feng2023"
    """How fast muscles tire."""
    tires: bool = True
    """Whether episodes begin at random points of a fatigue curve (feng2023 Fig. 15), or fresh."""
    switch: float = 0.01
    """Probability, in a control step, that another clip is to be followed from now on."""
    episode: int = 300
    """Most control steps until a character is placed again."""
    astray: float = 0.5
    """Metres that the height of the head may differ from the clip's before the character is placed again."""
    net: NetSettings = field(default_factory=NetSettings)
    """The networks."""
    study: StudySettings = field(default_factory=StudySettings)
    """How they learn."""
    loss: LossSettings = field(default_factory=LossSettings)
    """What posterior, prior and policy learn."""
    world_loss: WorldLossSettings = field(default_factory=WorldLossSettings)
    """What the world model learns."""
    pay: PaySettings = field(default_factory=PaySettings)
    """PPO, where it learns by reward."""


@dataclass(frozen=True)
class GuideSettings(AnyRunSettings):
    """A whole training run of the high-level policy for speed and heading (feng2023 Alg. 2, Eq. 43–45)."""

    name: str = "muscle-steer"
    worlds: int = 1024
    vae: str = "runs/muscle-vae"
    """The run of MuscleVAE whose prior, policy and world model are used as they are."""
    by: str = "model"
    """How it learns: model, through the world model (Alg. 2), or reward, by PPO in the true simulation, where `pay`,
    `hidden`, `fastest`, `low`, `steps` (such as 16) and `gradient` count alone."""
    hidden: tuple[int, ...] = (256, 256, 256)
    """Hidden layers."""
    batch: int = 512
    """Rollouts in an update."""
    window: int = 16
    """Control steps of a rollout."""
    rate: float = 1e-3
    """Learning rate."""
    heading: float = 2.0
    """Weight of the heading's error, for a radian (Eq. 45)."""
    speed: float = 1.0
    """Weight of the speed's error (Eq. 45)."""
    fastest: float = 3.0
    """Largest speed that is asked for, m/s."""
    fall: float = 10.0
    """Weight of a head that is lower than `low`, for a metre (Eq. 44)."""
    low: float = 1.2
    """Height of the head below which that counts, m; by reward, nobody starts lower."""
    shift: float = 0.1
    """w_z of Eq. 44: what a shift of the prior's mean costs; by reward, `pay.kl` says so."""
    steps: int = 2
    """Control steps of every simulation between updates."""
    updates: int = 8
    """Updates after these steps."""
    gradient: float = 1.0
    """Largest norm of a gradient."""
    pay: PaySettings = field(default_factory=lambda: PaySettings(noise=0.3))
    """PPO, where it learns by reward: its noise takes the place of the prior's, of the same deviation."""
