"""Settings as flags: every field of a settings dataclass is `--place.name VALUE`, with its own sentence as help.

One typed definition serves YAML files and the command line, with the standard library alone: a machine that trains
may have no library for commands.
"""

import argparse
import ast
import dataclasses
import difflib
import inspect
import textwrap
import typing
from itertools import pairwise
from typing import Any, NoReturn

import yaml

from lactic.errors import InputError
from lactic.task.kinds import KINDS
from lactic.task.settings import TaskSettings


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are one line, with the nearest flag."""

    @property
    def options(self) -> list[str]:
        """Every flag it knows."""
        return [option for action in self._actions for option in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Refuse the words of a command line."""
        wrong = message.removeprefix("unrecognized arguments: ").split(" ")[0]
        near = difflib.get_close_matches(wrong, self.options, 1) if wrong.startswith("--") else []
        raise InputError(message + (f"; did you mean {near[0]}?" if near else f"; see {self.prog} --help"))


_GIVEN = "given "
"""Marks what came from a flag among the parsed arguments."""


def sentences(kind: type) -> dict[str, str]:
    """The docstring below each field of a dataclass."""
    found: dict[str, str] = {}
    for base in reversed([base for base in kind.__mro__ if dataclasses.is_dataclass(base)]):
        found |= _own_sentences(base)
    return found


def _own_sentences(kind: type) -> dict[str, str]:
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(made, ast.ClassDef)
    found = {}
    for field, after in pairwise(made.body):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            found[field.target.id] = " ".join(after.value.value.split())
    return found


def add(parser: argparse.ArgumentParser, kind: type, place: str = "", known: set[str] | None = None) -> None:
    """A flag for every field of a dataclass and of those inside it; of a task, for those of every kind."""
    hints, said, known = typing.get_type_hints(kind), sentences(kind), set() if known is None else known
    group = parser.add_argument_group(f"settings {place.rstrip('.')}".strip())
    for field in dataclasses.fields(kind):
        name, hint = f"{place}{field.name}", hints[field.name]
        if dataclasses.is_dataclass(hint):
            for inside in KINDS.values() if hint is TaskSettings else (hint,):
                add(parser, typing.cast(type, inside), f"{name}.", known)
        elif name not in known:
            known.add(name)
            names = dict.fromkeys([f"--{name}", f"--{name.replace('_', '-')}"])
            text = said.get(field.name, "").replace("%", "%%")
            group.add_argument(*names, dest=_GIVEN + name, metavar="VALUE", default=argparse.SUPPRESS, help=text)


def taken(parsed: dict[str, Any]) -> dict[str, Any]:
    """Take the settings out of parsed arguments: values by place, such as {"task.episode": 1000}, each read as YAML."""
    found = {key: parsed.pop(key) for key in list(parsed) if key.startswith(_GIVEN)}
    return {key.removeprefix(_GIVEN): yaml.safe_load(text) for key, text in found.items()}
