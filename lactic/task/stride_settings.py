"""What can be set about walking and running without motion data. Needs no torch."""

import math
from dataclasses import dataclass, field
from typing import Literal

from lactic.task.settings import CommandSettings


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
    speed_half_life: float = -1 / (30 * math.log2(1 - 1 / 16))
    """Seconds (0.36) in which the mean speed forgets half; 0 takes the speed of the moment."""
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
class StrideTaskSettings(CommandSettings):
    """Walking or running at a speed, without a clip."""

    kind: Literal["stride"] = "stride"
    stride: StrideSettings = field(default_factory=StrideSettings)
    """What is paid, and which limits the legs have."""
