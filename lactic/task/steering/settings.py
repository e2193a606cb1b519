"""What can be set about following a kinematic character. Needs no torch."""

from dataclasses import dataclass, field
from typing import Literal

from lactic.brain.file import half_life
from lactic.task.settings import TaskSettings


@dataclass(frozen=True)
class SteerSettings:
    """How a kinematic character is followed (bergamin2020, Ch. 5)."""

    rate: float = 60.0
    """Frames a second of the streams."""
    smoothing: float = half_life(0.2, 60.0)
    """Half-life of the moving average that smooths the policy's offsets, s; 0 does not smooth. The thesis' β of 0.2 a
    frame is 0.052 s."""
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
    """How much r_pos and r_local count while the kinematic character stands and is asked to: a follower that rests may
    find a stance of its own, in which its feet are where they came to stand, and its joints carry less."""
    impact: float = 0.0
    """Largest blow in N·s, of random size and direction on a random body, once a second; 8 kg at 5 m/s are 40."""


@dataclass(frozen=True)
class SteerTaskSettings(TaskSettings):
    """Following a kinematic character."""

    kind: Literal["steer"] = "steer"
    clips: dict[str, float] = field(default_factory=dict)
    """Files of streams to follow, by name."""
    steer: SteerSettings = field(default_factory=SteerSettings)
    """How it is followed."""
