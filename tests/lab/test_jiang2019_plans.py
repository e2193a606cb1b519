"""Plans of jiang2019's items: kept between calls, bounded in time, and what is said of those that fail."""

import json

import pytest

pytest.importorskip("casadi", reason="no CasADi: pip install lactic[plan]")

from lactic.lab import job
from lactic.lab.jiang2019 import plans
from lactic.plan import search
from lactic.plan.tasks import Setting


@pytest.fixture(autouse=True)
def few_nodes(monkeypatch):
    monkeypatch.setattr(search, "SETTINGS", dict.fromkeys(("jump", "swing", "reach"), Setting(1.0, 16)))


def test_plans_are_made_once_and_what_is_missing_is_told(tmp_path, monkeypatch):
    lines: list[str] = []
    job.run("jiang2019", "fig4", tmp_path, say=lines.append)
    rows = json.loads((tmp_path / "fig4.json").read_text())["rows"]
    assert {(row["condition"], row["metric"], row["paper"]) for row in rows} >= {
        ("LR", "height_m", 1.26),
        ("BOX", "height_m", 1.6),
    }
    assert (tmp_path / "fig4-LR.png").read_bytes()[:4] == b"\x89PNG"
    assert any("2 to make: about" in line and "at most" in line for line in lines)

    monkeypatch.setattr(plans, "WITHIN", 0.0)  # none can be made now
    lines.clear()
    job.run("jiang2019", "table1", tmp_path, say=lines.append)
    assert any("2 of 6 plans are in" in line for line in lines)
    assert sum("no solution in" in line for line in lines) == 4  # the others, and the item still has its rows
    found = json.loads((tmp_path / "table1.json").read_text())["rows"]
    assert {row["condition"] for row in found} == {"LR", "BOX"}
    for name in ("jump-mtu", "swing-lr"):
        assert not (tmp_path / "plans" / name).exists()

    monkeypatch.setattr(plans, "made_of", lambda: {"version": "another"})  # what was kept no longer counts
    lines.clear()
    job.run("jiang2019", "fig4", tmp_path, say=lines.append)
    assert any("2 to make" in line for line in lines) and any("nothing could be measured" in line for line in lines)
