"""Statistics may move; what was learnt on them may not."""

import torch
from torch import nn

from lactic.learn.normaliser import Normaliser


def test_a_layer_keeps_its_output_while_the_statistics_move() -> None:
    draw = torch.Generator().manual_seed(0)
    normaliser, layer = Normaliser(4), nn.Linear(8, 3)  # it takes two normalised vectors in a row
    normaliser.update(torch.randn(100, 4, generator=draw))
    x = torch.randn(16, 4, generator=draw)

    def output() -> torch.Tensor:
        seen = normaliser(x)
        return layer(torch.cat([seen, seen], dim=-1))

    before, mean = output(), normaliser.mean.clone()
    for shift in (1.0, 2.0):
        normaliser.update(3.0 * torch.randn(100, 4, generator=draw) + shift, layer)
    assert (normaliser.mean - mean).min() > 0.4
    torch.testing.assert_close(output(), before, atol=1e-5, rtol=1e-5)
    normaliser.update(3.0 * torch.randn(100, 4, generator=draw) - 2.0)
    assert (output() - before).abs().max() > 0.1
