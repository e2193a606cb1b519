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
    F: float = 1.0
    """Rate of tiring, 1/s."""
    R: float = 0.01
    """Rate of recovery, 1/s."""
    r: float = 1.0
    """How many times faster recovery is at rest."""
    L: float = 10.0
    """Rate at which motor units are recruited and released, 1/s."""
    time_scale: float = 1.0
    """Multiplies F, R and L."""
    rule: Literal["held", "rest"] = "held"
    """When r counts: while the load is held, or at rest only."""
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
    """Share of episodes of a transfer that start fresh; the others start in a uniformly random fatigue state."""

    @property
    def seen(self) -> bool:
        """Whether MF reaches the policy. An expert is blind to it, where cheema2023 shows it random numbers: those
        taught ours to expect noise, and it fell when a body fresh all over showed none."""
        return self.observe and self.mode != "off"


@dataclass(frozen=True)
class TaskSettings:
    """What the character is asked to do and how long it may try."""

    kind: Literal["imitate", "heading", "ant"] = "imitate"
    """imitate: only the clips' style is paid; heading: facing a direction too; ant: walking to a goal, no clip."""
    body: str = "humanoid"
    """Name of the body."""
    clips: dict[str, float] = field(default_factory=dict)
    """Clips to imitate, by name, with the share of time each gets."""
    mirror: bool = False
    """Whether the mirrored clips count as well, with the same share."""
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
    fall: FallSettings = field(default_factory=FallSettings)
    """When an episode has failed."""
    fatigue: FatigueSettings = field(default_factory=FatigueSettings)
    """What fatigue does."""
