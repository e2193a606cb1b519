"""Items of jiang2019 that concern networks: rows beside the paper's, pictures, and what is said without numba."""

import json

import pytest

from lactic.lab import job
from lactic.lab.jiang2019 import networks


def made(item: str, out) -> dict[tuple[str, str, str], dict]:
    job.run("jiang2019", item, out, say=lambda _: None)
    rows = json.loads((out / f"{item}.json").read_text())["rows"]
    assert (out / f"{item}.png").read_bytes()[:4] == b"\x89PNG"
    return {(row["subject"], row["condition"], row["metric"]): row for row in rows}


def test_networks_are_as_accurate_as_the_papers(tmp_path, monkeypatch):
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    monkeypatch.setattr(networks, "SAMPLES", 1500)
    rows = made("networks", tmp_path)
    for name, paper in (("R", 0.95), ("E", 0.92)):
        row = rows[name, "uniform", "accuracy"]
        assert row["paper"] == paper <= row["value"] < 1
    assert rows["R", "drawn within 20 Nm of the boundary", "R_error_p95"]["value"] < 5
    page = (tmp_path / "results.md").read_text()
    assert "# jiang2019, reproduced" in page and "episodes" not in page


def test_fig7_and_fig8_say_what_the_text_says(tmp_path):
    """The ankle is weaker away from its middle and with a bent knee; bending hip and knee makes extension easier."""
    ankle = {key[1]: row["value"] for key, row in made("fig7", tmp_path).items() if key[0] == "learned"}
    weaker = ("ankle up 25°", "ankle down 40°", "knee bent 90°")
    assert all(ankle[name] < 0.85 * ankle["all coordinates 0"] for name in weaker)
    hip = {key[1]: row["value"] for key, row in made("fig8", tmp_path).items() if key[0] == "learned"}
    assert hip["extension, hip and knee bent 45°"] < 0.7 * hip["extension, hip and knee straight"]
    straight = hip["flexion, leg straight down"]
    assert hip["flexion, abducted 30°"] > straight and hip["flexion, adducted 30°"] > straight


def test_without_numba_the_learned_lines_remain(tmp_path, monkeypatch):
    import sys

    for name in ("numba", "lactic.muscle.swift", "lactic.muscle.simplex", "lactic.muscle.projection"):
        monkeypatch.setitem(sys.modules, name, None)
    lines: list[str] = []
    job.run("jiang2019", "fig7", tmp_path, say=lines.append)
    assert any(line.startswith("skipped: exact lines need numba") for line in lines)
    assert {row["subject"] for row in json.loads((tmp_path / "fig7.json").read_text())["rows"]} == {"learned"}
    job.run("jiang2019", "networks", tmp_path, say=lines.append)
    assert any("muscles need numba" in line for line in lines) and not (tmp_path / "networks.json").exists()
