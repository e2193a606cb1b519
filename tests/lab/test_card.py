"""Cards: what they say, what of them is kept; and the table of torques."""

import json
from pathlib import Path

import pytest
import yaml

from lactic.errors import InputError
from lactic.lab.card import write_card
from lactic.lab.cheema2023.table4 import PAPER, torques

ROWS = [
    {
        "subject": "kick",
        "condition": "expert",
        "metric": "survival",
        "value": 0.984,
        "low": 0.9,
        "high": 1.0,
        "n": 64,
        "paper": None,
    },
    {
        "subject": "kick",
        "condition": "untransferred",
        "metric": "survival",
        "value": 0.0,
        "low": 0.0,
        "high": 0.1,
        "n": 64,
        "paper": None,
    },
    {
        "subject": "hop",
        "condition": "expert",
        "metric": "survival",
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n": 64,
        "paper": None,
    },
]


@pytest.fixture
def expert(folder, tmp_path: Path):
    made = folder("kick-expert", samples=46_000_000, seconds=90)
    params = yaml.safe_load((made.path / "params.yaml").read_text())
    params["task"]["clips"] = {"spinkick": 1.0, "mine": 3.0}
    (made.path / "params.yaml").write_text(yaml.safe_dump(params))
    (made.path / "brain.onnx").write_bytes(bytes(1_330_000))
    joints = {("right_" if "_" not in joint or joint[:4] not in ("abdo", "neck") else "") + joint for joint in PAPER}
    table = {kind: dict.fromkeys(joints, value) for kind, value in (("highest", 500.0), ("typical", 120.0))}
    (made.path / "torques.yaml").write_text(yaml.safe_dump(table))
    (tmp_path / "table1.json").write_text(json.dumps({"rows": ROWS, "settings": {"episodes": 64}}))
    return made


def test_a_card_tells_clips_training_figures_and_torques(expert, tmp_path: Path):
    card = write_card(expert, tmp_path, "strip.png").read_text()
    assert "`spinkick`: DeepMimic, MIT; retargeted, 25 % of the reference" in card
    assert "`mine`: your own" in card
    assert "46 M samples in 1.5 minutes" in card
    assert "| share of episodes without a fall | 0.984 | 0.9 … 1 |" in card
    assert "(fatigue limits, no transfer) | 0 |" in card and "0.5" not in card  # the hop's row is not the kick's
    assert "| knee | 500 | 120 | 810 |" in card
    assert "![kick-expert](strip.png)" in card and "1.33 MB" in card


def test_what_was_written_by_hand_is_kept(expert, tmp_path: Path):
    path = write_card(expert, tmp_path)
    path.write_text(path.read_text().replace("Not looked at yet.", "It lands a little hard."))
    card = write_card(expert, tmp_path).read_text()
    assert card.endswith("## Weaknesses\n\nIt lands a little hard.\n") and card.count("Weaknesses") == 1


def test_torques_are_left_and_right_alike_and_errors_are_plain(expert, tmp_path: Path):
    found = torques(expert)
    assert found is not None and set(found["highest"]) == set(PAPER)
    (expert.path / "torques.yaml").write_text("highest: 3")
    with pytest.raises(InputError, match=r"torques\.yaml"):
        torques(expert)
    (expert.path / "torques.yaml").unlink()
    assert torques(expert) is None
    (tmp_path / "table1.json").unlink()
    with pytest.raises(InputError, match="lactic lab cheema2023 table1"):
        write_card(expert, tmp_path)
