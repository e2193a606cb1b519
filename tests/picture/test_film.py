"""Pictures of bodies: what is drawn where, in which colour, and what is said where no film can be made."""

import os
import subprocess
import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from PIL import Image

from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.picture import video
from lactic.picture.figure import Figure
from lactic.picture.film import chosen_frames, draw_strip
from lactic.picture.filming import FilmFormat, film_of
from lactic.picture.floor import mark_floor
from lactic.picture.painter import paint, paint_shadow
from lactic.picture.stage import clock, coloured, encoded, tinted
from lactic.picture.view import View

FRONT = View(azimuth=0.0, elevation=0.2, scale=150.0, corner=(-150.0, -310.0))


def figure_of(geoms: str) -> tuple[Figure, np.ndarray]:
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    return Figure(model), model.qpos0


def mask(shapes, view=FRONT, size=(400, 300)) -> np.ndarray:
    """How much of each pixel the shapes cover."""
    pictures = []
    for ground in (0.0, 1.0):
        canvas = np.full((*size, 3), ground, np.float32)
        paint(canvas, shapes, coloured(shapes, None), view)
        pictures.append(canvas[..., 0])
    return 1 - (pictures[1] - pictures[0])


def standing(**angles) -> np.ndarray:
    qpos = humanoid().rest.copy()
    for name, angle in angles.items():
        qpos[7 + humanoid().joints.index(name)] = angle
    return qpos


def lying() -> np.ndarray:
    qpos = standing()
    qpos[2], qpos[3:7] = 0.12, [np.sqrt(0.5), 0, np.sqrt(0.5), 0]  # pitched forward on its face
    return qpos


@pytest.fixture(scope="module")
def person() -> Figure:
    return Figure(humanoid().model)


@pytest.mark.parametrize(
    ("geom", "area"),
    [
        ("type='sphere' size='.3'", np.pi * 0.09),
        ("type='capsule' size='.1 .4'", np.pi * 0.01 + 0.2 * 0.8 * np.cos(0.2)),
        ("type='ellipsoid' size='.4 .2 .2'", np.pi * 0.2 * np.hypot(0.4 * np.sin(0.2), 0.2 * np.cos(0.2))),
        ("type='box' size='.2 .3 .25'", 0.6 * (0.5 * np.cos(0.2) + 0.4 * np.sin(0.2))),
    ],
)
def test_a_shape_covers_the_area_geometry_says(geom, area):
    figure, rest = figure_of(f"<body pos='0 0 1'><freejoint/><geom {geom}/></body>")
    covered = mask(figure.posed(rest)).sum() / FRONT.scale**2
    # boxes are drawn with round edges and so lose their corners
    assert covered == pytest.approx(area, rel=0.10 if "box" in geom else 0.01)


def test_nothing_is_drawn_outside_the_bounds_of_the_shapes(person):
    shapes = person.posed(standing(right_shoulder_x=-1.4, left_elbow=-1.2))
    low, high = FRONT.extent(shapes)[:, 0].min(0), FRONT.extent(shapes)[:, 1].max(0)
    rows, columns = np.nonzero(mask(shapes) > 0.01)
    assert columns.min() >= low[0] - 1 and columns.max() <= high[0] + 1
    assert rows.min() >= low[1] - 1 and rows.max() <= high[1] + 1
    assert (rows.max() - rows.min()) / FRONT.scale == pytest.approx(np.ptp([low[1], high[1]]) / FRONT.scale, abs=0.02)


def test_the_nearer_shape_hides_the_farther():
    figure, rest = figure_of(
        "<body pos='1 0 1'><freejoint/><geom type='sphere' size='.2'/></body>"
        "<body pos='-1 0 1'><freejoint/><geom type='sphere' size='.2'/></body>"
    )
    view = View(0.0, 0.0, 100.0, (-50.0, -150.0))
    canvas = np.zeros((100, 100, 3), np.float32)
    paint(canvas, figure.posed(rest), np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), view)
    assert canvas[50, 50, 1] > 0.3 > canvas[50, 50, 0]


def test_figures_partly_or_wholly_out_of_the_picture_are_cut_not_an_error(person):
    canvas = np.ones((80, 60, 3), np.float32)
    shapes = person.posed(standing())
    paint(canvas, shapes, coloured(shapes, None), View(0.0, 0.2, 150.0, (-30.0, -310.0)))
    assert 0 < (canvas[..., 2] < 0.99).mean() < 1
    far = shapes.moved(np.array([0.0, 50.0, 0.0]))
    before = canvas.copy()
    paint(canvas, far, coloured(far, None), FRONT)
    paint_shadow(canvas, far, FRONT)
    assert (canvas == before).all()


