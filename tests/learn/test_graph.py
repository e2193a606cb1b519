"""Captured work: what happens where no graph can be had."""

import pytest
import torch

from lactic.learn.graph import Captured
from lactic.learn.meter import Meter, Stopwatch


@pytest.mark.skipif(torch.cuda.is_available(), reason="here a graph can be had")
def test_without_a_gpu_the_work_goes_on_with_one_warning(capsys: pytest.CaptureFixture):
    done = []
    work = Captured(lambda: done.append(1), "counting", enabled=True)
    for _ in range(6):
        work()
    assert len(done) == 6
    assert capsys.readouterr().err.count("no CUDA graph for counting") == 1


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_replayed_graph_does_what_the_work_did():
    total, step = torch.zeros(1, device="cuda"), torch.ones(1, device="cuda")
    work = Captured(lambda: total.add_(step), "adding", enabled=True)
    for _ in range(10):
        work()
    assert total.item() == 10 and work.graph is not None


def test_a_meter_gives_means_and_begins_anew():
    meter = Meter(("length", "never"), torch.device("cpu"))
    meter.add("length", torch.tensor(30.0), torch.tensor(2))
    meter.add("length", torch.tensor(10.0), 2.0)
    read = meter.read()
    assert read["length"] == 10.0 and read["never"] != read["never"]
    meter.add("length", torch.tensor(3.0))
    assert meter.read()["length"] == 3.0


def test_a_stopwatch_splits_time_between_phases():
    watch = Stopwatch(torch.device("cpu"))
    watch.start()
    for phase in ("a", "b", "a"):
        watch.mark(phase)
    watch.stop()
    assert set(watch.seconds) == {"a", "b"}
    assert sum(watch.shares().values()) == pytest.approx(1.0)
