"""`lactic strength check`: what it says of good, lopsided and broken models."""

import json

import pytest
from tiny_osim import tiny_file

from lactic.cli import main

pytest.importorskip("numba", reason="numba (lactic[muscle]) is not installed")


def rows_of(capsys, *words: str) -> dict[str, dict[str, str]]:
    assert main(["strength", "check", *words, "--json"]) == 0
    return {row["check"]: row for row in json.loads(capsys.readouterr().out)}


@pytest.fixture(scope="module")
def models(shared_data):
    folder = shared_data / "osim"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    return folder


def test_a_symmetric_model_passes(models, capsys):
    rows = rows_of(capsys, str(models / "gait2392_thelen2003muscle.osim"), "--samples", "300")
    assert rows["model"]["found"] == "3DGaitModel2392: 12 bodies, 23 coordinates, 92 muscles, 75.16 kg"
    for name in ("moment arms", "mirrored legs", "correction R", "effort E"):
        assert rows[name]["verdict"] == "ok", rows[name]
    assert rows["against OpenSim"]["verdict"] in ("ok", "skipped")
    assert rows["knee extension"]["found"].startswith("73 Nm with all coordinates 0")
    assert "semimem" in rows["rigid tendons"]["found"]


def test_a_lopsided_model_is_found_out(models, capsys):
    """The 2.3 file's left vastus intermedius moves as the rectus femoris does; the right one does not."""
    rows = rows_of(capsys, str(models / "gait2392_simbody_lrle.osim"), "--side", "l", "--samples", "100")
    assert rows["mirrored legs"]["verdict"] == "differs"
    assert rows["mirrored legs"]["found"].startswith("vas_int: lengths part")


def test_the_table_is_for_people(models, capsys):
    assert main(["strength", "check", str(models / "gait2392_millard2012muscle.osim"), "--samples", "20"]) == 0
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
