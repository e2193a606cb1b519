"""The docs tell the truth: rooms are in order, and every path, link, command, preset, brain and recipe exists."""

import ast
import dataclasses
import itertools
import re
import tomllib
from pathlib import Path

import pytest

from lactic.body import strength
from lactic.brain import catalogue
from lactic.cli.distil import Distil
from lactic.cli.play import Play
from lactic.cli.tire import Tire
from lactic.fatigue import PRESETS
from lactic.lab.job import PAPERS
from lactic.learn.__main__ import parser as training

ROOT = Path(__file__).parent.parent
ROOMS = (
    "errors",
    "typed",
    "files",
    "stopping",
    "jobs",
    "compiling",
    "rotation",
    "fatigue",
    "strength",
    "body",
    "motion",
    "world",
    "muscle",
    "brain",
    "steer",
    "task",
    "learn",
    "picture",
    "plan",
    "play",
    "gym",
    "studio",
    "lab",
    "cli",
)
CLI = ROOT / "lactic/cli"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAST = ("CHANGELOG.md", "docs/notes", "docs/results")
"""Pages about the past or made by the lab: they may name what is no more, but their links must hold."""
PRESENT = [page for page in PAGES if not str(page.relative_to(ROOT)).startswith(PAST)]
OPTIONS = {"play": Play, "tire": Tire, "distil": Distil}
"""Verbs whose options are the fields of a class."""
TRAINING = {option.lstrip("-") for option in training().options} | {"cluster"}
"""Options of `lactic train`, every setting among them, and the one that `lactic sweep` has besides."""
RECIPES = {path.stem for path in (ROOT / "lactic/learn").glob("**/recipes/*.yaml")}


def name(page: Path) -> str:
    """How a test calls a page."""
    return str(page.relative_to(ROOT))


def imported(path: Path) -> list[tuple[int, str]]:
    """Modules of lactic that a file imports, and on which line."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "lactic":
            found += [(node.lineno, f"lactic.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.append((node.lineno, node.module or ""))
    return [(line, module) for line, module in found if module.startswith("lactic.")]


def room_of(module: str) -> str | None:
    """The room of a module, by its dotted name; None for the version, which is nobody's."""
    part = module.split(".")[1]
    return {"__version__": None, "__init__": None}.get(part, part)


