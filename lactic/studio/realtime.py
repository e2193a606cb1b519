"""A thread that takes control steps at the wall clock's pace while somebody watches, and which of them is on show."""

import math
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Set

from lactic.errors import InputError

SLOWEST, FASTEST = 0.25, 4.0
BEHIND = 0.25
"""Seconds behind the wall clock that are given up instead of being raced after."""


class RealTime(ABC):
    """Its lock guards all that happens between two steps. Every method may be called from any thread."""

    def __init__(self, notify: Callable[[str], None]):
        self.notify = notify
        self.lock = threading.RLock()
        self.wake = threading.Condition(self.lock)
        self.frame = 0
        """Control steps since the clock began."""
        self.paused, self.speed, self.replaying = False, 1.0, False
        self.cursor: int | None = None
        """The frame on show; None is the newest."""
        self.mark_in: int | None = None
        self.mark_out: int | None = None
        self.effort = 0.0
        """Share of real time that simulating takes, smoothed."""
        self._viewers: Set[object] = frozenset()
        self._marks: deque[tuple[float, float]] = deque(maxlen=120)
        self._thread: threading.Thread | None = None
        self._stopped = False

    @property
    @abstractmethod
    def dt(self) -> float:
        """Seconds of a control step."""

    @abstractmethod
    def advance(self, steps: int = 1) -> None:
        """Simulate so many control steps now."""

    @property
    @abstractmethod
    def oldest(self) -> int:
        """The oldest frame that can be shown."""

    def set_speed(self, speed: float) -> None:
        """How many times faster than the wall clock."""
        if not (math.isfinite(speed) and SLOWEST <= speed <= FASTEST):
            raise InputError(f"speed: {speed:g}; give a number from {SLOWEST:g} to {FASTEST:g}")
        with self.lock:
            self.speed = speed
            self.measure_anew()

    def measure_anew(self) -> None:
        """Forget how fast it went, and see whether there is anything to do."""
        with self.lock:
            self._marks.clear()
            self.wake.notify_all()

    def attend(self, viewers: Set[object]) -> None:
        """These watch, and nobody else; run while there are any."""
        with self.lock:
            if viewers - self._viewers:
                self.measure_anew()
            self._viewers = frozenset(viewers)

    @property
    def viewers(self) -> int:
        """How many watch."""
        return len(self._viewers)

    @property
    def running(self) -> bool:
        """Whether the thread has anything to do."""
        return bool(self._viewers) and (self.replaying or not self.paused)

    @property
    def pace(self) -> float | None:
        """Simulated seconds for each second of the wall clock, over the last two; None when that cannot be said yet."""
        with self.lock:
            marks = [mark for mark in self._marks if mark[0] > time.perf_counter() - 2.0]
        if len(marks) < 8 or self.paused:
            return None
        return (marks[-1][1] - marks[0][1]) / (marks[-1][0] - marks[0][0])

    def start(self) -> None:
        """Start the thread."""
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="lactic-engine", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self.lock:
            self._stopped = True
            self.wake.notify_all()
        if self._thread is not None:
            self._thread.join(5)

    def _run(self) -> None:
        due = time.perf_counter()
        while True:
            with self.lock:
                if self._stopped:
                    return
                if not self.running:
                    self.wake.wait()
                    due = time.perf_counter()
                    continue
                ahead = due - time.perf_counter()
                if ahead > 0:
                    self.wake.wait(ahead)
                    continue
                self._tick()
                due = max(due + self.dt / self.speed, time.perf_counter() - BEHIND)

    def _tick(self) -> None:
        """One frame of the simulation, or of the replay."""
        if self.replaying:
            self.replay_on()
            return
        began = time.perf_counter()
        try:
            self.advance()
        except Exception:  # the page must stay up whatever a brain does
            traceback.print_exc()
            self.paused = True
            self.notify("The character could not go on; the studio is paused. Choose a skill or reset.")
        ended = time.perf_counter()
        self._marks.append((ended, self.frame * self.dt))
        self.effort += 0.05 * ((ended - began) / self.dt - self.effort)

    # --- what is on show

    def pause(self, paused: bool = True) -> None:
        """Stop or go on; going on shows the newest frame again."""
        with self.lock:
            self.paused = paused
            if not paused:
                self.cursor, self.replaying = None, False
            self.measure_anew()

    def _on_tape(self, frame: int) -> int:
        """The frame on tape that is nearest to one."""
        return min(max(frame, self.oldest), self.newest)

    @property
    def newest(self) -> int:
        """The frame that was simulated last."""
        return max(self.frame - 1, 0)

    @property
    def shown(self) -> int:
        """The frame on show."""
        with self.lock:
            return self.newest if self.cursor is None else self._on_tape(self.cursor)

    def scrub(self, frame: int) -> None:
        """Pause and show a frame of the last minute."""
        with self.lock:
            self.paused, self.replaying, self.cursor = True, False, frame
            self.cursor = self.shown

    def span(self) -> tuple[int, int]:
        """The frames from the mark in to the mark out; all that are on tape without marks."""
        with self.lock:
            marks = (
                0 if self.mark_in is None else self.mark_in,
                self.frame if self.mark_out is None else self.mark_out,
            )
            first, last = sorted(self._on_tape(mark) for mark in marks)
            return first, last

    def replay(self) -> None:
        """Pause and show the marked span over and over."""
        with self.lock:
            self.paused, self.replaying, self.cursor = True, True, self.span()[0]
            self.wake.notify_all()

    def replay_on(self) -> None:
        """Show the next frame of the marked span."""
        first, last = self.span()
        at = self.shown + 1
        self.cursor = at if first <= at <= last else first
