"""What can be set about following the motions of a library. Needs no torch."""

from dataclasses import dataclass, field
from typing import Literal

from lactic.errors import InputError
from lactic.task.settings import TaskSettings

Targets = Literal["all", "root", "ends"]
WHOLE: Targets = "all"
"""Whole poses are told."""
WAITING = ("fallen", "long", "far", "slack", "weary", "loss_cost")
"""Names of settings that mean something only where motions wait; a loss may also cost where they are led."""


@dataclass(frozen=True)
class TrackSettings:
    """How a motion is followed (tired_actor, Sec. 3)."""

    later: tuple[int, ...] = (4, 12)
    """Frames ahead that are seen beside the next one."""
    targets: Targets = WHOLE
    """What is told of a motion: whole poses, or at the frames `later` alone the places of the root, or of the root, the
    hands and the feet. Students of a follower of whole poses learn the latter (`lactic distil RUN --targets root`)."""
    held: bool = False
    """Whether such places stay until their time has come, as tired_actor's long-term targets do, and do not move on
    with the motion."""
    reach: float = 0.5
    """Radians off the reference's next pose for an action of 1."""
    ask: float = 0.0
    """Share of its fresh strength that an action of 1 asks every joint for at least: joints whose `reach` asks for less
    reach further. A reach of 0.5 rad is a quarter of an ankle's strength and half of a knee's."""
    lead: float = 1.0
    """Share of the joints' damping that is taken off the reference's velocity: targets lie lead·(kd/kp)·q̇ ahead."""
    position: float = 60.0
    """Sharpness of the pay for the bodies' positions, 1/m²."""
    rotation: float = 8.0
    """Sharpness of the pay for their rotations, 1/rad²."""
    velocity: float = 1.0
    """Sharpness of the pay for the root's velocity, s²/m²."""
    speeds: float = 0.03
    """Sharpness of the pay for the joints' speeds, s²/rad²."""
    power_weight: float = 0.0
    """Cost of a kilowatt of joint power, all joints together."""
    torque_weight: float = 0.0
    """Cost of giving all of the strength of all joints: the mean square of the torques over the fresh limits counts.
    Without fatigue, a baseline of tired_actor's reviewers."""
    fatigue_weight: float = 0.01
    """Cost of MF, the mean of all joints; tired_actor prints it with the other sign."""
    lost: float = 0.4
    """Metres of mean body error at which an episode has failed; success is judged at 0.5 m."""
    slack: float = 0.0
    """The same where motions wait; 0 for `lost`. A body that rests beside a runner's paused pose is 0.3 m off it."""
    loose: float = 1.0
    """How many times as softly positions and rotations are paid where motions wait, so that a body may leave the clip's
    places by some centimetres for a gait that costs less."""
    forgiven: float = 0.0
    """Share of what the same torques would cost a fresh body that exertion does not cost: with 1 only what fatigue adds
    costs, and exertion gives a fresh body no reason to slow down."""
    waits: bool = False
    """Whether the policy sets how fast the reference's clock runs, and the reference is carried along with a body that
    falls behind. A slower reference is a smaller one too, and a stopped one stands. Strict following, as in
    tired_actor, where not."""
    led: bool = False
    """Whether the reference is carried along with the body on its `leash` although its clock does not wait: as what a
    leader does that is steered, and that a host carries along."""
    strict: float = 0.0
    """Share of the worlds in which the reference waits for nobody although others wait, so that a policy stays good at
    both."""
    heeds: bool = False
    """Whether the policy is told if its motion waits, so that it saves strength there and follows closely elsewhere."""
    far: float = 0.0
    """γ where motions wait; 0 for that of the others. What runs out in half a minute is not seen by one of 0.98."""
    long: float = 0.0
    """Share of the episodes, where motions wait, that follow motions which were repeated for `task.repeat` seconds."""
    weary: float = 0.0
    """Share of the episodes that would start fresh, where motions wait, which start as fatigued as the last one of
    their world ended instead."""
    loss_cost: float = 0.0
    """Seconds of full pay that losing a motion costs which waits or is led. Without it, a stop pays only if a fall is
    near: with γ 0.995 and a clock_weight of 0.7, nearer than three seconds, when the legs no longer hold."""
    drag_cost: float = 0.0
    """Share of all pay that is lost for each m/s by which a reference is carried along that is led. Without it, a
    follower that lags on its leash is paid nearly as much as one that keeps its leader's pace, and falls less."""
    fastest: float = 1.2
    """How fast the clock may run."""
    clock_reach: float = 0.4
    """How much an action of 1 changes the clock, which is 1 at an action of 0. Mean actions beyond `learn.action_bound`
    cost: with 0.4 and a bound of 1.5 no policy learns to stop its motion."""
    clock_weight: float = 0.7
    """Share of all pay that a stopped clock takes away, w: pay for following is multiplied by 1 − w·|1 − clock|. As a
    part of its own, standing before a paused motion paid as much as following it well; with the square of 1 − clock, a
    clock of 0.92 cost nothing, and the policy kept to that."""
    clock_spared: float = 0.0
    """Power of the least strength left in any joint by which `clock_weight` is multiplied: above 0 a slow clock costs a
    fresh body most, and one with a spent joint next to nothing. 0 for the same cost always."""
    leash: float = 0.3
    """Metres over the floor that the reference may be from the body before it is carried along, where it is."""
    fallen: float = 0.0
    """Share of the episodes that start lying on the floor, led up by motions that rise from it: those of a rises.npz in
    the folder of clips, or else the library's. Needs a reference that waits."""
    rises: float = 6.0
    """Seconds in which it must have got up."""
    astray: float = 0.6
    """Metres of mean body error at which getting up has failed; wide, since on the floor a body finds its own way."""
    even: float = 0.1
    """Share of the starts that is even over all seconds of the library; the others go where it fails."""
    most: float = 0.0
    """How many times as often as at even odds a second is led to, at most; 0 for no limit. A second that nobody can
    follow would else draw more starts than any other, for ever."""
    hopeless: float = 0.0
    """How much less often, up to 1, seconds are led to that are lost every time: starts go by p·(1 − hopeless·p), where
    p is the share of tries that fail. What nobody can follow teaches little; what fails now and then can be mended."""
    run_up: float = 4.0
    """Seconds ahead of such a second that an episode starts, at most."""


