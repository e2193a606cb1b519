"""Damaged brains, bodies, libraries and motion files are opened, or refused in one line (`bench/fuzz.py` has 2,000)."""

import warnings
from pathlib import Path

import pytest
from damage import KINDS, damaged_file, write_seeds

from lactic.errors import InputError


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds")
    write_seeds(folder)
    return folder


def test_damaged_files_are_opened_or_refused_in_one_line(seeds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo's log goes there
    refused, files = 0, 5 * len(KINDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(files):
            kind, path = damaged_file(7, number, seeds, tmp_path)
            try:
                kind.open(path)
            except InputError as error:
                assert "\n" not in str(error), f"{number} ({kind.file})"
                refused += 1
    assert files / 4 < refused < files  # the damage is neither harmless nor always fatal
