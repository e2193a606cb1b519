"""What mujoco_warp's solver costs by its settings, measured in turns in one run, and how much they change the motion.

    python bench/solver.py [--device cuda] [--worlds 16384] [--seconds 20] [--only "6 iterations" …]

`apart` is the mean distance of the joints, in rad, from where the first row's settings put them after half a second of
the same random targets.
"""

import argparse
import copy
import sys
from pathlib import Path

import mujoco
import mujoco_warp as mjw
import torch
import warp as wp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed
sys.path.insert(0, str(Path(__file__).resolve().parent))

from worlds import EPISODE, SUBSTEPS, Contender, measure

from lactic.body import humanoid
from lactic.world.models import buffer_sizes

SOON = 15
"""Control steps after which motions are compared."""
VARIANTS: dict[str, dict[str, object]] = {
    "as it is": {},
    "8 iterations": {"iterations": 8},
    "6 iterations": {"iterations": 6},
    "4 iterations": {"iterations": 4},
    "10 line search iterations": {"ls_iterations": 10},
    "tolerance 1e-5": {"tolerance": 1e-5},
    "tolerance 1e-4": {"tolerance": 1e-4},
    "no qacc_smooth": {"run_qacc_smooth": False},
    "no conditional graph": {"graph_conditional": False},
    "two thirds of the rows": {"rows": 96},
    "dense Jacobians": {"jacobian": mujoco.mjtJacobian.mjJAC_DENSE},
    "4 iterations, tolerance 1e-4, no qacc_smooth": {"iterations": 4, "tolerance": 1e-4, "run_qacc_smooth": False},
}


class Bare:
    """Bare physics of humanoids under settings of the solver."""

    def __init__(self, name: str, changes: dict[str, object], targets: torch.Tensor, device: str):
        model, worlds = copy.copy(humanoid().model), targets.shape[1]
        model.opt.jacobian = changes.get("jacobian", model.opt.jacobian)
        nconmax, njmax = buffer_sizes(model)
        self.device, self.targets = device, targets
        with wp.ScopedDevice(device):
            self.m = mjw.put_model(model)
            self.m.opt.warn_overflow = False
            for key, value in changes.items():
                if key == "tolerance":
                    wp.to_torch(self.m.opt.tolerance).fill_(value)
                elif key not in ("rows", "jacobian"):
                    setattr(self.m.opt, key, value)
            rows = int(changes.get("rows", njmax))  # type: ignore[call-overload]
            self.d = mjw.make_data(model, nworld=worlds, nconmax=nconmax, njmax=rows)
            mjw.step(self.m, self.d)
            self.graph = None
            if device.startswith("cuda"):
                with wp.ScopedCapture() as capture:
                    self._advance()
                self.graph = capture.graph
        view = wp.to_torch
        self.ctrl, self.qpos, self.qvel, self.warm = map(
            view, (self.d.ctrl, self.d.qpos, self.d.qvel, self.d.qacc_warmstart)
        )
        self.rest = torch.tensor(model.qpos0, dtype=torch.float32, device=self.qpos.device)
        self.contender = Contender(f"bare {name}" if name == "as it is" else name, self.start, self.step)

    def _advance(self) -> None:
        for _ in range(SUBSTEPS):
            mjw.step(self.m, self.d)

    def start(self) -> None:
        """Stand at rest."""
        self.qpos.copy_(self.rest)
        self.qvel.zero_()
        self.warm.zero_()

    def step(self, i: int) -> None:
        """One control step."""
        self.ctrl.copy_(self.targets[i])
        with wp.ScopedDevice(self.device):
            if self.graph is None:
                self._advance()
            else:
                wp.capture_launch(self.graph)

    def soon(self) -> torch.Tensor:
        """Joint angles after half a second."""
        self.start()
        for i in range(SOON):
            self.step(i)
        return self.qpos[:, 7:].clone()


def main() -> None:
    """Measure all variants by turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--worlds", type=int, default=16384)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="+", default=list(VARIANTS), choices=list(VARIANTS), metavar="VARIANT")
    given = parser.parse_args()
    generator = torch.Generator(given.device).manual_seed(0)
    size = (EPISODE, given.worlds, len(humanoid().joints))
    targets = 0.3 * torch.randn(size, device=given.device, generator=generator)
    names = dict.fromkeys(["as it is", *given.only])
    made = [Bare(name, VARIANTS[name], targets, given.device) for name in names]
    first = made[0].soon()
    for each in made:
        apart = float((each.soon() - first).abs().mean())
        each.contender.name += f" (apart {apart:.1e})"
    wait = torch.cuda.synchronize if given.device.startswith("cuda") else lambda: None
    measure([each.contender for each in made], given.worlds, given.seconds, 10, wait)


if __name__ == "__main__":
    main()
