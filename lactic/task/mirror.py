"""What policies see and do, seen in the x–z plane's mirror: left becomes right."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from lactic.body import Body
from lactic.body.body import mirrored
from lactic.brain.layout import Layout

VECTOR, SPIN = (1.0, -1.0, 1.0), (-1.0, 1.0, -1.0)
"""Signs of places and velocities, and of turning, which is an axial vector."""

Image = tuple[Sequence[int], Sequence[float]]
"""Of each number of a part: which one it comes from, and with what sign."""


class Mirror(nn.Module):
    """Values seen in a mirror: out[i] = sign[i]·in[source[i]], along the last axis."""

    def __init__(self, source: Sequence[int], sign: Sequence[float]):
        super().__init__()
        self.source: Tensor
        self.sign: Tensor
        self.register_buffer("source", torch.tensor(source, dtype=torch.long), persistent=False)
        self.register_buffer("sign", torch.tensor(sign, dtype=torch.float32), persistent=False)

    def forward(self, values: Tensor) -> Tensor:
        """The mirror image of values (…, size)."""
        return self.sign * values.index_select(-1, self.source)


def signed(*signs: float) -> Image:
    """Numbers that stay where they are."""
    return range(len(signs)), signs


def of_bodies(names: Sequence[str]) -> Image:
    """Places of bodies: those of their mirror images."""
    places = [3 * names.index(mirrored(name)) + axis for name in names for axis in range(3)]
    return places, len(names) * VECTOR


def of_joints(body: Body, even: bool = False) -> Image:
    """Numbers of joints, such as angles; `even` ones, such as MF, have no sign."""
    signs = [1.0] * len(body.joints) if even else body.mirror_sign.tolist()
    return body.mirror.tolist(), signs


def of_pose(body: Body) -> dict[str, Image]:
    """The parts of a pose without its place and heading (`observe.features`)."""
    axes, joints = signed(*VECTOR, *VECTOR), of_joints(body)
    return {
        "height": signed(1.0),
        "axes": axes,
        "velocity": signed(*VECTOR),
        "spin": signed(*SPIN),
        "joints": joints,
        "speeds": joints,
        "keys": of_bodies(body.key_bodies),
    }


def joined(images: Sequence[Image]) -> Image:
    """Parts behind each other, as one."""
    source: list[int] = []
    sign: list[float] = []
    base = 0
    for places, signs in images:
        source += [base + place for place in places]
        sign += signs
        base += len(signs)
    return source, sign


def mirror_of_action(body: Body, layout: Layout) -> Mirror:
    """How an action changes when the whole scene is mirrored: what is asked of joints, and nothing else."""
    others = layout.without("joints").size
    return Mirror(*joined([of_joints(body), signed(*[1.0] * others)]))
