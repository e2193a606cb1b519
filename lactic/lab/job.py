"""`lactic lab PAPER ITEM`: make items of a paper, print them and leave their files."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lactic.errors import InputError
from lactic.files import output_folder
from lactic.jobs import answers
from lactic.lab.bench import Bench, character, clip_folder
from lactic.lab.report import Report
from lactic.lab.results import write_results

ITEMS = {
    "cheema2023": "table1 table4 fig3 fig4 fig6 fig7 fig8 fig12 fig13 fig14 fig15 fig16 fig18 ablation",
    "bergamin2020": "search continuity turn reversal path user tired impact runtime",
    "jiang2019": "networks table1 scheme fig4 fig6 fig7 fig8 reach gait",
    "tired_actor": "table1 table2 table3 table4 categories fig4 natural fig5 fig6 fig7 fig8 fig9 fig10 fig11 rates "
    "ablations recovery lasting",
    "feng2023": "bound fig9 fig10 following beside fig5 fig6 fig7 fig8 fig11 fig12 commands runtime",
    "people": "pace commands bodies limp skills load gait",
}
PAPERS = {paper: tuple(items.split()) for paper, items in ITEMS.items()}
"""Papers, and people, and their items: lactic/lab/PAPER/ITEM.py has TITLE, make(bench, report), and maybe TARGETS."""

COMPARING = (("people", "gait"), ("feng2023", "beside"), ("feng2023", "fig12"))
"""Items that take motion files or folders of runs after their names."""


def items_of(paper: str, item: str) -> tuple[str, ...]:
    """The items meant by a name or `all`."""
    if paper not in PAPERS:
        raise InputError(f"unknown paper '{paper}'; there are: {', '.join(PAPERS)}")
    if item == "all":
        return PAPERS[paper]
    if item not in PAPERS[paper]:
        raise InputError(f"unknown item '{item}' of {paper}; there are: {', '.join(PAPERS[paper])}, all")
    return (item,)


def said_of(paper: str, item: str, out: Path, options: dict[str, Any]) -> list[str]:
    """Make one item elsewhere: what there is to say of it."""
    lines: list[str] = []
    run(paper, item, out, **options, say=lines.append)
    return lines


def run(
    paper: str,
    item: str,
    out: Path,
    *,
    cluster: str | None = None,
    say: Callable[[str], None] = print,
    **options: Any,
) -> list[Report]:
    """Make one item or all, and write OUT/ITEM.json, .csv, .png and OUT/results.md as each is done.

    Options are fields of `Bench`. With `cluster`, the address of a Ray cluster, its nodes make them; reports are then
    in the files alone.
    """
    items, bench = items_of(paper, item), Bench(out, say=say, **options)
    if not 1 <= bench.episodes <= 4096:
        raise InputError(f"episodes {bench.episodes}: must be between 1 and 4096")
    if bench.motions and (paper, item) not in COMPARING:
        names = ", ".join(" ".join(each) for each in COMPARING)
        raise InputError(f"'{bench.motions[0]}': only these items compare what is named after them: {names}")
    for name in bench.brains:
        character(name)  # says at once if there is no such brain
    clip_folder(bench.clips)
    output_folder(out)
    if cluster:
        jobs = [(paper, name, out.absolute(), options) for name in items]
        for _, lines in answers(said_of, jobs, cluster):
            for line in lines:
                say(line)
        write_results(out, out / "results.md")
        return []
    reports = []
    for name in items:
        module = importlib.import_module(f"lactic.lab.{paper}.{name}")
        report = Report(paper, name, module.TITLE, bench.settings(), targets=getattr(module, "TARGETS", {}))
        say(f"{name}: {module.TITLE}")
        module.make(bench, report)
        for line in report.skipped:
            say(f"skipped: {line}")
        if report.rows:
            for line in report.lines():
                say(line)
            written = report.write(bench.out)
            write_results(bench.out, bench.out / "results.md")
            say(f"wrote {', '.join(path.name for path in written)} in {bench.out}/")
        else:
            say(f"{name}: nothing could be measured, so nothing was written")
        reports.append(report)
    return reports