def test_a_tired_joint_reddens_its_segment_and_no_other(person):
    body = humanoid()
    shapes = person.posed(standing(right_shoulder_x=-1.4, left_shoulder_x=1.4))
    view = View(0.0, 0.2, 150.0, (-200.0, -310.0))

    def colours(tired: float) -> dict[str, np.ndarray]:
        tint = np.zeros(len(body.bodies))
        tint[body.bodies.index("left_forearm")] = tired
        canvas = np.ones((400, 400, 3), np.float32)
        paint(canvas, shapes, coloured(shapes, tint), view)
        found = {}
        for name in ("left_forearm", "right_forearm", "head"):
            x, y = view.pixels(shapes.centre[np.flatnonzero(shapes.body == body.bodies.index(name))[-1]]).astype(int)
            found[name] = encoded(canvas[y - 2 : y + 3, x - 2 : x + 3]).mean((0, 1))
        return found

    fresh, half, spent = colours(0.0), colours(0.5), colours(1.0)
    redness = [c["left_forearm"][0] - c["left_forearm"][1] for c in (fresh, half, spent)]
    assert redness[0] < 25 and redness[1] > redness[0] + 30 and redness[2] > redness[1] + 30
    for name in ("right_forearm", "head"):
        assert (fresh[name] == spent[name]).all()


def test_colours_run_from_bone_to_pink_and_survive_bad_numbers():
    red, green, _ = tinted(np.array([0.0, 0.25, 0.5, 1.0])).T
    assert (np.diff(red / green) > 0).all()
    assert (tinted(np.array([-1.0, 2.0, np.nan])) == tinted(np.array([0.0, 1.0, 1.0]))).all()


def test_a_fallen_body_lies(person):
    view = View(-1.2, 0.2, 150.0, (-180.0, -310.0))
    up, down = (mask(person.posed(qpos), view, (400, 500)) for qpos in (standing(), lying()))
    tall, flat = ([np.ptp(i) for i in np.nonzero(m > 0.5)] for m in (up, down))
    assert tall[0] > 2 * tall[1] and flat[1] > 2 * flat[0]


def test_limbs_flow_into_each_other_where_their_geoms_only_touch(person):
    """At the knee, where thigh and shin meet in a notch, the leg is wider than its geoms."""
    shapes = person.posed(standing(left_hip_x=0.3, right_hip_x=-0.3))
    x, y = FRONT.pixels(person.data.body("left_shin").xpos).round().astype(int)  # the knee
    window = (slice(y - 1, y + 2), slice(x - 10, x + 11))
    joined, apart = (mask(these)[window].sum(1).min() for these in (shapes, replace(shapes, links=())))
    assert joined > apart + 1  # pixels


def test_the_ground_darkens_under_a_body_and_not_far_from_it(person):
    canvas = np.ones((400, 300, 3), np.float32)
    paint_shadow(canvas, person.posed(standing()), FRONT)
    x, y = FRONT.pixels(np.array([0.0, 0.09, 0.0])).astype(int)
    assert canvas[y, x].mean() < 0.75 and canvas[y + 60 :].min() > 0.97 and canvas[: y - 150].min() == 1


