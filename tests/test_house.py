"""Rules of the house that no tool checks. Each failure names the file and line that breaks one."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINES, FILES = 300, 25
"""Most lines of a file, and most files of a room without rooms inside."""
LIBRARY = sorted((ROOT / "lactic").rglob("*.py"))
TREES = {
    path: ast.parse(path.read_text()) for top in ("lactic", "tests", "bench") for path in (ROOT / top).rglob("*.py")
}
ADAPTER = ROOT / "lactic" / "studio" / "viser_private.py"
"""The one file that may name what viser keeps to itself; its version is pinned."""
PUBLIC = {"_replace", "_asdict", "_fields", "_make", "_exit"}
"""What Python documents for everybody's use, of named tuples and of `os`."""


def at(path: Path, line: int, said: str) -> str:
    """A place that breaks a rule, as editors open it."""
    return f"{path.relative_to(ROOT)}:{line}: {said}"


def none_of(found: list[str]) -> None:
    """Fail with all that was found."""
    assert not found, "\n" + "\n".join(sorted(found))


def is_private(name: str) -> bool:
    """Whether a name belongs to its own class or module alone."""
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC


@pytest.mark.parametrize("pattern", [r"#\s*fmt:\s*(skip|off)", r"\bextra\[", r"(?<!dtype\.)\bkind\s*[!=]="])
def test_no_line_has(pattern: str):
    texts = {path: path.read_text().splitlines() for path in LIBRARY}
    none_of([at(p, k, s.strip()) for p, text in texts.items() for k, s in enumerate(text, 1) if re.search(pattern, s)])


def test_what_is_private_is_used_by_its_own_class_or_module_alone():
    found = []
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and is_private(node.attr):
                owner = ast.unparse(node.value)
                if owner not in ("self", "cls", "super()"):
                    found.append(at(path, node.lineno, ast.unparse(node)))
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("setattr", "getattr")):
                words = [word.value for word in node.args[:2] if isinstance(word, ast.Constant)]
                named = [word for word in words if isinstance(word, str) and is_private(word.split(".")[-1])]
                found += [
                    at(path, node.lineno, ast.unparse(node)) for _ in named if ast.unparse(node.args[0]) != "self"
                ]
            elif isinstance(node, ast.ImportFrom):
                names = [alias.name for alias in node.names if is_private(alias.name)]
                found += [at(path, node.lineno, f"from {node.module} import {name}") for name in names]
    adapter = str(ADAPTER.relative_to(ROOT))
    none_of([place for place in found if not place.startswith(adapter)])


def test_no_class_name_exists_twice():
    places = defaultdict(list)
    for path in LIBRARY:
        for node in ast.walk(TREES[path]):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(at(path, node.lineno, f"class {node.name}"))
    none_of([place for same in places.values() if len(same) > 1 for place in same])


def test_files_are_short_and_rooms_small():
    lengths = {path: len(path.read_text().splitlines()) for path in LIBRARY}
    found = [at(path, LINES + 1, f"{n} lines, at most {LINES}") for path, n in lengths.items() if n > LINES]
    for room in {path.parent for path in LIBRARY}:
        files, inside = len(list(room.glob("*.py"))), list(room.glob("*/*.py"))
        if files > FILES and not inside:
            found.append(at(room, 1, f"{files} files and no rooms inside, at most {FILES}"))
    none_of(found)


def test_flags_are_named_by_the_command_line_alone():
    """What a person is told names a setting or the thing itself: a library has no flags."""
    own = ("learn/sweep.py", "motion/fetch.py", "body/skin.py")  # the last two name flags of pip
    found = []
    for path in LIBRARY:
        place = path.relative_to(ROOT / "lactic").as_posix()
        if place.startswith("cli/") or place in own or "add_argument(" in path.read_text():
            continue
        said = {id(node.value) for node in ast.walk(TREES[path]) if isinstance(node, ast.Expr)}
        for node in ast.walk(TREES[path]):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
                found += [at(path, node.lineno, flag) for flag in re.findall(r"--[a-z][\w.-]*", node.value)]
    none_of(found)
