"""The HIERARCHY part of a BVH file, word by word, with the line of every complaint."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from lactic.motion.reading import LARGEST, complain

MAX_JOINTS = 2000
CHANNELS = {f"{axis}{kind}" for axis in "xyz" for kind in ("position", "rotation")}


@dataclass
class BvhJoint:
    """One joint as the file describes it, in the file's axes and units."""

    name: str
    parent: int
    offset: list[float] | None = None
    channels: list[str] = field(default_factory=list)
    tip: list[float] | None = None


class Hierarchy:
    """A reader that walks the words once, keeping the open braces; nesting depth costs no recursion."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        self.path, self.at = path, 0
        self.words: list[tuple[str, int]] = []
        for number, line in enumerate(lines, 1):
            self.words += [(word, number) for word in line.split()]
            if line.strip().upper() == "MOTION":
                break
        self.joints: list[BvhJoint] = []
        self.names: dict[str, int] = {}  # and how often each was met
        self.open: list[int] = []  # joints, or -1 for an End Site
        self.opening: int | None = None  # what the next brace opens

    def read(self) -> tuple[list[BvhJoint], int]:
        """The joints in file order and the line MOTION stands on."""
        if self._next().upper() != "HIERARCHY":
            self._complain("not a BVH file (it must start with HIERARCHY)")
        steps = {"ROOT": self._joint, "JOINT": self._joint, "END": self._end_site, "{": self._brace, "}": self._close}
        steps |= {"OFFSET": self._offset, "CHANNELS": self._channels}
        while True:
            word = self._next().upper()
            if word == "MOTION":
                if self.open or self.opening is not None or not self.joints:
                    self._complain("MOTION before the hierarchy is complete")
                return self.joints, self._line()
            if word not in steps:
                self._complain(f"'{word[:40]}' is not expected in a hierarchy")
            if word != "{" and self.opening is not None:
                self._complain("a joint must be followed by '{'")
            steps[word]()

    def _next(self) -> str:
        if self.at >= len(self.words):
            self.at = len(self.words) + 1
            self._complain("the file ends before MOTION")
        self.at += 1
        return self.words[self.at - 1][0]

    def _line(self) -> int:
        return self.words[min(self.at, len(self.words)) - 1][1] if self.words else 1

    def _complain(self, problem: str) -> NoReturn:
        complain(self.path, problem, self._line())

    def _number(self) -> float:
        word = self._next()
        try:
            value = float(word)
        except ValueError:
            self._complain(f"'{word[:40]}' is not a number")
        if not abs(value) < LARGEST:
            self._complain(f"{word[:40]} is not a sensible number")
        return value

    def _rest_of_line(self) -> str:
        """What stands before the brace or the line's end: names may have spaces."""
        line, parts = self._line(), []
        while self.at < len(self.words) and self.words[self.at][1] == line and self.words[self.at][0] != "{":
            parts.append(self._next())
        return "_".join(parts)

    def _joint(self) -> None:
        root = self.words[self.at - 1][0].upper() == "ROOT"
        name = self._rest_of_line()
        if not name:
            self._complain("a joint without a name")
        if root != (not self.open) or (root and self.joints) or (self.open and self.open[-1] < 0):
            self._complain(f"joint '{name}' is not where it can be (one ROOT, all joints inside it)")
        name = self._own(name)
        if len(self.joints) >= MAX_JOINTS:
            self._complain(f"more than {MAX_JOINTS} joints")
        self.joints.append(BvhJoint(name, self.open[-1] if self.open else -1))
        self.opening = len(self.joints) - 1

    def _own(self, name: str) -> str:
        """The name, with a number where another joint has it: some exporters call the ends of all fingers alike."""
        own = name
        while own in self.names:
            self.names[name] += 1
            own = f"{name}_{self.names[name]}"
        self.names[own] = 1
        return own

    def _end_site(self) -> None:
        if self._next().upper() != "SITE" or not self.open or self.open[-1] < 0:
            self._complain("End Site outside a joint")
        self._rest_of_line()  # some software names its end sites
        self.opening = -1

    def _brace(self) -> None:
        if self.opening is None:
            self._complain("'{' without a joint")
        self.open.append(self.opening)
        self.opening = None

    def _close(self) -> None:
        if not self.open:
            self._complain("'}' closes nothing")
        closed = self.open.pop()
        if closed >= 0 and self.joints[closed].offset is None:
            self._complain(f"joint '{self.joints[closed].name}' has no OFFSET")

    def _offset(self) -> None:
        if not self.open:
            self._complain("OFFSET outside a joint")
        value = [self._number() for _ in range(3)]
        if self.open[-1] >= 0:
            self.joints[self.open[-1]].offset = value
        elif self.joints[self.open[-2]].tip is None:
            self.joints[self.open[-2]].tip = value

    def _channels(self) -> None:
        if not self.open or self.open[-1] < 0:
            self._complain("CHANNELS outside a joint")
        count = self._number()
        if count not in range(7):
            self._complain(f"CHANNELS {count:g}: must be 0 to 6")
        words = [self._next().lower() for _ in range(int(count))]
        if not CHANNELS.issuperset(words) or len(set(words)) != len(words):
            self._complain(f"CHANNELS of '{self.joints[self.open[-1]].name}': an unknown or repeated channel")
        self.joints[self.open[-1]].channels = words
