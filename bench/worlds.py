"""What the worlds cost over the bare engines, measured in turns in one run.

    python bench/worlds.py [--gpu] [--worlds N] [--seconds S]

Every contender drives the same bodies with the same random targets, 4 substeps a control step, and starts over every 2
simulated seconds (not timed). They take turns of a few control steps, so whatever else the machine does hits all alike.
The ratio is the median over turns of bare time over world time: 1 costs nothing; 0.9 (CPU) and 0.8 (GPU) are promised.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from mujoco.batch import Batch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed

from lactic.body import humanoid
from lactic.fatigue.fitness import preset, rates
from lactic.fatigue.law import residual_capacity
from lactic.fatigue.law import step as fatigue_step
from lactic.strength.intent import load, pd_torque
from lactic.world import CpuWorld

SUBSTEPS, EPISODE = 4, 60


class Contender:
    """Something that can start over and make one control step."""

    def __init__(self, name: str, start: Callable[[], None], step: Callable[[int], None]) -> None:
        self.name, self.start, self.step = name, start, step
        self.turns: list[float] = []


def measure(contenders: list[Contender], worlds: int, seconds: float, turn: int, wait: Callable[[], None]) -> None:
    """Let the contenders take turns for `seconds`, and print steps per second and the ratio to the fastest bare one."""
    for contender in contenders:  # warm up
        contender.start()
        for i in range(turn):
            contender.step(i)
    end = time.perf_counter() + seconds
    at = EPISODE
    while time.perf_counter() < end:
        if at + turn > EPISODE:
            at = 0
            for contender in contenders:
                contender.start()
        for contender in contenders:
            wait()
            begin = time.perf_counter()
            for i in range(at, at + turn):
                contender.step(i)
            wait()
            contender.turns.append(time.perf_counter() - begin)
        at += turn
    bare = min((c for c in contenders if c.name.startswith("bare")), key=lambda c: sum(c.turns))
    print(f"{'':40} {'physics steps/s':>16} {'ratio':>7}   ({worlds} worlds, {len(bare.turns)} turns)")
    for contender in contenders:
        rate = worlds * SUBSTEPS * turn * len(contender.turns) / sum(contender.turns)
        ratio = statistics.median(b / t for b, t in zip(bare.turns, contender.turns, strict=True))
        print(f"{contender.name:40} {rate:16,.0f} {ratio:7.3f}")


def cpu(worlds: int, seconds: float, threads: int) -> None:
    """CpuWorld against loops over mujoco.batch that write the same fields and refresh the same kinematics."""
    body = humanoid()
    targets = np.random.default_rng(0).normal(scale=0.3, size=(EPISODE, worlds, len(body.joints)))
    limits = np.tile(body.torque_limit, (worlds, 1))

    def bare(persistent: bool, stage: mujoco.mjtStage) -> Contender:
        batch = Batch(body.model, worlds, min(threads, worlds), persistent)
        for name in ("qpos", "qvel", "xpos", "xquat", "actuator_force"):
            batch.bind(name)
        ctrl, gain, bias, bounds = (
            batch.bind("ctrl"),
            batch.expand("actuator_gainprm"),
            batch.expand("actuator_biasprm"),
            batch.expand("actuator_forcerange"),
        )

        def step(i: int) -> None:
            ctrl[:] = targets[i]
            gain[:, :, 0] = body.stiffness
            bias[:, :, 1] = -body.stiffness
            bias[:, :, 2] = -body.damping
            bounds[:, :, 0] = -limits
            bounds[:, :, 1] = limits
            batch.step(nstep=SUBSTEPS, stage=int(stage))

        kept = "one MjData a world" if persistent else "one MjData a thread"
        return Contender(f"bare mujoco.batch, {kept}", batch.reset, step)

    def whole(name: str, contacts: bool) -> Contender:
        world = CpuWorld(body, worlds, threads, contacts=contacts)

        def step(i: int) -> None:
            world.drive(targets[i], body.stiffness, body.damping, limits)
            world.step(SUBSTEPS)

        return Contender(name, world.reset, step)

    contenders = [
        bare(False, mujoco.mjtStage.mjSTAGE_POS),
        bare(True, mujoco.mjtStage.mjSTAGE_VEL),
        whole("CpuWorld", False),
        whole("CpuWorld, sensing contacts", True),
    ]
    turn = max(1, min(EPISODE // 2, 2000 // worlds))
    measure(contenders, worlds, seconds, turn, lambda: None)


def gpu(worlds: int, seconds: float, device: str, deterministic: bool) -> None:
    """WarpWorld with limits, contacts and fatigue against a CUDA graph of bare mujoco_warp steps."""
    import mujoco_warp as mjw
    import torch
    import warp as wp

    from lactic.world.gpu import WarpWorld
    from lactic.world.models import buffer_sizes

    body = humanoid()
    model = body.model
    cuda = device.startswith("cuda")
    targets = 0.3 * torch.randn((EPISODE, worlds, len(body.joints)), device=device)
    stiffness, damping, limit = (
        torch.tensor(x, dtype=torch.float32, device=device).expand(worlds, -1).contiguous()
        for x in (body.stiffness, body.damping, body.torque_limit)
    )
    law = torch.tensor(rates(preset("cheema2023"), body.groups), dtype=torch.float32, device=device)

    nconmax, njmax = buffer_sizes(model)
    with wp.ScopedDevice(device):
        m = mjw.put_model(model)
        m.opt.warn_overflow = False
        d = mjw.make_data(model, nworld=worlds, nconmax=nconmax, njmax=njmax)
        if deterministic:
            m.opt.deterministic = mjw.DeterminismType.ALL
        mjw.step(m, d)
        graph = None
        if cuda:
            with wp.ScopedCapture() as capture:
                for _ in range(SUBSTEPS):
                    mjw.step(m, d)
            graph = capture.graph
    ctrl, qpos, qvel = wp.to_torch(d.ctrl), wp.to_torch(d.qpos), wp.to_torch(d.qvel)
    warmstart, rest = wp.to_torch(d.qacc_warmstart), torch.tensor(model.qpos0, dtype=torch.float32, device=device)

    def bare_start() -> None:
        qpos.copy_(rest)
        qvel.zero_()
        warmstart.zero_()

    def bare_step(i: int) -> None:
        ctrl.copy_(targets[i])
        with wp.ScopedDevice(device):
            if graph is not None:
                wp.capture_launch(graph)
            else:
                for _ in range(SUBSTEPS):
                    mjw.step(m, d)

    world, tiring = (WarpWorld(body, worlds, device, contacts=True, deterministic=deterministic) for _ in range(2))
    fatigue = torch.zeros((worlds, len(body.joints), 3), device=device)

    def fresh() -> None:
        tiring.reset()
        fatigue.zero_()
        fatigue[..., 1] = 1.0

    def plain_step(i: int) -> None:
        world.drive(targets[i], stiffness, damping, limit)
        world.step(SUBSTEPS)

    def tiring_step(i: int) -> None:
        torque = pd_torque(targets[i], 1.0, tiring.qpos[:, 7:], tiring.qvel[:, 6:], stiffness, damping)
        fatigue.copy_(fatigue_step(fatigue, load(torque, limit), law, SUBSTEPS * tiring.timestep))
        tiring.drive(targets[i], stiffness, damping, residual_capacity(fatigue) * limit)
        tiring.step(SUBSTEPS)

    contenders = [
        Contender("bare mujoco_warp", bare_start, bare_step),
        Contender("WarpWorld", world.reset, plain_step),
        Contender("WarpWorld, limits and fatigue", fresh, tiring_step),
    ]
    if cuda:
        measure(contenders, worlds, seconds, 10, torch.cuda.synchronize)
    else:  # a look at the code where there is no GPU
        measure(contenders, worlds, seconds, 2, lambda: None)
    print(f"faults: {world.check() + tiring.check()}")


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true", help="measure WarpWorld instead of CpuWorld")
    parser.add_argument("--device", default="cuda", help="Warp device for --gpu (cuda, cuda:1, cpu)")
    parser.add_argument("--deterministic", action="store_true", help="mujoco_warp's deterministic mode, for both sides")
    parser.add_argument("--worlds", type=int, help="simulations at once (default 256 on the CPU, 8192 on a GPU)")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to measure")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads")
    options = parser.parse_args()
    if options.gpu:
        gpu(options.worlds or 8192, options.seconds, options.device, options.deterministic)
    else:
        cpu(options.worlds or 256, options.seconds, options.threads)


if __name__ == "__main__":
    main()