def test_strip_shows_every_figure_whole_on_a_clean_ground(tmp_path):
    qpos = np.stack([standing(right_shoulder_x=-a, left_shoulder_x=a) for a in (0.0, 0.7, 1.4)])
    draw_strip(humanoid(), qpos, 1.0, tmp_path / "film.png", height=160)
    image = np.asarray(Image.open(tmp_path / "film.png").convert("RGB")).astype(int)
    assert image[0].min() > 235 and image[:, 0].min() > 225, "a figure touches the edge"
    dark = (image[: image.shape[0] * 2 // 3].min(2) < 215).any(0)  # columns with something in them
    runs = np.flatnonzero(np.diff(np.r_[0, dark.astype(int), 0]))
    assert len(runs) // 2 == 3, "three figures, apart"
    widths = runs[1::2] - runs[::2]
    assert widths[2] > 1.5 * widths[0]  # arms out
    assert [p.name for p in tmp_path.iterdir()] == ["film.png"]


def test_same_motion_same_picture_other_pose_other_picture(tmp_path):
    for name, angle in (("a", 0.3), ("b", 0.3), ("c", 0.6)):
        draw_strip(humanoid(), standing(right_elbow=-angle)[None], 30.0, tmp_path / f"{name}.png", height=120)
    a, b, c = (np.asarray(Image.open(tmp_path / f"{name}.png")) for name in "abc")
    assert (a == b).all() and (a.shape != c.shape or (a != c).any())


def test_a_walk_is_drawn_along_its_way_and_a_stander_side_by_side(tmp_path):
    qpos = np.repeat(standing()[None], 4, axis=0)
    sizes = {}
    for name, step in (("still", 0.0), ("slow", 1.0), ("fast", 2.0)):
        qpos[:, 0] = step * np.arange(4)
        draw_strip(humanoid(), qpos, 1.0, tmp_path / f"{name}.png", height=120)
        sizes[name] = Image.open(tmp_path / f"{name}.png").width
    assert sizes["fast"] > 1.6 * sizes["slow"] > 1.6 * sizes["still"]


def test_many_figures_take_several_rows_and_any_body_can_be_drawn(tmp_path):
    body = ant()
    qpos = np.repeat(body.rest[None], 13, axis=0)
    draw_strip(body, qpos, 1.0, tmp_path / "ants.png", count=13, tint=np.ones((13, len(body.bodies))), height=60)
    assert 0.1 < Image.open(tmp_path / "ants.png").height / Image.open(tmp_path / "ants.png").width < 0.6


def test_frames_are_round_seconds_apart():
    assert (chosen_frames(1800, 30) == [0, 300, 600, 900, 1200, 1500, 1799]).all()
    assert (np.diff(chosen_frames(25200, 30) / 30)[:-1] == 120).all()
    assert (chosen_frames(100, 10, every=2.5) == [0, 25, 50, 75, 99]).all()
    assert (chosen_frames(101, 10, count=3) == [0, 50, 100]).all()
    assert (chosen_frames(1750, 30, end=True) == [0, 300, 600, 900, 1200, 1500, 1749]).all()
    assert (chosen_frames(1, 30) == [0]).all() and (chosen_frames(2, 30, count=9) == [0, 1]).all()
    for wrong in ({"every": 0.0}, {"every": np.nan}, {"every": 0.001}, {"count": 0}, {"count": 61}):
        with pytest.raises(InputError):
            chosen_frames(1000, 30, **wrong)


def test_moments_are_written_with_as_few_decimals_as_they_need():
    assert clock(np.array([0, 300, 1799]) / 30, 1 / 30) == ["0 s", "10 s", "60 s"]
    assert clock(np.array([0.0, 0.5]), 1 / 30) == ["0.0 s", "0.5 s"]
    assert clock(np.array([0.0, 0.25]), 1 / 60) == ["0.00 s", "0.25 s"]


def test_motion_that_is_not_finite_is_named_and_leaves_no_file(tmp_path):
    qpos = np.repeat(standing()[None], 3, axis=0)
    qpos[2, 9] = np.nan
    with pytest.raises(InputError, match="frame 2"):
        draw_strip(humanoid(), qpos, 30.0, tmp_path / "film.png")
    assert not list(tmp_path.iterdir())


def test_without_an_encoder_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(video.importlib.util, "find_spec", lambda name: None)
    message = video.film_video(humanoid(), standing()[None], 30.0, tmp_path / "film.mp4")
    assert message is not None and "lactic[film]" in message and "\n" not in message
    assert not list(tmp_path.iterdir())


def fake_encoder(tmp_path, monkeypatch, script: str) -> None:
    """A program that stands in for ffmpeg: the film is its last argument, the frames its standard input."""
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!/bin/sh\nfor film; do :; done\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(video, "encoder", lambda: str(program))


def test_an_encoder_that_fails_is_quoted_and_leaves_no_film(tmp_path, monkeypatch):
    fake_encoder(tmp_path, monkeypatch, 'echo "Unknown encoder libx264" >&2; exit 1')
    qpos = np.repeat(standing()[None], 3, axis=0)
    message = video.film_video(humanoid(), qpos, 10.0, tmp_path / "film.mp4", film=FilmFormat((64, 36), 10.0))
    assert message is not None and "Unknown encoder libx264" in message and "\n" not in message
    assert [p.name for p in tmp_path.iterdir()] == ["ffmpeg"]


def test_every_frame_reaches_the_encoder_with_the_figure_in_the_middle(tmp_path, monkeypatch):
    fake_encoder(tmp_path, monkeypatch, 'cat > "$film"')
    qpos = np.repeat(standing()[None], 12, axis=0)
    qpos[:, 0] = 0.4 * np.arange(12)  # 4 m/s
    seen: list[tuple[int, int]] = []
    message = video.film_video(
        humanoid(),
        qpos,
        10.0,
        tmp_path / "film.mp4",
        film=FilmFormat((160, 90), 10.0),
        progress=lambda *done: seen.append(done),
    )
    assert message is None and seen[-1] == (12, 12)
    frames = np.frombuffer((tmp_path / "film.mp4").read_bytes(), np.uint8).reshape(12, 90, 160, 3)
    columns = np.nonzero((frames[:, :50].min(3) < 215).any(1))[1]
    assert columns.min() > 62 and columns.max() < 95  # the camera follows


def test_several_painters_make_the_film_that_one_makes(tmp_path, monkeypatch):
    fake_encoder(tmp_path, monkeypatch, 'cat > "$film"')
    qpos = np.repeat(standing()[None], 8, axis=0)
    qpos[:, 0] = 0.1 * np.arange(8)
    films = []
    for processors in (1, 2):
        monkeypatch.setattr(video, "ALONE", 4)
        monkeypatch.setattr(video, "processors", lambda count=processors: count)
        assert video.film_video(humanoid(), qpos, 10.0, tmp_path / "film.mp4", film=FilmFormat((64, 36), 10.0)) is None
        films.append((tmp_path / "film.mp4").read_bytes())
    assert len(films[0]) == 8 * 64 * 36 * 3 and films[0] == films[1]


def test_a_film_that_is_stopped_leaves_no_file_and_no_process(tmp_path, monkeypatch):
    fake_encoder(tmp_path, monkeypatch, 'cat > "$film"')
    monkeypatch.setattr(video, "ALONE", 4)
    monkeypatch.setattr(video, "processors", lambda: 2)
    started, popen = [], subprocess.Popen

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(video.subprocess, "Popen", start)
    qpos = np.repeat(standing()[None], 40, axis=0)
    options = {"film": FilmFormat((64, 36), 10.0)}
    with pytest.raises(KeyboardInterrupt):
        video.film_video(humanoid(), qpos, 10.0, tmp_path / "film.mp4", progress=interrupt, **options)
    message = video.film_video(humanoid(), qpos, 10.0, tmp_path / "film.mp4", stop=lambda: True, **options)
    assert message == "film.mp4 not written: stopped"
    assert [p.name for p in tmp_path.iterdir()] == ["ffmpeg"]
    assert len(started) == 6 and all(process.poll() is not None for process in started)


def test_painters_that_die_leave_no_film(tmp_path, monkeypatch):
    fake_encoder(tmp_path, monkeypatch, 'cat > "$film"')
    monkeypatch.setattr(video, "ALONE", 4)
    monkeypatch.setattr(video, "processors", lambda: 2)
    monkeypatch.setattr(sys, "executable", "false")
    qpos = np.repeat(standing()[None], 40, axis=0)
    message = video.film_video(humanoid(), qpos, 10.0, tmp_path / "film.mp4", film=FilmFormat((64, 36), 10.0))
    assert message is not None and "has ended" in message and [p.name for p in tmp_path.iterdir()] == ["ffmpeg"]


def test_the_caption_says_time_speed_strength_and_take():
    qpos = np.repeat(standing()[None], 61, axis=0)
    qpos[:, 0] = 2.0 * np.arange(61) / 30
    words = video.captions(qpos, 30.0, np.array([0, 45]), 1, np.linspace(1, 0.4, 61), [40])
    assert words[0].split() == ["0.0", "s", "2.0", "m/s", "legs", "100", "%", "take", "1"]
    assert words[1].split()[:3] == ["1.5", "s", "1.9"] and words[1].endswith("legs 55 %    take 2")


def test_what_is_typed_for_a_film_is_read_or_refused():
    assert film_of("640x360", 15.0) == FilmFormat((640, 360), 15.0) and film_of("1280X720", 30.0) == FilmFormat()
    for size, rate in (("640", 30.0), ("641x360", 30.0), ("big", 30.0), ("640x360", 0.0), ("99999x2", 30.0)):
        with pytest.raises(InputError, match=r"film (size|fps)"):
            film_of(size, rate)


def test_marks_stay_where_they_are_on_the_floor_when_the_camera_moves():
    view = View(0.7, 0.25, 200.0, (-150.0, -120.0))
    pictures = []
    for across, down in ((0, 0), (37, 0)):
        canvas = np.ones((200, 300, 3), np.float32)
        mark_floor(canvas, replace(view, corner=(-150.0 + across, -120.0 + down)), 0.0)
        pictures.append(canvas[..., 0])
    assert pictures[0].min() < 0.9 and (pictures[0] > 0.999).mean() > 0.5
    assert pictures[1][:, :-37] == pytest.approx(pictures[0][:, 37:], abs=0.02)
    # a crossing of two lines is dark, the middle of a quarter of a square is not
    for spot, dark in (((1.0, 1.0, 0.0), True), ((0.25, 0.25, 0.0), False)):
        x, y = view.pixels(np.array(spot)).astype(int)
        assert (pictures[0][y - 1 : y + 2, x - 1 : x + 2].min() < 0.9) == dark


def test_the_legend_has_its_colours_however_fresh_the_figures_are(tmp_path):
    """Its red end is there, whatever few colours a strip is stored with."""
    body, ends = humanoid(), []
    for name, spent in (("fresh", 0.0), ("tired", 0.9)):
        tint = np.full((2, len(body.bodies)), spent)
        draw_strip(body, np.repeat(standing()[None], 2, axis=0), 1.0, tmp_path / f"{name}.png", tint=tint, height=120)
        image = np.asarray(Image.open(tmp_path / f"{name}.png").convert("RGB")).astype(int)
        footer = image[-24:].reshape(-1, 3)
        ends.append(footer[np.argmax(footer[:, 0] - footer[:, 1])])
    red = encoded(tinted(np.array(1.0))).astype(int)
    assert np.abs(ends[0] - red).max() < 12 and np.abs(ends[1] - red).max() < 12


def test_the_same_picture_with_and_without_a_compiler(tmp_path):
    """The rays of `traced`, one by one, and those of `rays`, all at once, see the same."""
    code = (
        "import sys, numpy as np; from lactic.body import humanoid; from lactic.picture.figure import Figure;"
        "from lactic.picture.painter import paint; from lactic.picture.stage import coloured;"
        "from lactic.picture.view import View;"
        "shapes = Figure(humanoid().model).posed(humanoid().rest); canvas = np.ones((400, 300, 3), np.float32);"
        "paint(canvas, shapes, coloured(shapes, None), View(0.5, 0.2, 150.0, (-150.0, -310.0)));"
        "np.save(sys.argv[1], canvas)"
    )
    pictures = []
    for plain in ("0", "1"):
        path = tmp_path / f"{plain}.npy"
        run = subprocess.run(
            [sys.executable, "-c", code, str(path)], env=os.environ | {"NUMBA_DISABLE_JIT": plain}, cwd=os.getcwd()
        )
        assert run.returncode == 0
        pictures.append(np.load(path))
    apart = np.abs(pictures[0] - pictures[1]).max(-1)
    assert apart.mean() < 1e-3 and (apart > 0.1).mean() < 1e-3


def test_long_runs_are_shown_faster():
    frames, speed = video.film_frames(25200, 30.0, 30.0)
    assert speed == 3 and len(frames) == 8400 and frames[1] == 3


def test_a_film_plays_in_real_time_whatever_its_rate():
    for count, fps, rate in ((3000, 30.0, 30.0), (6000, 60.0, 30.0), (3000, 30.0, 15.0), (3000, 30.0, 60.0)):
        frames, speed = video.film_frames(count, fps, rate)
        assert speed == 1 and len(frames) / rate == pytest.approx(count / fps)
        assert np.abs(frames / fps - np.arange(len(frames)) / rate).max() <= 0.5 / fps + 1e-9


@pytest.mark.skipif(video.encoder() is None, reason="no encoder: pip install lactic[film]")
def test_the_film_is_an_mp4(tmp_path):
    qpos = np.repeat(standing()[None], 3, axis=0)
    assert video.film_video(humanoid(), qpos, 10.0, tmp_path / "film.mp4", film=FilmFormat((64, 36), 10.0)) is None
    assert (tmp_path / "film.mp4").read_bytes()[4:8] == b"ftyp"


def test_pictures_need_neither_torch_nor_a_display():
    code = (
        "import sys, lactic.picture.film, lactic.picture.video, lactic.picture.plots;"
        "sys.exit(any(m in sys.modules for m in ('torch', 'OpenGL', 'matplotlib.pyplot')))"
    )
    assert subprocess.run([sys.executable, "-c", code], env={"PATH": ""}).returncode == 0
