"""The largest torques a skill asks for, joint by joint (cheema2023 Eq. 10)."""

import torch
from torch import Tensor, nn

from lactic.body import Body

SHARE = 0.999
MEMORY = 0.8
"""How much of the typical peak is kept from look to look; the rest is the newest rollout's."""


class Peaks(nn.Module):
    """Running maximum of |intended torque| and, since one outlier sets that for ever, the 99.9th percentile of late."""

    def __init__(self, body: Body):
        super().__init__()
        joints = len(body.joints)
        self.highest: Tensor
        self.typical: Tensor
        self.mirror: Tensor
        self.register_buffer("highest", torch.zeros(joints))
        self.register_buffer("typical", torch.zeros(joints))
        self.register_buffer("mirror", torch.tensor(body.mirror), persistent=False)

    @torch.no_grad()
    def update(self, intent: Tensor, look: bool = True) -> None:
        """Take intended torques (…, joint) into account; the percentile is only found where `look`."""
        size = intent.abs().reshape(-1, intent.shape[-1])
        self.highest.copy_(torch.maximum(self.highest, size.amax(0)))
        if look:
            rank = min(int(SHARE * len(size)), len(size) - 1)
            peak = size.sort(dim=0).values[rank]
            known = self.typical > 0
            self.typical.copy_(torch.where(known, MEMORY * self.typical + (1 - MEMORY) * peak, peak))

    def symmetric(self, typical: bool = False) -> Tensor:
        """The peaks with left and right alike: the smaller of the two, against outliers (cheema2023 Sec. 4.1)."""
        peaks = self.typical if typical else self.highest
        return torch.minimum(peaks, peaks[self.mirror])
