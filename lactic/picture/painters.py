"""Processes that draw beside this one: they get ready while it is at something else, and do what they are asked.

They are plain processes and pipes: multiprocessing would run the caller's main module again, or fork threads.
"""

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

QUIET = {"OMP_NUM_THREADS": "1", "MUJOCO_GL": "disable"}  # one thread each, and no search for a display


class PainterGone(Exception):
    """A process has ended before it did what it was asked."""


class Errand:
    """Something that a process was asked to do, and what came of it."""

    def __init__(self, painter: "_Painter", work: Callable[..., Any], arguments: tuple[Any, ...]):
        self._painter, self._work, self._arguments = painter, work, arguments
        self.came: deque[Any] = deque()
        self.done = self.gone = False
        self.failed: BaseException | None = None

    def result(self) -> Any:
        """What it returned; where its process has ended, this one does it."""
        while not self.done and not self.gone:
            self._painter.take(self)
        if self.failed is not None:
            raise self.failed
        return self._work(*self._arguments) if self.gone else self.came[0]

    def __iter__(self) -> Iterator[Any]:
        while True:
            while not self.came and not self.done and not self.gone:
                self._painter.take(self)
            if not self.came:
                break
            yield self.came.popleft()
        if self.gone:
            raise PainterGone
        if self.failed is not None:
            raise self.failed


class _Painter:
    """One process, and what it still owes."""

    def __init__(self) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | QUIET
        # in a session of its own, so that Ctrl-C reaches this process alone, which then ends the others
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from lactic.picture.painters import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        self._owed: deque[Errand] = deque()
        self._asking, self._taking = threading.Lock(), threading.Lock()

    def ask(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Errand:
        """Send it something to do."""
        asked, pipe = Errand(self, work, arguments), self._process.stdin
        assert pipe is not None
        letter = pickle.dumps((work, arguments))
        with self._asking, contextlib.suppress(OSError):  # one that has ended is seen to when it is to answer
            self._owed.append(asked)
            pipe.write(letter)
            pipe.flush()
        return asked

    def take(self, asked: Errand) -> None:
        """Wait until there is something new of what was asked; what was asked before comes first."""
        pipe = self._process.stdout
        assert pipe is not None
        with self._taking:
            while not (asked.came or asked.done or asked.gone):
                first = self._owed[0]
                try:
                    how, value = pickle.load(pipe)
                except (EOFError, OSError, pickle.UnpicklingError):
                    for one in self._owed:
                        one.gone = True
                    return
                if how == "failed":
                    first.failed = value
                elif how != "end":
                    first.came.append(value)
                if how != "some":
                    first.done = True
                    self._owed.popleft()

    def end(self) -> None:
        """End it, and let go of its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what it was to be sent cannot be sent any more
                pipe.close()


class Painters:
    """So many processes; they end with the block."""

    def __init__(self, count: int):
        self._all: list[_Painter] = []
        self.grow(count)

    def __len__(self) -> int:
        return len(self._all)

    def grow(self, count: int) -> None:
        """Start more of them, if there are fewer than that."""
        while len(self._all) < count:
            self._all.append(_Painter())

    def ask(self, number: int, work: Callable[..., Any], *arguments: Any) -> Errand:
        """Let one of them call a function of a module; what a generator yields comes piece by piece."""
        return self._all[number].ask(work, arguments)

    def __enter__(self) -> "Painters":
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._all:
            one.end()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def serve() -> None:
    """Do what comes by standard input, one thing after the other: a process that `Painters` starts."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by chance is no answer
    letters: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, letters), daemon=True).start()
    try:
        while (letter := letters.get()) is not None:
            for answer in _answers(letter):
                pickle.dump(answer, answers)
                answers.flush()
    except BrokenPipeError:  # nobody waits any more
        os._exit(1)


def _read(pipe: BinaryIO, letters: "queue.SimpleQueue[Any]") -> None:
    """Take letters as they come, so that who sends them need not wait until the one before has been dealt with."""
    try:
        while True:
            letters.put(pickle.load(pipe))
    except Exception:  # the end, or what cannot be read here: who has sent it does it then
        letters.put(None)


def _answers(letter: Any) -> Iterator[tuple[str, Any]]:
    """What comes of a letter."""
    work, arguments = letter
    try:
        found = work(*arguments)
        if not isinstance(found, types.GeneratorType):
            yield "one", found
            return
        for value in found:
            yield "some", value
        yield "end", None
    except BrokenPipeError:
        raise
    except Exception as error:
        yield "failed", error
