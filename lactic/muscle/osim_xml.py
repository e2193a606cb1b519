"""XML of an OpenSim model, read with suspicion: no document types or entities; complaints name file and element."""

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from lactic.errors import InputError

LARGEST_FILE = 64 * 2**20  # bytes; gait2392 takes 0.6 MB


class _Builder(ET.TreeBuilder):
    """A tree builder that stops at a document type, before any entity could be declared or fetched."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Called by the parser at <!DOCTYPE."""
        raise InputError("has a document type declaration, which no OpenSim file needs; remove it")


@dataclass(frozen=True)
class Element:
    """An element, the file it stands in, and the words that lead a person to it."""

    file: Path
    node: ET.Element
    trail: str

    @property
    def tag(self) -> str:
        """Its type, such as CustomJoint."""
        return self.node.tag

    @property
    def name(self) -> str:
        """Its name attribute, which must be there."""
        found = self.node.get("name", "").strip()
        if not found:
            self.fail("has no name")
        return found

    def fail(self, problem: str) -> NoReturn:
        """Raise the error that names file and element."""
        raise InputError(f"{self.file}: {self.trail}: {problem}")

    def _wrap(self, node: ET.Element) -> "Element":
        name = node.get("name")
        inside = "" if self.tag in ("OpenSimDocument", "Model") or self.trail == self.tag else f"{self.trail}, "
        return Element(self.file, node, f"{inside}<{node.tag}>" + (f" {name}" if name else ""))

    def children(self) -> Iterator["Element"]:
        """All direct children."""
        return (self._wrap(node) for node in self.node)

    def maybe(self, *tags: str) -> "Element | None":
        """The first direct child that has one of these types, tried in this order."""
        for tag in tags:
            node = self.node.find(tag)
            if node is not None:
                return self._wrap(node)
        return None

    def child(self, *tags: str) -> "Element":
        """The first direct child that has one of these types; it must be there."""
        found = self.maybe(*tags)
        if found is None:
            self.fail(f"has no <{'> or <'.join(tags)}>")
        return found

    def objects(self, tag: str) -> list["Element"]:
        """What stands in the <objects> of a set such as BodySet; nothing where the set is absent or empty."""
        holder = self.maybe(tag)
        inner = holder.maybe("objects") if holder is not None else None
        return list(inner.children()) if inner is not None else []

    def text(self, *tags: str) -> str:
        """The words inside a child, which must be there and hold something."""
        found = self.child(*tags)
        words = (found.node.text or "").strip()
        if not words:
            found.fail("is empty")
        return words

    def target(self, *tags: str) -> str:
        """What a reference such as /bodyset/tibia_r points at: its last word."""
        return self.text(*tags).rstrip("/").rsplit("/", 1)[-1]

    def flag(self, tag: str) -> bool:
        """Whether a child that may be absent says true."""
        found = self.maybe(tag)
        return found is not None and (found.node.text or "").strip().lower() == "true"

    def numbers(
        self, tag: str, count: int | None = None, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """Finite numbers inside a child, as many as said, or the default where the child is absent."""
        if default is not None and self.maybe(tag) is None:
            return default
        found, values = self.child(tag), []
        for word in (found.node.text or "").split():
            try:
                values.append(float(word))
            except ValueError:
                found.fail(f"'{word[:40]}' is not a number")
        if not all(map(math.isfinite, values)):
            found.fail("holds a number that is not finite")
        if count is not None and len(values) != count:
            found.fail(f"needs {count} number{'s' * (count != 1)} and has {len(values)}")
        return tuple(values)

    def number(self, tag: str, default: float | None = None) -> float:
        """One finite number inside a child, or the default where the child is absent."""
        return self.numbers(tag, 1, None if default is None else (default,))[0]

    def positive(self, tag: str, default: float | None = None) -> float:
        """One number above zero."""
        value = self.number(tag, default)
        if value <= 0:
            self.child(tag).fail(f"must be above 0 and is {value:g}")
        return value


def parse(path: str | Path) -> Element:
    """The root of an XML file."""
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise InputError(f"{file}: larger than {LARGEST_FILE // 2**20} MB, which no model of a body is")
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot read it ({error.strerror or error})") from error
    try:
        root = ET.fromstring(data, ET.XMLParser(target=_Builder()))
    except ET.ParseError as error:
        raise InputError(f"{file}: damaged or cut short, or not XML ({error})") from error
    except (LookupError, ValueError) as error:  # ours from a document type; an unknown encoding
        raise InputError(f"{file}: {error}") from error
    return Element(file, root, root.tag)
