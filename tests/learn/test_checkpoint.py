"""Checkpoints: whole or not at all, small files, and a resumed run equal to an uninterrupted one."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from learning import tiny_settings, tiny_trainer

from lactic.errors import InputError
from lactic.learn import checkpoint
from lactic.learn.trainer import Trainer


def digest(trainer: Trainer) -> dict[str, str]:
    """Everything that a next iteration depends on, bit by bit."""
    world = trainer.task.arena.world
    tensors = {**trainer.weights(), **trainer.algorithm.memory(), **trainer.task.state()}
    tensors |= checkpoint.optimiser_state(trainer.algorithm.optimisers())
    tensors |= {"qpos": torch.tensor(world.qpos), "qvel": torch.tensor(world.qvel)}
    tensors["random"] = trainer.generator.get_state()
    return {name: hashlib.sha256(t.detach().contiguous().numpy().tobytes()).hexdigest() for name, t in tensors.items()}


@pytest.mark.parametrize("mode", ["off", "limits"])
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(mode: str, tiny: None, tmp_path: Path):
    settings = tiny_settings(mode=mode)
    straight, first, second = (tiny_trainer(settings) for _ in range(3))
    for _ in range(5):
        straight.iterate()
    for _ in range(3):
        first.iterate()
    first.save(tmp_path)
    second.resume(tmp_path)
    assert second.iteration == 3
    for _ in range(2):
        second.iterate()
    assert digest(second) == digest(straight)
    assert second.samples == straight.samples


def test_the_same_seed_repeats_a_run_and_another_does_not(tiny: None):
    runs = [tiny_trainer(replace(tiny_settings(), seed=seed)) for seed in (1, 1, 2)]
    for trainer in runs:
        trainer.iterate()
    assert digest(runs[0]) == digest(runs[1])
    assert digest(runs[0]) != digest(runs[2])


def test_a_light_checkpoint_resumes_with_new_episodes(tiny: None, tmp_path: Path):
    trainer = tiny_trainer()
    trainer.iterate()
    trainer.save(tmp_path, light=True)
    names = sorted(p.name for p in tmp_path.glob("*.safetensors"))
    assert names == ["optimiser-1-0.safetensors", "weights-1-0.safetensors"]
    again = tiny_trainer()
    again.resume(tmp_path)
    again.iterate()
    assert again.iteration == 2


def test_tensors_come_back_and_no_file_exceeds_16_mib(tmp_path: Path):
    draw = torch.Generator().manual_seed(0)
    parts = {
        "weights": {"a": torch.randn(3, 4, generator=draw), "empty": torch.zeros(0, 5), "n": torch.tensor(7)},
        "replay": {"large": torch.randn(70_000, 130, generator=draw), "other": torch.randn(3_000_000, generator=draw)},
    }
    checkpoint.save(tmp_path, 3, parts, {"iteration": 3})
    assert max(p.stat().st_size for p in tmp_path.iterdir()) <= 16 * 2**20
    read, values = checkpoint.load(tmp_path)
    assert values == {"iteration": 3}
    for part, tensors in parts.items():
        assert set(read[part]) == set(tensors)
        for name, tensor in tensors.items():
            assert torch.equal(read[part][name], tensor)
    assert set(checkpoint.load(tmp_path, ("weights",))[0]) == {"weights"}


def test_a_checkpoint_cut_short_is_never_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(InputError, match="no whole checkpoint"):
        checkpoint.load(tmp_path)
    checkpoint.save(tmp_path, 1, {"weights": {"w": torch.ones(10)}}, {"iteration": 1})

    def power_cut(tensors):
        if "late" in tensors:
            raise KeyboardInterrupt
        return real(tensors)

    real = checkpoint.to_bytes
    monkeypatch.setattr(checkpoint, "to_bytes", power_cut)
    with pytest.raises(KeyboardInterrupt):
        parts = {"weights": {"w": torch.zeros(10)}, "world": {"late": torch.ones(1)}}
        checkpoint.save(tmp_path, 2, parts, {"iteration": 2})
    read, values = checkpoint.load(tmp_path)  # still the one before
    assert values["iteration"] == 1 and torch.equal(read["weights"]["w"], torch.ones(10))
    monkeypatch.setattr(checkpoint, "to_bytes", real)
    checkpoint.save(tmp_path, 2, {"weights": {"w": torch.zeros(10)}}, {"iteration": 2})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["manifest.json", "weights-2-0.safetensors"]


@pytest.mark.parametrize("damage", ["truncate", "flip", "remove", "manifest"])
def test_a_damaged_checkpoint_is_refused_by_name(damage: str, tmp_path: Path):
    checkpoint.save(tmp_path, 1, {"weights": {"w": torch.ones(1000)}}, {})
    path = tmp_path / "weights-1-0.safetensors"
    data = path.read_bytes()
    if damage == "truncate":
        path.write_bytes(data[:-4])
    elif damage == "flip":
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    elif damage == "remove":
        path.unlink()
    else:
        (tmp_path / "manifest.json").write_text('{"number": 1')
    with pytest.raises(InputError, match="manifest" if damage == "manifest" else "weights-1-0"):
        checkpoint.load(tmp_path)


def test_settings_that_do_not_fit_are_refused(tiny: None, tmp_path: Path):
    tiny_trainer().save(tmp_path)
    settings = tiny_settings()
    with pytest.raises(InputError, match="actor does not fit"):
        tiny_trainer(replace(settings, learn=replace(settings.learn, policy=(8,)))).resume(tmp_path)
    with pytest.raises(InputError, match="these settings need"):
        tiny_trainer(replace(settings, worlds=32)).resume(tmp_path)
