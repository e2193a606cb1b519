"""The muscle man in the studio: the shipped one that holds its arms, and made-up brains of the other kinds."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lactic import rotation
from lactic.brain import catalogue
from lactic.brain.file import BrainInfo, CodeInfo
from lactic.errors import InputError
from lactic.fatigue import preset
from lactic.muscle.man import law
from lactic.muscle.man.musculature import musculature
from lactic.picture.muscles import LEGENDS
from lactic.picture.stage import tinted
from lactic.studio import readings
from lactic.studio.engine import FALLEN, Engine
from lactic.studio.export import export
from lactic.studio.man.view import MuscleView, tube, upright_to
from lactic.studio.server import Studio
from lactic.studio.skill import body_parts, regions

MUSCLES = musculature()


@pytest.fixture(scope="module")
def opened() -> Iterator[Studio]:
    studio = Studio("muscle-arms", port=0)
    yield studio
    studio.close()


@pytest.fixture
def studio(opened: Studio) -> Studio:
    """The studio with fresh arms."""
    opened.engine.compare([preset("feng2023-arms")])
    opened.panels.controls.changed()
    return opened


def spent(engine: Engine) -> np.ndarray:
    """MF of all muscles of the first actor."""
    return engine.cast[0].player.fatigue[0, :, 2]


def test_arms_are_held_and_sliders_of_fitness_act(studio: Studio):
    engine = studio.engine
    actor, hand = engine.cast[0], engine.body.bodies.index("left_hand")
    engine.advance(20)
    height, slow = actor.player.world.xpos[0, hand, 2], spent(engine).mean()
    engine.set_fitness(0, actor.fitness.altered(F=1.0, time_scale=5.0))
    engine.advance(20)
    assert spent(engine).mean() > 5 * slow > 0
    engine.advance(80)
    assert actor.player.world.xpos[0, hand, 2] < height - 0.2  # sunk
    engine.set_fitness(0, actor.fitness, tires=False)
    engine.advance(60)
    assert spent(engine).max() == 0 and actor.player.world.xpos[0, hand, 2] > height - 0.15  # and up again
    engine.ask(0.0)
    engine.advance(60)
    assert actor.player.world.xpos[0, hand, 2] < height - 0.2  # let down


def test_a_muscle_and_a_group_can_be_exhausted(studio: Studio):
    engine = studio.engine
    engine.exhaust(0, "left deltoid", 0.9)
    engine.exhaust(0, "right leg", 0.5)
    asked = np.zeros(len(MUSCLES.names))
    asked[list(MUSCLES.find("left deltoid"))], asked[list(MUSCLES.groups["right leg"])] = 0.9, 0.5
    assert np.allclose(spent(engine), asked)
    assert set(MUSCLES.groups) | {"legs", "arms", "whole body", "right soleus"} <= set(regions(engine.body))
    engine.exhaust(0, "whole body", 0.0)
    assert not spent(engine).any()
    with pytest.raises(InputError, match="no region 'left tail'; there are trunk, right arm"):
        engine.exhaust(0, "left tail", 1.0)


def test_the_most_tired_are_named_as_anatomy_does(studio: Studio):
    engine = studio.engine
    first, second = MUSCLES.whole["left soleus"]
    engine.cast[0].player.exhaust([MUSCLES.names[first]], 0.8)
    engine.set_fitness(0, engine.cast[0].fitness.altered(time_scale=1e-4))
    engine.advance()
    html, force = readings.tired_table(engine.cast[0].tape, 0), MUSCLES.strands.force
    meant = 100 - 80 * force[first] / (force[first] + force[second])  # strands count by their force
    name, left = re.findall(r'data-joint="([^"]+)">(\d+) %', html)[0]
    assert name == "left soleus" and float(left) == pytest.approx(meant, abs=0.51)
    parts = body_parts(engine.body)
    assert len(parts.names) == len(MUSCLES.whole) and np.allclose(parts.shares.sum(1), 1)
    assert np.array_equal((parts.shares > 0).sum(0), np.ones(len(MUSCLES.names)))  # each strand in one muscle
    studio.panels.controls.changed()
    assert studio.panels.body.joint.label == "Muscle" and studio.panels.body.torque.handle.title.endswith(", N")


def test_tubes_lie_along_the_anchors_and_show_what_is_asked(studio: Studio):
    engine, stage = studio.engine, studio.stage
    engine.exhaust(0, "left leg", 0.7)
    engine.set_fitness(0, engine.cast[0].fitness.altered(time_scale=1e-4))
    engine.advance(10)
    stage.look = "fatigue", "fatigue"
    stage.update(0.1)
    view = stage.views[0].muscles
    assert isinstance(view, MuscleView)
    tubes, world, strands = view.tubes, engine.cast[0].tape, MUSCLES.strands
    at = world.slot(engine.shown)
    places, turns = np.zeros((24, 3)), np.tile(np.eye(3), (24, 1, 1))
    places[1:], turns[1:] = world.xpos[at], rotation.to_matrix(world.xquat[at])
    points = law.anchors(strands, places, turns)
    muscle = np.repeat(np.arange(len(MUSCLES.names)), np.diff(strands.start) - 1)
    first = np.concatenate([np.arange(a, b - 1) for a, b in zip(strands.start[:-1], strands.start[1:], strict=True)])
    assert np.allclose(tubes.batched_positions, (points[first] + points[first + 1]) / 2, atol=1e-6)
    along = rotation.rotate(tubes.batched_wxyzs.astype(float), np.array([0.0, 0.0, 1.0]))
    gap = points[first + 1] - points[first]
    assert np.allclose(np.abs((along * gap).sum(1)), np.linalg.norm(gap, axis=1), atol=1e-6)
    leg = np.isin(muscle, MUSCLES.groups["left leg"])
    red, bone = (255 * tinted(np.array([share]))[0] for share in (0.7, 0.0))
    assert np.allclose(tubes.batched_colors[leg], red, atol=1) and np.allclose(tubes.batched_colors[~leg], bone, atol=2)
    mirror = MUSCLES.mirror
    wide = {k: tubes.batched_scales[muscle == k, 0].max() for k in MUSCLES.groups["left leg"]}
    assert all(wide[k] > 1.3 * tubes.batched_scales[muscle == mirror[k], 0].max() for k in wide)
    stage.look = "activation", "activation"
    stage.update(0.1)
    assert np.array_equal(tubes.batched_colors[muscle == 0][0], np.round(255 * tinted(world.fatigue[at, :1, 0]))[0])
    studio.panels.update()
    assert LEGENDS["activation"][0] in studio.panels.state.content


def test_a_tube_is_closed_and_turns_the_shorter_way():
    vertices, faces = tube()
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = {tuple(edge) for edge in edges}
    assert there == {tuple(edge) for edge in edges[:, ::-1]} and len(there) == len(edges)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a) * a).sum() > 0  # outward: the volume is positive
    ways = np.array([[0.0, 0, 1], [0, 0, -1], [1, 0, 0], [0, -1, 0], [0.6, 0, -0.8]])
    turned = rotation.rotate(upright_to(ways), np.array([0.0, 0.0, 1.0]))
    assert np.allclose(np.abs((turned * ways).sum(1)), 1.0)


def test_pushed_scrubbed_compared_and_taken_home_as_any_other(studio: Studio):
    engine = studio.engine
    engine.push(60, 0, 0.5, "right_hand")
    engine.advance(10)
    hand = engine.body.bodies.index("right_hand")
    tape = engine.cast[0].tape
    assert tape.xpos[9, hand, 0] > tape.xpos[0, hand, 0] + 0.05
    engine.compare([engine.cast[0].fitness, engine.cast[0].fitness.altered(time_scale=100.0)])
    engine.show_ghost(True)
    engine.advance(30)
    left = [1 - actor.player.fatigue[0, :, 2].mean() for actor in engine.actors]
    assert left[1] < left[0] - 0.005 < left[2] == 1.0
    engine.scrub(10)
    studio.stage.update(0.1)
    assert engine.shown == 10 and len(studio.stage.views) == 2
    for kind, begin in (("bvh", b"HIERARCHY"), ("csv", b"time,right_"), ("png", b"\x89PNG")):
        assert export(engine, 1, kind)[1].startswith(begin)
    with pytest.raises(InputError, match="no export 'glb' of muscle-man; there are bvh, csv, png"):
        export(engine, 0, "glb")
    assert [kind for kind, button in studio.panels.record.buttons.items() if button.visible] == ["bvh", "csv", "png"]
    engine.show_ghost(False)


def made_up(folder: Path, info: BrainInfo, weight: np.ndarray, source: str) -> Path:
    """A brain of the muscle man whose action is one of its inputs times a matrix."""
    folder.mkdir()
    taken = helper.make_tensor_value_info(source, TensorProto.FLOAT, ["n", len(weight)])
    given = helper.make_tensor_value_info("action", TensorProto.FLOAT, ["n", weight.shape[1]])
    node = helper.make_node("MatMul", [source, "weight"], ["action"])
    held = numpy_helper.from_array(weight.astype(np.float32), "weight")
    model = helper.make_model(
        helper.make_graph([node], "made up", [taken], [given], [held]), opset_imports=[helper.make_opsetid("", 18)]
    )
    model.ir_version = 9
    helper.set_model_props(model, {"lactic": info.to_json()})
    onnx.save(model, str(folder / "brain.onnx"))
    (folder / "params.yaml").write_text("task: {fall: {bodies: [head], height: 1.0}}\n")
    return folder


@pytest.fixture
def info() -> BrainInfo:
    return replace(catalogue.find("muscle-arms").load().info, pinned=False, fitness="feng2023")


def test_one_that_follows_clips_samples_from_its_prior(tmp_path: Path, info: BrainInfo):
    weight = 0.3 * np.random.default_rng(0).normal(size=(8, len(MUSCLES.names)))
    codes = replace(info, asks="motion", command=152, codes=CodeInfo(8, 0.1, True))
    engine = Engine(made_up(tmp_path / "prior", codes, weight, "noise"))
    assert not engine.skill.led and engine.cast[0].tape.command.shape[1] == 0
    engine.advance(20)
    first = engine.cast[0].tape.load[:20].copy()
    assert (first.max(1) > 0.1).all() and np.abs(np.diff(first, axis=0)).max() > 0.05  # each step another code
    engine.advance(120)
    assert engine.cast[0].tape.cuts  # it fell, lay, and began again by itself
    tape = engine.cast[0].tape
    before, after = (tape.fatigue[tape.slot(tape.cuts[0] + k), :, 2].mean() for k in (-1, 0))
    assert after < 0.1 * before  # fresh


def test_one_that_is_asked_for_a_velocity_is_steered_and_rises_as_tired(tmp_path: Path, info: BrainInfo):
    weight = np.tile(-0.02, (2, len(MUSCLES.names)))
    asked = replace(info, asks="velocity", command=2, codes=CodeInfo(8, 0.1, False))
    engine = Engine(made_up(tmp_path / "steer", asked, weight, "command"))
    actor = engine.cast[0]
    assert engine.skill.led and engine.skill.goes
    engine.ask(2.0)
    engine.advance(2)
    assert np.allclose(np.linalg.norm(actor.tape.command[1]), 2.0)
    actor.player.exhaust(MUSCLES.names, 0.4)
    engine.advance(round((FALLEN + 4) * actor.info.control_rate))
    before, after = (actor.tape.fatigue[actor.tape.cuts[0] + k, :, 2].mean() for k in (-1, 0))
    assert before > 0.3 and after == pytest.approx(before, rel=0.02)
    assert actor.tape.xpos[actor.tape.cuts[0], engine.body.bodies.index("head"), 2] > 1.4  # upright