@dataclass(frozen=True)
class TrackTaskSettings(TaskSettings):
    """Following any motion of a library."""

    kind: Literal["track"] = "track"
    task_weight: float = 1.0
    """Weight of the task's own reward."""
    style_weight: float = 0.0
    """Weight of the style reward: above 0 a discriminator pays for what looks like the library's motions. tired_actor
    has 0.5 of each (Sec. 3.1)."""
    library: str = "library"
    """Name of the library's file in the folder of clips, without its ending."""
    split: str = "train"
    """Parts of the library that are followed, with commas between them; all for the whole of it."""
    many: int = 0
    """How many of its motions are followed, evenly chosen (tired_actor Table 4); 0 for all."""
    repeat: float = 40.0
    """Seconds that motions which travel are repeated for, for `track.long`: a body tires in half a minute, and most
    clips last five seconds."""
    mirror: bool = False
    """Whether the mirror images of its motions are followed as well, as often."""
    track: TrackSettings = field(default_factory=TrackSettings)
    """How a motion is followed."""


def check(track: TrackSettings) -> None:
    """Refuse what means nothing without a reference that waits, or is led."""
    for name in WAITING:
        if getattr(track, name) and not (track.waits or (name == "loss_cost" and track.led)):
            raise InputError(f"task.track.{name}: needs a reference that waits; set task.track.waits")
    if track.drag_cost and not track.led:
        raise InputError("task.track.drag_cost: needs a reference that is led; set task.track.led")
