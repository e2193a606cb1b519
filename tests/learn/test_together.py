"""Training in several processes, as torchrun starts them: the same gradients, one checkpoint, another number later."""

import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import torch

from lactic.learn import checkpoint, config
from lactic.learn.run import train

ROOT = Path(__file__).resolve().parents[2]
WORLDS, HORIZON = 256, 4
LEARN = """
import sys
from pathlib import Path
import torch
from lactic.learn import config, together
from lactic.learn.trainer import Trainer, make_world
from lactic.task.registry import TASKS

WORLDS, HORIZON = 256, 4
together.join()

def learn():
    changes = {"worlds": WORLDS, "device": "cpu", "learn.horizon": HORIZON, "learn.minibatches": 1, "learn.epochs": 1}
    settings = config.changed(config.read("ant"), changes)
    task = settings.task
    trainer = Trainer(settings, TASKS[task.kind].reference_of(task, Path()), make_world(settings))
    ppo, rollout = trainer.algorithm, trainer.rollout
    draw, own = torch.Generator().manual_seed(3), WORLDS // together.count()
    for name in ("observation", "reached", "action", "log_probability", "reward", "ease", "fell", "done"):
        held = getattr(rollout, name)
        numbers = torch.randn(HORIZON, WORLDS, *held.shape[2:], generator=draw)
        numbers = (numbers > 1).float() if name in ("fell", "done") else numbers
        held.copy_(numbers[:, own * together.rank() :][:, :own])
    ppo.prime()
    ppo.update()
    held = [(net, k, p.grad) for net, m in ppo.modules().items() for k, p in m.named_parameters()]
    gradients = {f"{net}.{k}": slope for net, k, slope in held if slope is not None}
    seen = {f"{net}.{k}": b for net, m in ppo.modules().items() for k, b in m.named_buffers()}
    if together.rank() == 0:
        torch.save({**gradients, **seen, "rate": ppo.rate, "worlds": torch.tensor(trainer.task.count)}, sys.argv[1])

learn()
together.leave()
"""


def torchrun(processes: int, *words: str) -> subprocess.Popen:
    """Start a module or a script in so many processes."""
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([*start, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_two_processes_of_128_worlds_find_the_gradients_of_one_of_256(tmp_path, monkeypatch):
    script, alone, both = (tmp_path / name for name in ("learn.py", "1.pt", "2.pt"))
    script.write_text(LEARN)
    running = torchrun(2, str(script), str(both))
    monkeypatch.setattr(sys, "argv", [str(script), str(alone)])
    runpy.run_path(str(script))  # the one process is this one
    said, _ = running.communicate(timeout=120)
    assert both.exists(), said.decode()  # one was once seen to be aborted; by what is not known
    one, two = (torch.load(path, weights_only=True) for path in (alone, both))
    assert (int(one.pop("worlds")), int(two.pop("worlds"))) == (WORLDS, WORLDS // 2)
    assert set(one) == set(two) and sum("weight" in name for name in one) >= 6
    for name in one:
        torch.testing.assert_close(two[name], one[name], atol=1e-5, rtol=1e-5, msg=name)
    assert max(float(value.abs().max()) for name, value in one.items() if name.startswith("actor.net")) > 1e-3


def test_a_run_of_two_processes_is_killed_and_goes_on_in_one(tmp_path):
    out, held = tmp_path / "run", tmp_path / "run" / checkpoint.FOLDER
    small = ["--worlds", "16", "--device", "cpu", "--learn.policy", "[16]", "--learn.value", "[16]"]
    running = torchrun(2, "-m", "lactic.learn", "ant", "--out", str(out), "--save_every", "0", *small)
    try:
        for _ in range(600):
            if checkpoint.exists(held) or running.poll() is not None:
                break
            time.sleep(0.1)
    finally:
        workers = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        for process in (*map(int, workers), running.pid):
            os.kill(process, signal.SIGKILL)
        said, _ = running.communicate(timeout=10)
    assert checkpoint.exists(held), said.decode()
    before = checkpoint.read_manifest(held)["values"]
    assert (
        before["iteration"] > 0
        and before["samples"] == before["iteration"] * 16 * before["settings"]["learn"]["horizon"]
    )
    settings = config.read(out / "params.yaml")
    train(settings, out, resume=True, iterations=before["iteration"] + 2, say=lambda line: None)
    after = checkpoint.read_manifest(held)["values"]
    assert after["iteration"] == before["iteration"] + 2 and after["settings"]["worlds"] == 16
