"""Device work captured once and replayed: CUDA graphs, with plain execution wherever they cannot be had."""

import sys
from collections.abc import Callable

import torch


class Captured:
    """Calls `work`; on a GPU, from the third call on, by replaying a CUDA graph of it.

    `work` takes and returns nothing, reads and writes only tensors that stay where they are, and never asks the host.
    Two plain calls come first: they load kernels and make the optimiser's state. A capture that fails is reported once,
    and the work goes on without it.
    """

    PLAIN_CALLS = 2

    def __init__(self, work: Callable[[], None], name: str, enabled: bool):
        self.work, self.name, self.enabled = work, name, enabled
        self._calls = 0
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self) -> None:
        """Do the work once."""
        if self.graph is None and self.enabled and self._calls >= self.PLAIN_CALLS:
            self._capture()
        if self.graph is not None:
            self.graph.replay()
        else:
            self.work()
        self._calls += 1

    def _capture(self) -> None:
        try:
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.work()
            self.graph = graph
        except Exception as error:  # whatever it is, training can go on without the graph
            self.enabled = False
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            print(f"warning: no CUDA graph for {self.name}, running it plainly: {reason}", file=sys.stderr, flush=True)
            if torch.cuda.is_available():
                torch.cuda.synchronize()
