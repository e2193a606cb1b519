"""Numbers in the docs: results are the lab's, constants are the code's, and the rest stands beside what prints it."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from doc_constants import PHRASES

from lactic.brain import catalogue
from lactic.lab.results import meaning, write_results

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs/results"
PAPERS = sorted(path.stem for path in RESULTS.glob("*.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs/clips/README.md"]
PAGES += sorted((ROOT / "lactic/brains").glob("*/card.md"))
NUMBER = re.compile(r"(?<![\w.,])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\w)")
QUOTES = re.compile(rf"(?:results/|lactic lab )({'|'.join(PAPERS)})(?=\.md[)#]|/\w+\.csv|\s|`)")
ITEMS = re.compile(rf"lactic lab (?:{'|'.join(PAPERS)})\s(\w+)|(\w+)\.csv")
"""How a text names the paper whose results it quotes, and the item."""
CODE = re.compile(r"```.*?```|`[^`]*`", re.S)
NAMES = re.compile(r"\]\([^)]*\)|[≤≥]\s[\d.]+|\((?:[\d.]+, ){2}[\d.]+\)|\b(?:Sec|Fig|Eq|Alg)s?\.\s[\d.]+|\d+(?:-\d+)+")
"""Digits that measure nothing: targets of links, what is asked, (F, R, r), places in papers, layers of networks."""


def name(page: Path) -> str:
    """How a test calls a page."""
    return str(page.relative_to(ROOT))


def plain(text: str) -> str:
    """A text without code and without digits that measure nothing."""
    return NAMES.sub(" ", CODE.sub(" ", text))


def rows_of(paper: str, item: str = "*") -> list[dict[str, str]]:
    """The rows of a paper's results, or of one item."""
    files = sorted((RESULTS / paper).glob(f"{item}.csv"))
    return [row for file in files for row in csv.DictReader(file.read_text().splitlines())]


def missing(text: str, rows: list[dict[str, str]]) -> list[str]:
    """Numbers of a text that are none of these rows', to their own digits; a share may be said in percent."""
    values = [float(row[key]) for row in rows for key in ("value", "low", "high", "n", "paper") if row[key]]
    lost = []
    for number in NUMBER.findall(plain(text)):
        digits = number.replace(",", "").replace("−", "-")
        half = 0.5000001 * 10.0 ** -len(digits.partition(".")[2])
        if not any(abs(scale * value - float(digits)) <= half for value in values for scale in (1, 100)):
            lost.append(number)
    return lost


@pytest.mark.parametrize("paper", PAPERS)
def test_a_result_page_is_what_the_lab_writes_and_its_prose_quotes_the_rows(paper, tmp_path):
    for file in (RESULTS / paper).glob("*.json"):
        rows = json.loads(file.read_text())["rows"]
        texts = [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]
        assert rows_of(paper, file.stem) == texts, f"{file.stem}: the CSV is not the JSON"
    (tmp_path / paper).symlink_to(RESULTS / paper)  # links in the page are those of a page beside it
    write_results(tmp_path / paper, tmp_path / "page.md")
    lines, shown = (file.read_text().splitlines() for file in (tmp_path / "page.md", RESULTS / f"{paper}.md"))
    rest = iter(shown)
    assert [line for line in lines if line not in rest] == []  # all of them, in this order
    prose = "\n".join(line for line in shown if line not in lines)
    assert missing(prose, rows_of(paper)) == []


def quoted(text: str) -> list[dict[str, str]]:
    """The rows that a text quotes: those of the items that it names, else all of its papers."""
    papers, items = set(QUOTES.findall(text)), {"".join(found) for found in ITEMS.findall(text)}
    named = [row for paper in papers for item in items for row in rows_of(paper, item)]
    return named or [row for paper in papers for row in rows_of(paper)]


def quotations(page: Path) -> Iterator[tuple[list[dict[str, str]], set[str], str]]:
    """Table rows, paragraphs and list items of a page: rows that they quote, subjects and metrics, and their text."""
    brain = page.parent.name
    own = {brain, brain.removesuffix("-expert"), "person"} if page.name == "card.md" else set()
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    blocks = ["", *re.split(r"\n\s*\n|\n(?=- )", text), ""]
    for before, block, after in zip(blocks, blocks[1:], blocks[2:], strict=False):
        if not block.lstrip().startswith("|"):
            yield quoted(block), own, block
            continue
        lines = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in block.strip().splitlines()]
        for cells in lines[2:]:
            rows = quoted(" ".join(cells)) or quoted(before) or quoted(after)
            yield rows, own | {lines[0][0], cells[0]}, " | ".join(cells[1:])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_quoted_result_is_in_the_csv(page):
    for rows, said, text in quotations(page):
        rows = [row for row in rows if row["subject"] in said] or rows
        rows = [row for row in rows if meaning(row["metric"]) in said] or rows
        if rows:
            assert missing(text, rows) == [], f"{name(page)}: {text}"


def words(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


@pytest.mark.parametrize("page", PHRASES)
def test_constants_are_those_of_the_code(page):
    text = words((ROOT / page).read_text())
    assert [phrase for phrase in PHRASES[page] if phrase not in text] == []


def test_accuracies_are_those_of_the_networks():
    table, shown = (ROOT / "docs/muscle.md").read_text(), 0
    for one in json.loads((ROOT / "lactic/muscle/networks/accuracy.json").read_text()):
        own = {"value": one["accuracy"], "low": one["median"], "high": one["p95"], "n": "", "paper": ""}
        for line in re.findall(rf"(?m)^\| {one['network']}, {one['where']} \|(.*)$", table):
            assert missing(line, [own, *rows_of("jiang2019", "networks")]) == [], line
            shown += 1
    assert shown > 5


@pytest.mark.parametrize("brain", catalogue.names())
def test_a_card_says_how_long_its_brain_was_trained_and_how_large_it_is(brain):
    folder = ROOT / "lactic/brains" / brain
    info, text = catalogue.find(brain).load().info, words((folder / "card.md").read_text())
    for pattern, value in (
        (r"Training: ([\d.]+) M samples", info.samples / 1e6),
        (r"Training: [\d.]+ M samples in ([\d.]+) minutes", info.seconds / 60),
        (r"Polic[^.]*?, ([\d.]+) MB", (folder / "brain.onnx").stat().st_size / 1e6),
    ):
        for said in re.findall(pattern, text):
            assert abs(float(said) - value) <= 0.5000001 * 10.0 ** -len(said.partition(".")[2]), f"{pattern}: {value}"


UNITS = "ms|µs|s|kB|MB|GB|%|m/s|m|cm|mm|µm|kg|N|Nm|Hz|rad|rad/s|k/s|times|×|minutes|seconds|Nm/kg|J/kg/m"
MEASURED = re.compile(rf"(?<![\w.,])\d[\d.,]*\s?(?:{UNITS})(?![\w/])")
PRINTS = re.compile(
    r"lactic (?:lab|fitness|plan|match|bodies|strength|clips|play|tire)\b|bench/\w+\.py|tests/[\w/]+\.py"
    r"|make (?:bench|wheel)|results/"
)
"""What prints numbers, or holds them: commands, benchmarks, tests, results of the lab."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_measured_number_stands_beside_what_prints_it(page):
    text = page.read_text()
    for section in [text] if page.name == "card.md" else re.split(r"(?m)^(?=#+ )", text):
        left = words(plain(section))
        for phrase in PHRASES.get(name(page), []):
            left = left.replace(words(plain(phrase)), "")
        found = MEASURED.findall(left)
        assert not found or PRINTS.search(section), f"{section.splitlines()[0]}: nothing prints {found}"
