"""Strip and film show the recording: the frames they name, in the poses simulated, coloured by the fatigue recorded."""

import mujoco
import numpy as np
import pytest
from PIL import ImageDraw

from lactic.body import ant, humanoid
from lactic.picture import film, painter, shot, video
from lactic.picture.figure import Figure
from lactic.picture.recording import Recording
from lactic.picture.stage import tinted

FPS = 30.0


def recording(body, frames: int, speed: float = 0.0) -> Recording:
    """A body that bends its joints and tires at random, travelling at a speed along x."""
    rng, joints = np.random.default_rng(5), len(body.joints)
    qpos = np.tile(body.rest, (frames, 1))
    qpos[:, 0] += speed * np.arange(frames) / FPS
    qpos[:, 7:] = body.range.mean(1) + 0.3 * (rng.random((frames, joints)) - 0.5) * np.ptp(body.range, axis=1)
    fatigue = rng.dirichlet([1, 1, 1], (frames, joints)).astype(np.float32)
    rest = np.zeros((frames, joints), np.float32)
    return Recording("made-up", body.name, body.joints, FPS, np.arange(frames) / FPS, qpos, fatigue, rest, rest, rest)


@pytest.fixture
def painted(monkeypatch):
    """What the painter is asked to paint, (shapes, colours) in order, and every text written."""
    figures, texts = [], []
    monkeypatch.setattr(painter, "paint", lambda canvas, shapes, colours, view: figures.append((shapes, colours)))
    monkeypatch.setattr(ImageDraw.ImageDraw, "text", lambda self, at, text, *rest, **options: texts.append(text))
    return figures, texts


def geoms(body, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and axes of the visible geoms, by MuJoCo."""
    data, seen = mujoco.MjData(body.model), Figure(body.model).seen
    data.qpos[:] = qpos
    mujoco.mj_forward(body.model, data)
    return data.geom_xpos[seen], data.geom_xmat[seen].reshape(-1, 3, 3)


def shown_frame(record: Recording, body, shapes) -> int:
    """Which frame of the recording a figure is, wherever on the ground it was drawn."""
    for k in range(len(record)):
        at, axes = geoms(body, record.qpos[k])
        shift = shapes.centre - at
        if np.ptp(shift, axis=0).max() < 1e-9 and np.abs(shift[:, 2]).max() < 1e-9 and np.allclose(shapes.axes, axes):
            return k
    raise AssertionError("a figure that is in no frame of the recording")


def tired(record: Recording, body, frame: int) -> np.ndarray:
    """Colours of the geoms, straight from the recording: each by the most tired of the joints that carry its body."""
    model, spent = body.model, record.fatigue[frame, :, 2]
    colours = []
    for geom in Figure(model).seen:
        carrier = model.geom_bodyid[geom]
        while carrier and not any(model.joint(name).bodyid[0] == carrier for name in body.joints):
            carrier = model.body_parentid[carrier]
        own = [i for i, name in enumerate(body.joints) if carrier and model.joint(name).bodyid[0] == carrier]
        colours.append(tinted(spent[own].max() if own else 0.0))
    return np.array(colours)


@pytest.mark.parametrize(("body", "speed"), [(humanoid(), 0.0), (humanoid(), 2.5), (ant(), 0.0)])
def test_strip_shows_the_frames_it_names(body, speed, painted, tmp_path):
    record = recording(body, 61, speed)
    film.draw_strip(body, record.qpos, FPS, tmp_path / "film.png", every=0.5, tint=record.tint(body), height=80)
    figures, texts = painted
    frames = [shown_frame(record, body, shapes) for shapes, _ in figures]
    assert sorted(frames) == [0, 15, 30, 45, 60]
    for frame, (shapes, colours) in zip(frames, figures, strict=True):
        assert colours == pytest.approx(tired(record, body, frame))
        if speed:
            assert shapes.centre == pytest.approx(geoms(body, record.qpos[frame])[0])  # where it really was
    assert texts[: len(frames)] == ["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"]


def test_side_by_side_labels_stand_under_their_own_figures(painted, tmp_path):
    record = recording(humanoid(), 61)
    film.draw_strip(humanoid(), record.qpos, FPS, tmp_path / "film.png", every=0.5, height=80)
    figures, _ = painted
    right = film.View(film.THREE_QUARTER, film.ELEVATION, 1.0).frame[0]
    across = {shown_frame(record, humanoid(), shapes): shapes.centre.mean(0) @ right for shapes, _ in figures}
    assert sorted(across, key=across.__getitem__) == [0, 15, 30, 45, 60]


def test_film_shows_the_frames_its_clock_names(painted):
    body, record = humanoid(), recording(humanoid(), 45)
    frames, speed = video.film_frames(len(record), FPS, 10.0)
    words = video.captions(record.qpos, FPS, frames, speed)
    taken = shot.Shot.of(body.model, record.qpos[frames], record.tint(body)[frames], words, (64, 36), 10.0)
    for _ in taken.paint(range(len(frames))):
        pass
    figures, texts = painted
    assert [shown_frame(record, body, shapes) for shapes, _ in figures] == frames.tolist()
    for frame, (_, colours) in zip(frames, figures, strict=True):
        assert colours == pytest.approx(tired(record, body, frame))
    assert [text.split("  ")[0] for text in texts if text.endswith("m/s")] == [f"{k / FPS:.1f} s" for k in frames]
