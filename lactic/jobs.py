"""Many independent jobs: processes on this machine, or the nodes of a Ray cluster; the same answers either way."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from lactic.errors import InputError, needs
from lactic.stopping import StopRequest

T = TypeVar("T")


def answers(
    work: Callable[..., T],
    jobs: Sequence[tuple[Any, ...]],
    cluster: str | None = None,
    *,
    most: int | None = None,
    gpus: float = 0.0,
) -> Generator[tuple[int, T], None, None]:
    """Call `work` with the arguments of each job: its number and answer, as they come.

    `work` is a function of a module. `cluster` is the address of a Ray cluster, such as auto, HOST:6379 or local, and
    each job takes `gpus` of its GPUs. Without it at most `most` processes work here; by default one for each core.
    """
    return _on_cluster(work, jobs, cluster, gpus) if cluster else _on_this_machine(work, jobs, most)


def _on_this_machine(
    work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], most: int | None
) -> Generator[tuple[int, T], None, None]:
    context = multiprocessing.get_context("spawn")  # a fork would copy threads
    theirs, ours = context.Pipe(duplex=False)
    workers = max(min(most or os.cpu_count() or 1, len(jobs)), 1)
    pool = ProcessPoolExecutor(workers, context, initializer=_start, initargs=(theirs, work))
    stop = StopRequest()  # obeyed between answers: an interrupt in the middle breaks locks or is lost
    try:
        # the processes, which start now, take this over: Ctrl-C is for the one that started them
        held = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        running = {pool.submit(work, *given): k for k, given in enumerate(jobs)}
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        done: SimpleQueue[Future[T]] = SimpleQueue()
        for future in running:
            future.add_done_callback(done.put)
        while running:
            if stop.asked:
                raise KeyboardInterrupt
            try:
                future = done.get(timeout=0.2)
            except Empty:
                continue
            yield running.pop(future), future.result()
    except BrokenProcessPool as error:
        raise InputError(
            "a process ended before its job was done, perhaps for want of memory; run the same command again"
        ) from error
    finally:
        stop.restore()
        ours.close()  # ends the processes, now
        pool.shutdown(cancel_futures=True)


def _start(parent: Connection, work: Callable[..., Any]) -> None:
    """Let a process end with the one that started it; `work` is here so that its modules are loaded by now.

    MuJoCo's libraries start processes while they are loaded, which complain if they are left alone.
    """

    def leave() -> None:
        with suppress(OSError):
            parent.poll(None)  # until the other end is closed
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def _on_cluster(
    work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], cluster: str, gpus: float
) -> Generator[tuple[int, T], None, None]:
    needs("ray", "scale")
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # or it tells its makers
    try:
        ray.init(address=cluster, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"cluster {cluster}: cannot be reached ({reason}); start it with `ray start`") from error
    try:
        remote = ray.remote(num_gpus=gpus)(work)
        running = {remote.remote(*given): k for k, given in enumerate(jobs)}
        while running:
            (done,), _ = ray.wait(list(running), num_returns=1)
            yield running.pop(done), ray.get(done)
    finally:
        ray.shutdown()  # also gives up what still runs
