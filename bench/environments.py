"""What Gymnasium costs over a task's own steps, measured in turns in one run (0.9 is promised).

python bench/environments.py [--id lactic/Pace-v0] [--worlds N] [--seconds S] [--device cpu]
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import gymnasium
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed

import lactic.gym

TURN = 10


def main() -> None:
    """Print control steps a second of both, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--id", default="lactic/Pace-v0", choices=sorted(lactic.gym.environments()))
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    plain, env = (
        gymnasium.make_vec(given.id, num_envs=given.worlds, device=given.device, tensors=given.device != "cpu")
        for _ in range(2)
    )
    task, draw = plain.unwrapped.episodes.task, torch.Generator().manual_seed(0)
    actions = 0.1 * torch.randn(TURN, given.worlds, task.action.size, generator=draw)
    shown = actions.numpy() if given.device == "cpu" else actions.to(task.device)
    chance = torch.rand(TURN, given.worlds, task.chance, generator=draw).to(task.device)
    tensors = actions.to(task.device)

    @torch.no_grad()
    def own(k: int) -> None:
        task.decide(tensors[k])
        task.arena.step(task.settings.substeps)
        task.judge(chance[k])
        task.restart()
        task.observation()

    steps = {"task": own, "gymnasium": lambda k: env.step(shown[k])}
    for made in (plain, env):
        made.reset(seed=0)
    spent: dict[str, list[float]] = {name: [] for name in steps}
    end = time.perf_counter() + given.seconds
    while time.perf_counter() < end:
        for name, step in steps.items():
            begin = time.perf_counter()
            for k in range(TURN):
                step(k)
            if task.device.type == "cuda":
                torch.cuda.synchronize()
            spent[name].append(time.perf_counter() - begin)
    for name, times in spent.items():
        print(f"{name:>10}  {TURN * given.worlds / statistics.median(times) / 1e3:7.1f} k control steps/s")
    ratio = statistics.median(a / b for a, b in zip(*spent.values(), strict=True))
    print(f"     ratio  {ratio:.3f} ({given.id}, {given.worlds} worlds on {task.device}, {len(times)} turns)")


if __name__ == "__main__":
    main()
