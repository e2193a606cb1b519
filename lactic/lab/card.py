"""The card of a shipped character, written from its settings, its training and what the lab measured of it."""

import json
import os
from pathlib import Path

from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import BrainInfo
from lactic.errors import InputError
from lactic.files import whole_file
from lactic.lab.bench import Bench
from lactic.lab.cheema2023.table4 import COLUMNS, PAPER, torques
from lactic.lab.episodes import Ask
from lactic.lab.pictures import strip
from lactic.lab.report import number
from lactic.lab.results import meaning
from lactic.lab.skills import SKILLS as LISTED
from lactic.lab.trial import OFF, TIRED
from lactic.motion.skills import SKILLS
from lactic.motion.standing import NAME as STAND

WEAKNESSES = "## Weaknesses"
"""What follows this line in a card was written by hand and stays."""


def write_cards(bench: Bench) -> list[Path]:
    """Cards and film strips of the characters chosen with --brain, else of all shipped ones that were trained."""
    folders = []
    for actor in bench.characters(*LISTED):
        folders += [folder for folder in (actor.expert, actor.tired) if folder is not None]
    if not folders:
        raise InputError("cards: none of these characters was trained from a clip")
    written = []
    for folder in folders:
        expert = folder.name.endswith("-expert")
        trial = bench.trial(folder, Ask(*((8.0, OFF) if expert else (30.0, TIRED)), episodes=1, seed=bench.seed))
        picture = bench.out / f"{folder.name}.png"
        with whole_file(picture) as temporary:
            strip(trial, 0)(temporary)
        written.append(write_card(folder, bench.out, Path(os.path.relpath(picture, folder.path)).as_posix()))
        bench.say(f"wrote {written[-1]} and {picture}")
    return written


def write_card(folder: BrainFolder, results: Path, picture: str | None = None) -> Path:
    """Write card.md of a brain from the JSON of `lactic lab cheema2023` in `results`, with a link to its picture."""
    path = folder.path / "card.md"
    lines = [f"# {folder.name}", "", *_training(folder), "", *_figures(folder, results), *_torques(folder)]
    if picture:
        lines += [f"![{folder.name}]({picture})", ""]
    lines += [WEAKNESSES, "", _kept(path)]
    with whole_file(path) as temporary:
        temporary.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return path


def _training(folder: BrainFolder) -> list[str]:
    params, info = folder.params(), folder.load().info
    clips = params.get("task", {}).get("clips") or {}
    shares = sum(clips.values()) or 1.0
    lines = [f"{info.description}.", ""]
    for name, share in clips.items():
        source = f"{SKILLS[name].source if name in SKILLS else 'your own'}; retargeted"
        source = "quiet standing, made of the body alone" if name == STAND else source
        part = f", {100 * share / shares:.0f} % of the reference" if len(clips) > 1 else ""
        lines.append(f"- Clip `{name}`: {source}{part}.")
    stage = params.get("task", {}).get("fatigue", {})
    tires = stage.get("mode") == "limits"
    lines.append(f"- Training: {_spent(info)}{', the expert included' if tires else ''}.")
    if tires:
        lines.append(f"- Its strength runs out: torque limits RC·τmax, fitness {info.fitness}, load {info.load}.")
    else:
        lines.append("- An expert: at full strength, blind to fatigue.")
    size = (folder.path / "brain.onnx").stat().st_size / 1e6
    policy = "-".join(str(n) for n in params.get("learn", {}).get("policy", ()))
    lines.append(f"- Policy {policy}, {size:.2f} MB.")
    return lines


def _spent(info: BrainInfo) -> str:
    samples = f"{info.samples / 1e6:.0f} M samples"
    return f"{samples} in {info.seconds / 60:.1f} minutes of one H200" if info.seconds else samples


def _figures(folder: BrainFolder, results: Path) -> list[str]:
    table = results / "table1.json"
    if not table.is_file():
        raise InputError(f"{table}: not there; run `lactic lab cheema2023 table1 --out {results}` first")
    item = json.loads(table.read_text(encoding="utf-8"))
    expert = folder.name.endswith("-expert")
    wanted = ("expert", "untransferred") if expert else ("tired",)
    rows = [
        row
        for row in item["rows"]
        if row["subject"] == folder.name.removesuffix("-expert")
        and row["condition"] in wanted
        and row["value"] is not None
    ]
    if not rows:
        return []
    episodes = item["settings"]["episodes"]
    lines = [f"Deterministic policy on CPU MuJoCo, {episodes} episodes from random states of its own:", ""]
    lines += ["| | measured | 95 % | cheema2023 |", "|---|---|---|---|"]
    for row in rows:
        name = meaning(row["metric"]).replace("|", "\\|")
        if row["condition"] == "untransferred":
            name += " (fatigue limits, no transfer)"
        interval = "" if row["low"] is None else f"{number(row['low'])} … {number(row['high'])}"
        paper = "" if row["paper"] is None else number(row["paper"])
        lines.append(f"| {name} | {number(row['value'])} | {interval} | {paper} |")
    return [*lines, ""]


def _torques(folder: BrainFolder) -> list[str]:
    found = torques(folder)
    if found is None:
        return []
    skill = folder.name.removesuffix("-expert")
    column = COLUMNS.index(skill) if skill in COLUMNS else None
    lines = ["Torques asked for, Nm: the highest ever, the 99.9th percentile, and cheema2023's Table 4.", ""]
    lines += ["| joint | highest | typical | Table 4 |", "|---|---|---|---|"]
    for joint, row in PAPER.items():
        paper = "" if column is None else f"{row[column]:.0f}"
        lines.append(f"| {joint} | {found['highest'][joint]:.0f} | {found['typical'][joint]:.0f} | {paper} |")
    return [*lines, ""]


def _kept(path: Path) -> str:
    if not path.is_file():
        return "Not looked at yet."
    _, mark, rest = path.read_text(encoding="utf-8").partition(WEAKNESSES)
    return rest.strip() if mark else "Not looked at yet."
