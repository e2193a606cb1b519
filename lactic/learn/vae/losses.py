"""What is compared and what it costs (feng2023 Eq. 13–17, 41).

The paper prints squares. Its released configuration belongs to absolute differences, summed over bodies and over
muscles, with those of velocities times a control step; the world model's are means over bodies. So here.
"""

from torch import Tensor

from lactic.learn.vae.settings import LossSettings, WorldLossSettings
from lactic.learn.vae.state import STEP, ManState, ManView, Skeleton


def apart(is_: ManView, should: ManView, weights: LossSettings) -> dict[str, Tensor]:
    """Weighted differences of views, each (…)."""
    return {
        "place": weights.place * (is_.place - should.place).abs().sum((-1, -2)),
        "turn": weights.turn * (is_.axes - should.axes).abs().sum((-1, -2)),
        "motion": STEP * weights.motion * (is_.motion - should.motion).abs().sum((-1, -2)),
        "spin": STEP * weights.spin * (is_.spin - should.spin).abs().sum((-1, -2)),
        "height": weights.height * (is_.height - should.height).abs().sum(-1),
        "up": weights.up * (is_.up - should.up).abs().sum(-1),
    }


def mistaken(skeleton: Skeleton, said: ManState, true: ManState, weights: WorldLossSettings) -> Tensor:
    """How wrong the world model was (Eq. 17), (…)."""
    places = [skeleton.places(state) + state.root[..., None, :] for state in (said, true)]
    motions = [skeleton.motions(state) for state in (said, true)]
    return (
        weights.place * (places[0] - places[1]).abs().sum(-1).mean(-1)
        + weights.turn * (said.turn - true.turn)[..., :2].abs().sum((-1, -2)).mean(-1)
        + STEP * weights.motion * (motions[0] - motions[1]).abs().sum(-1).mean(-1)
        + STEP * weights.spin * (said.spin - true.spin).abs().sum(-1).mean(-1)
        + weights.fatigue * (said.fatigue - true.fatigue).abs().sum(-1)
    )


def divergence(shift: Tensor, deviation: float) -> Tensor:
    """KL of posterior and prior of one deviation, whose means are `shift` apart (Eq. 41), (…)."""
    return shift.square().sum(-1) / (2.0 * deviation**2)


def effort(asked: Tensor, weights: LossSettings) -> Tensor:
    """What the activation that springs ask for costs (Eq. 16), (…)."""
    asked = asked.clamp(0.0, 2.0)
    return weights.active * asked.sum(-1) + weights.active_square * asked.square().sum(-1)


def discounted(step: int, weights: LossSettings) -> float:
    """γ to the power of a step."""
    return weights.discount**step
