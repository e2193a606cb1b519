"""`lactic strength check`: what it says of good, lopsided and broken models."""

import json

import pytest
from made_legs import legs_file
from tiny_osim import tiny_file

from lactic.cli import main

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")


def rows_of(capsys, *words: str) -> dict[str, dict[str, str]]:
    assert main(["strength", "check", *words, "--json"]) == 0
    return {row["check"]: row for row in json.loads(capsys.readouterr().out)}


def test_a_symmetric_model_passes(legs, capsys):
    rows = rows_of(capsys, str(legs.file), "--samples", "300")
    assert rows["model"]["found"] == "legs: 7 bodies, 10 coordinates, 20 muscles, 17.50 kg"
    for name in ("moment arms", "mirrored legs", "correction R", "effort E"):
        assert rows[name]["verdict"] == "ok", rows[name]
    assert rows["against OpenSim"]["verdict"] in ("ok", "skipped")
    assert rows["ankle plantarflexion"]["found"].startswith("56 Nm with all coordinates 0")
    assert "piri" in rows["rigid tendons"]["found"]


def test_a_lopsided_model_is_found_out(tmp_path, capsys):
    rows = rows_of(capsys, str(legs_file(tmp_path, lopsided=0.01)), "--side", "l", "--samples", "100")
    assert rows["mirrored legs"]["verdict"] == "differs"
    assert rows["mirrored legs"]["found"].startswith("vas_int: lengths part by up to 10.0 mm")


def test_the_table_is_for_people(legs, capsys):
    assert main(["strength", "check", str(legs.file), "--samples", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["check", "verdict", "found"]
    assert any(line.startswith("ankle plantarflexion") for line in lines)


def test_wrong_input_is_one_line(tmp_path, capsys):
    tiny = str(tiny_file(tmp_path))
    assert main(["strength", "check", tiny]) == 2
    message = capsys.readouterr().err
    assert "no coordinate hip_flexion_r" in message and message.count("\n") == 1
    assert main(["strength", "check", str(tmp_path / "none.osim")]) == 2
    assert "none.osim: cannot read it" in capsys.readouterr().err
    assert main(["strength", "check", tiny, "--samples", "3"]) == 2
    assert "samples: 3 are too few" in capsys.readouterr().err
