"""A sweep: every combination of values, in processes of their own, with the results of single runs."""

import csv
import shutil
from pathlib import Path

import pytest
import torch

from lactic.cli import main
from lactic.errors import InputError
from lactic.learn.__main__ import train
from lactic.learn.sweep import over_seeds, read, sweep

SMALL = ["--worlds", "4", "--device", "cpu", "--learn.policy", "[8]", "--learn.value", "[8]", "--iterations", "20"]


def test_every_combination_is_a_run_with_a_name():
    made = read(["pace", "--learn.gamma", "0.9", "0.99", "--seed", "0", "1", "--minutes", "5", "--light"])
    assert made.out == Path("runs/pace-sweep") and made.cluster is None
    runs = {name: " ".join(each) for name, each in made.runs().items()}
    assert list(runs) == ["gamma=0.9,seed=0", "gamma=0.9,seed=1", "gamma=0.99,seed=0", "gamma=0.99,seed=1"]
    assert runs["gamma=0.9,seed=1"] == "pace --minutes 5 --light --learn.gamma 0.9 --seed 1"
    alike = read(["pace", "--learn.rate", "1e-4", "2e-4", "--learn.style.rate", "-1", "-2", "--minutes", "5"])
    assert next(iter(alike.runs())) == "learn.rate=1e-4,learn.style.rate=-1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a recipe"),
        (["--seed", "0", "1"], "name a recipe"),
        (["ant", "5"], "belongs to no flag"),
        (["ant", "--seed", "0", "--minutes", "1"], "use `lactic train`"),
        (["ant", "--seed", "0", "1"], "--minutes or --iterations"),
        (["ant", "--seed", "0", "--seed", "1"], "stands twice"),
        (["ant", "--seed", "0", "1", "--resume"], "goes on by itself"),
        (["ant", "--seed", "0", "1", "--out", "a", "b"], "takes one value"),
        (["ant", "--seeds", "0", "1", "--minutes", "1"], "did you mean --seed"),
        (["ant", "--learn.gamma", "0.9", "much", "--minutes", "1"], "learn.gamma"),
        (["ants", "--seed", "0", "1", "--minutes", "1"], "ants"),
        (["muscle-vae", "--seed", "0", "1", "--minutes", "1", "--wordls", "3"], "did you mean --worlds"),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_trained(words: list[str], said: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said):
        sweep(words)
    assert not list(tmp_path.iterdir())


def test_a_sweep_gives_what_single_runs_give_and_goes_on_where_it_was(tmp_path: Path):
    said: list[str] = []
    words = ["ant", "--seed", "0", "1", *SMALL, "--out", str(tmp_path / "sweep")]
    rows = sweep(words, said.append)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    alone = train(["ant", "--seed", "1", *SMALL, "--out", str(tmp_path / "alone")], lambda line: None)
    torch.set_num_threads(threads)
    assert rows[1] == {"seed": "1", **alone} and rows[0]["reward"] != alone["reward"]
    with (tmp_path / "sweep" / "sweep.csv").open() as stream:
        assert [float(row["reward"]) for row in csv.DictReader(stream)] == [row["reward"] for row in rows]
    assert any("2 seeds: reward" in line for line in said)
    # one that was stopped: the run that was done is not made again, the other goes on from its checkpoint
    shutil.rmtree(tmp_path / "sweep" / "seed=0")
    torch.set_num_threads(1)
    train(["ant", "--seed", "0", *SMALL[:-1], "3", "--out", str(tmp_path / "sweep" / "seed=0")], lambda line: None)
    torch.set_num_threads(threads)
    before = (tmp_path / "sweep" / "seed=1" / "said.txt").read_text()
    assert sweep(words, said.append) == rows
    assert (tmp_path / "sweep" / "seed=1" / "said.txt").read_text() == before
    with pytest.raises(InputError, match="another command"):
        sweep([*words[:-3], "30", *words[-2:]])


def test_a_run_that_fails_leaves_the_others(tmp_path: Path):
    rows = sweep(
        ["ant", "--device", "cpu", "cuda:77", *SMALL[:2], *SMALL[4:], "--out", str(tmp_path)], lambda line: None
    )
    assert "reward" in rows[0] and "cuda" in rows[1]["error"]
    assert over_seeds(rows, ["device"]) == []


def test_its_help_says_how(capsys: pytest.CaptureFixture[str]):
    assert main(["sweep", "--help"]) == 0
    assert "lactic sweep pace --learn.gamma 0.99 0.995 --seed 0 1 2" in capsys.readouterr().out
