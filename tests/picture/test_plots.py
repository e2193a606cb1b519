"""The fatigue plot draws what the recording holds, at any length."""

import numpy as np
import pytest
from PIL import Image

from lactic.body import humanoid
from lactic.files import save_figure
from lactic.picture.plots import POINTS, binned, fatigue_figure, most_tired
from lactic.picture.recording import Recording

BODY = humanoid()
KNEE = BODY.joints.index("left_knee")


def recording(frames: int, tired: float = 0.6, fps: float = 30.0) -> Recording:
    """The left knee tires evenly while its load swings; everything else rests."""
    time = np.arange(frames) / fps
    fatigue = np.zeros((frames, len(BODY.joints), 3))
    fatigue[:, KNEE, 2] = tired * np.linspace(0, 1, frames)
    fatigue[:, KNEE, 0] = 0.2 * (1 - fatigue[:, KNEE, 2])
    fatigue[..., 1] = 1 - fatigue[..., 0] - fatigue[..., 2]
    load = np.zeros((frames, len(BODY.joints)))
    load[:, KNEE] = 0.4 + 0.3 * np.sin(50 * time)
    limit = BODY.torque_limit * (1 - fatigue[..., 2])
    return Recording(
        brain="squat",
        body="humanoid",
        joints=BODY.joints,
        fps=fps,
        time=time,
        qpos=np.zeros((frames, BODY.model.nq)),
        fatigue=fatigue,
        load=load,
        torque=np.clip(load * BODY.torque_limit, -limit, limit),
        limit=limit,
    )


def line(axes, label: str):
    return next(item for item in axes.get_lines() if item.get_label() == label)


def test_lines_show_the_weakest_of_a_group_the_mean_and_the_compartments():
    record = recording(300)
    top, middle, bottom = fatigue_figure(record, BODY).axes
    assert line(top, "knee").get_ydata() == pytest.approx(100 * (1 - record.fatigue[:, KNEE, 2]))
    assert line(top, "body average").get_ydata() == pytest.approx(100 * (1 - record.fatigue[..., 2].mean(1)))
    assert {t.get_text() for t in top.get_legend().get_texts()} == {*BODY.groups, "body average"}
    for k, name in enumerate(("active", "rested", "fatigued")):
        assert line(middle, name).get_ydata() == pytest.approx(100 * record.fatigue[:, KNEE, k])
    assert "left knee" in middle.get_title(loc="left") and "left knee" in bottom.get_title(loc="left")
    assert line(bottom, "torque").get_ydata() == pytest.approx(record.torque[:, KNEE])
    assert "%" in top.get_ylabel() and "Nm" in bottom.get_ylabel() and bottom.get_xlabel() == "time (s)"


def test_a_named_joint_is_drawn_instead_of_the_most_tired():
    _, middle, _ = fatigue_figure(recording(10), BODY, joint="right_elbow").axes
    assert "right elbow" in middle.get_title(loc="left")


def test_the_most_tired_joint_or_without_fatigue_the_hardest_working():
    assert most_tired(recording(5).fatigue) == KNEE
    assert most_tired(recording(5, tired=0.0).fatigue) == KNEE
    idle = np.zeros((4, 3, 3))
    assert most_tired(idle) == 0


def test_long_runs_are_thinned_without_losing_their_extremes():
    record = recording(100_003)
    time, mean, least, most = binned(record.time, record.load[:, KNEE])
    assert len(time) <= POINTS and (np.diff(time) > 0).all()
    assert most.max() == record.load[:, KNEE].max() and least.min() == record.load[:, KNEE].min()
    assert mean.mean() == pytest.approx(record.load[:, KNEE].mean(), abs=1e-3)
    for axes in fatigue_figure(record, BODY).axes:
        assert all(len(item.get_xdata()) <= POINTS for item in axes.get_lines())


@pytest.mark.parametrize("record", [recording(1), recording(2), recording(60, tired=0.0)], ids=["one", "two", "fresh"])
def test_short_and_fresh_runs_are_drawn(record, tmp_path, recwarn):
    save_figure(tmp_path / "fatigue.png", fatigue_figure(record, BODY), 130)
    image = np.asarray(Image.open(tmp_path / "fatigue.png").convert("L"))
    assert min(image.shape) > 700 and image.min() < 80 < image.mean()
    assert not list(recwarn) and [p.name for p in tmp_path.iterdir()] == ["fatigue.png"]


def test_nothing_recorded_worth_a_torque_is_still_drawn(tmp_path):
    record = recording(30, tired=0.0)
    record.torque[:], record.load[:], record.limit[:] = 0, 0, 0
    save_figure(tmp_path / "fatigue.png", fatigue_figure(record, BODY), 130)
    assert (tmp_path / "fatigue.png").stat().st_size > 10_000
