"""Muscles in pictures lie along their anchors, swell with activation, and are red where they are tired."""

import mujoco
import numpy as np
import pytest
from PIL import Image

from lactic import fatigue
from lactic.body import humanoid, muscle_man
from lactic.errors import InputError
from lactic.muscle.man import law
from lactic.muscle.man.musculature import musculature
from lactic.picture.figure import CAPSULE, Figure
from lactic.picture.film import draw_strip
from lactic.picture.muscles import MuscleLook, seen
from lactic.picture.recording import Recording
from lactic.picture.shot import Shot
from lactic.picture.stage import LEGEND, tinted

MUSCLES = musculature()
COUNT, BODIES = len(MUSCLES.names), muscle_man().model.nbody - 1


def states(frames: int) -> np.ndarray:
    """All muscles fresh."""
    return np.tile(fatigue.fresh((COUNT,)), (frames, 1, 1))


def bent() -> np.ndarray:
    """A pose with every joint bent."""
    model = muscle_man().model
    qpos = model.qpos0.copy()
    mujoco.mj_integratePos(model, qpos, np.random.default_rng(3).normal(0, 0.4, model.nv), 1.0)
    return qpos


def drawn(look: MuscleLook, qpos: np.ndarray, frame: int = 0):
    """Shapes and colours of the muscles alone, and which muscle each shape is of."""
    shapes, colours = seen(Figure(muscle_man().model), qpos, frame, None, look)
    lines = shapes.body >= BODIES
    return shapes, lines, colours[lines], shapes.body[lines] - BODIES


def test_capsules_lie_along_the_anchors_of_each_muscle():
    qpos, strands = bent(), MUSCLES.strands
    shapes, lines, _, muscle = drawn(MuscleLook(states(1)), qpos)
    data = mujoco.MjData(muscle_man().model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(muscle_man().model, data)
    assert (shapes.geom_type[lines] == CAPSULE).all() and len(muscle) == len(strands.body) - COUNT
    half = (shapes.size[lines, 2] - shapes.size[lines, 0])[:, None] * shapes.axes[lines][:, :, 2]
    start, end = shapes.centre[lines] - half, shapes.centre[lines] + half
    points = law.anchors(strands, data.xpos, data.xmat.reshape(-1, 3, 3))
    assert np.allclose(np.bincount(muscle, 2 * np.linalg.norm(half, axis=1)), law.lengths(strands, points), atol=1e-9)
    for k in range(COUNT):
        own = muscle == k
        assert np.allclose(end[own][:-1], start[own][1:])  # without a gap
        for at, a in ((start[own][0], strands.start[k]), (end[own][-1], strands.start[k + 1] - 1)):
            body = strands.body[a, 0]  # a muscle's ends are fixed to one body
            assert np.allclose(at, data.xpos[body] + data.xmat[body].reshape(3, 3) @ strands.place[a, 0])
    axes = shapes.axes
    assert np.allclose(np.einsum("nji,njk->nik", axes, axes), np.eye(3), atol=1e-9)
    assert np.allclose(np.linalg.det(axes), 1.0)


@pytest.mark.parametrize(("by", "share", "not_by"), [("activation", 0, "fatigue"), ("fatigue", 2, "activation")])
def test_width_and_colour_show_what_is_asked(by, share, not_by):
    state = states(2)
    state[1, :, share] = np.linspace(0, 1, COUNT)
    look = MuscleLook(state, colour=by, width=by)
    thin, lines, _, _ = drawn(look, bent())
    wide, _, colours, muscle = drawn(look, bent(), 1)
    assert np.allclose(colours, tinted(state[1, muscle, share]))
    growth = wide.size[lines, 0] / thin.size[lines, 0]
    assert growth[muscle == 0] == pytest.approx(1.0) and (np.diff(growth) > -1e-9).all() and growth[-1] > 1.5
    other = MuscleLook(state, colour=not_by, width=not_by)
    assert np.allclose(drawn(other, bent(), 1)[0].size, thin.size)  # and nothing else


def red(image: np.ndarray) -> int:
    """How many pixels are as red as what is exhausted."""
    image = image.astype(int)
    return int(((image[..., 0] > 110) & (image[..., 0] - image[..., 1:].max(-1) > 70)).sum())


def test_strips_and_films_show_which_muscles_are_exhausted(tmp_path):
    state, qpos = states(2), np.stack([muscle_man().model.qpos0] * 2)
    state[1, list(MUSCLES.find("legs"))] = 0.0, 0.0, 1.0
    look = MuscleLook(state, width="fatigue")
    draw_strip(muscle_man(), qpos, 1.0, tmp_path / "strip.png", muscles=look, count=2, height=160, travel=False)
    strip = np.asarray(Image.open(tmp_path / "strip.png").convert("RGB"))
    strip = strip[: -strip.shape[0] // 6]  # without the legend
    left, right = strip[:, : strip.shape[1] // 2], strip[:, strip.shape[1] // 2 :]
    assert red(left) == 0 and red(right) > 200
    shot = Shot.of(muscle_man().model, qpos, None, ("", ""), (200, 160), 30.0, muscles=look)
    fresh, tired = (picture[:140] for picture in shot.paint(range(2)))
    assert red(fresh) == 0 and red(tired) > 50
    assert look.legend == LEGEND and MuscleLook(state, "activation").legend[0] == "activation"


def test_a_recording_keeps_muscles(tmp_path):
    state, qpos = states(4), np.stack([bent()] * 4)
    state[:, 7] = 0.2, 0.3, 0.5
    none = np.zeros((4, COUNT))
    record = Recording("made up", "muscle-man", MUSCLES.names, 20.0, np.arange(4) / 20, qpos, state, none, none, none)
    record.cuts = np.array([3])
    record.save(tmp_path / "recording.npz")
    back = Recording.load_file(tmp_path / "recording.npz")
    assert back.joints == MUSCLES.names and np.array_equal(back.fatigue, state)
    assert [len(take.fatigue) for take in back.takes()] == [3, 1]
    back.write_csv(tmp_path / "fatigue.csv")
    with (tmp_path / "fatigue.csv").open() as stream:
        header, row = (next(stream).strip().split(",") for _ in range(2))
    assert len(header) == 1 + 6 * COUNT and row[header.index(f"{MUSCLES.names[7]}.MF")] == "0.5"
    record.joints = record.joints[::-1]
    record.save(tmp_path / "other.npz")
    with pytest.raises(InputError, match="not those of the muscle man"):
        Recording.load_file(tmp_path / "other.npz")


def test_only_the_muscle_man_has_muscles_to_draw():
    body = humanoid()
    with pytest.raises(InputError, match="only the muscle man"):
        seen(Figure(body.model), body.rest, 0, None, MuscleLook(states(1)))
    with pytest.raises(InputError, match=r"give \(frame, 284, 3\)"):
        MuscleLook(states(1)[0])