def test_rooms_import_only_from_rooms_before_their_own():
    wrong, seen = [], set()
    for path in sorted((ROOT / "lactic").rglob("*.py")):
        own = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for line, module in imported(path) if own else ():
            other = room_of(module)
            if other is None:
                continue
            assert own in ROOMS and other in ROOMS, f"{path}: {own} or {other} is not a room in docs/architecture.md"
            seen.add((own, other))
            if ROOMS.index(other) > ROOMS.index(own):
                wrong.append(f"{name(path)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)
    assert len(seen) > 50  # it did look


def test_architecture_lists_the_rooms_in_that_order():
    text = (ROOT / "docs/architecture.md").read_text()
    table = text.split("## Rooms")[1].split("## ")[0]
    rows = re.findall(r"^\| `lactic/(\w+)", table, re.M)
    assert tuple(rows) == ROOMS
    drawn = re.search(r"```text\n(.*?)```", table, re.S)
    assert drawn and sorted(re.findall(r"[a-z]+", drawn[1])) == sorted(ROOMS)


@pytest.mark.parametrize("command", ["lactic play pace", "lactic train pace"])
def test_a_walk_is_short_and_returns_to_no_room_that_it_left(command):
    text = (ROOT / "docs/architecture.md").read_text().split(f"## `{command}`, file by file")[1].split("\n## ")[0]
    assert 1 < len(re.findall(r"^\d+\. ", text, re.M)) <= 12
    entered = [room for room in re.findall(r"`lactic/(\w+)", text) if room in ROOMS]
    stays = [room for room, before in zip(entered, [None, *entered], strict=False) if room != before]
    assert len(set(stays)) == len(stays) > 5, stays


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "lactic/brains").rglob("*.md"))], ids=name)
def test_links_resolve(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        aim = (page.parent / path).resolve() if path else page
        assert aim.exists(), f"{name(page)}: no {target}"
        if anchor:
            assert anchor in anchors(aim), f"{name(page)}: no heading {target}"


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_paths_exist(page):
    for path in re.findall(r"(?<![\w/.])((?:lactic|docs|tests|bench)/[\w./-]*\w)", page.read_text()):
        if not path.endswith("-v0"):  # an environment: tests/gym looks for those
            assert (ROOT / path).exists(), f"{name(page)}: no {path}"


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_modules_exist(page):
    for module in re.findall(r"(?:from|import|-m|`)\s?(lactic(?:\.\w+)+)", page.read_text()):
        parts = module.split(".")
        held = ROOT.joinpath(*parts)
        # a class or a function may stand at the end
        places = (held, held.with_suffix(".py"), held.parent.with_suffix(".py"), held.parent / "__init__.py")
        assert any(place.exists() for place in places), f"{name(page)}: no {module}"


FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
"""A block of code: its language, and what is in it."""


def commands(page: Path) -> list[list[str]]:
    """Words of every `lactic …` in code of a page, comments left out."""
    text = page.read_text()
    blocks = [block for language, block in FENCE.findall(text) if language in ("", "sh")]
    prose = FENCE.sub("", text)
    lines = [line for block in blocks for line in block.splitlines()] + re.findall(r"^    (lactic .*)$", prose, re.M)
    lines += [span.replace("\n", " ") for span in re.findall(r"`(lactic\s[^`]+)`", prose)]
    found = [re.match(r"(?:\.venv/bin/)?lactic (.+)", line.partition(" #")[0].strip()) for line in lines]
    return [match[1].split() for match in found if match]


def functions(file: Path) -> dict[str, set[str]]:
    """The options of each function in a file of the command line."""
    found, tree = {}, ast.parse(file.read_text())
    held = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    def renamed(node: ast.AST) -> set[str]:
        """Names that options have for people."""
        named = [k.value for k in ast.walk(node) if isinstance(k, ast.keyword) and k.arg == "name"]
        return {str(ast.literal_eval(value)) for value in named}

    def fields(node: ast.ClassDef) -> set[str]:
        """Options of a dataclass, and of those it extends."""
        own = {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
        above = [held[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in held]
        return own.union(renamed(node), *map(fields, above))

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
            found[node.name] = {*given, *renamed(node.args), "help"}
            found[node.name] |= {"json"} if "as_json" in given else set()
            found[node.name] |= {"map"} if "roles" in given else set()
            for word in ast.walk(node.args):
                if isinstance(word, ast.Name) and word.id in held:
                    found[node.name] |= fields(held[word.id])
    if "run" in found:
        found["run"] |= {field.name for field in dataclasses.fields(Play)}
    if file.stem in OPTIONS:
        found[file.stem] = {field.name for field in dataclasses.fields(OPTIONS[file.stem])}
    return found


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_commands_exist(page):
    verbs = set(re.findall(r"^@app\.command\ndef (\w+)", (CLI / "__init__.py").read_text(), re.M))
    for words in commands(page):
        said, verb = f"{name(page)}: lactic {' '.join(words)}", words[0]
        assert verb in verbs, said
        known = TRAINING if verb in ("train", "sweep") else functions(CLI / "__init__.py")[verb]
        if verb in OPTIONS:
            known = {field.name for field in dataclasses.fields(OPTIONS[verb])}
        elif (CLI / f"{verb}.py").is_file() and len(words) > 1 and words[1][0] != "-":
            subs = functions(CLI / f"{verb}.py")
            assert set(words[1].split("|")) <= set(subs), said
            known = set().union(*(subs[sub] for sub in words[1].split("|")))
        for option in re.findall(r"(?<=\s)--([a-zA-Z][\w.-]*)", " " + " ".join(words)):
            plain = option.removeprefix("no-").replace("-", "_")
            assert plain in known, f"{said}: no option --{option}"
    every = set().union(*(options for file in CLI.glob("*.py") for options in functions(file).values()))
    every |= TRAINING
    for option in re.findall(r"`--([a-zA-Z][\w.-]*)", FENCE.sub("", page.read_text())):
        assert option.removeprefix("no-").replace("-", "_") in every, f"{name(page)}: no option --{option}"


NAME = r"[a-z][a-z0-9.-]*"


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_brains_recipes_presets_and_papers_in_commands_exist(page):
    for words in commands(page):
        said, verb = f"{name(page)}: lactic {' '.join(words)}", words[0]
        given = dict(itertools.pairwise(words))
        first = words[1] if len(words) > 1 and re.fullmatch(NAME, words[1]) else None
        if verb == "play" and first:
            assert first in catalogue.names(), said
        if verb == "train" and first and not first.endswith(".yaml"):
            assert first in RECIPES, said
        for option in ("--from", "--brain"):
            if re.fullmatch(NAME, given.get(option, "/")):
                assert given[option] in catalogue.names(), said
        if re.fullmatch(NAME, given.get("--fitness", "/")):
            assert given["--fitness"] in PRESETS, said
        if verb == "lab" and len(words) > 2 and first:
            assert first in PAPERS, said
            assert words[2].isupper() or set(words[2].split("|")) <= {*PAPERS[first], "all"}, said


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_brains_recipes_and_presets_in_prose_exist(page):
    text = page.read_text()
    for word in re.findall(r"`((?:human|frey-law|cheema2023|feng2023)-[\w.-]+)`", text):
        assert word in PRESETS, f"{name(page)}: no preset {word}"
    for word in re.findall(r"`([\w-]+-(?:expert|lrle|box|restless))`", text):
        assert word in RECIPES.union(catalogue.names(), PRESETS), f"{name(page)}: no brain {word}"
    for word in re.findall(r"[Rr]ecipes? `?([a-z][\w-]+)`", text):
        assert word in RECIPES, f"{name(page)}: no recipe {word}"


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_settings_exist(page):
    for setting in re.findall(r"`((?:task|learn)\.[a-z_.]+\w)(?!\w*\.py)\b", page.read_text()):
        inside = any(option.startswith(setting + ".") for option in TRAINING)
        assert setting in TRAINING or inside, f"{name(page)}: no setting {setting}"


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_extras_exist(page):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for names in re.findall(r"(?:lactic|\.)\[([a-z,]+)\]", page.read_text()):
        assert set(names.split(",")) <= set(extras), f"{name(page)}: no extra {names}"


def test_tables_of_presets_strength_and_recipes_are_whole():
    text = (ROOT / "docs/researchers.md").read_text()
    section = {part.split("\n")[0]: part for part in text.split("\n## ")}
    named = set(re.findall(r"`([\w.-]+)`", section["Fitness presets"]))
    assert set(PRESETS) <= named
    assert set(strength.TABLES) <= set(re.findall(r"`([\w.-]+)`", section["Strength tables"]))
    assert set(re.findall(r"`([\w.-]+)`", section["Recipes"])) >= RECIPES


def test_readme_is_one_page():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_every_picture_is_shown_and_small():
    shown = {
        (page.parent / target).resolve()
        for page in [*PAGES, *(ROOT / "lactic/brains").rglob("*.md")]
        for target in re.findall(r"\]\(([^)\s]+\.png)\)", page.read_text())
    }
    for picture in (ROOT / "docs/pictures").rglob("*.png"):
        assert picture.resolve() in shown, f"{picture}: shown nowhere"
        assert picture.stat().st_size < 150_000, f"{picture}: {picture.stat().st_size} bytes"
