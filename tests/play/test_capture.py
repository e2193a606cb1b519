"""Databases of Lactic's own simulated characters: from recordings, by `lactic match capture`, and beside a brain."""

import json
import shutil

import numpy as np
import pytest
from footsteps import ramp, steps_database, walk_along

from lactic import fatigue, rotation
from lactic.brain import catalogue
from lactic.cli import main
from lactic.errors import InputError
from lactic.lab import job
from lactic.motion.body_clip import BodyClip
from lactic.motion.commands import load
from lactic.motion.recorded import pieces, read_recording
from lactic.picture.recording import Recording
from lactic.play import capture as capturing
from lactic.play.capture import Drill, capture
from lactic.play.job import PlayOptions, play
from lactic.play.player import Player
from lactic.play.steered import Steered, database_of
from lactic.steer.matching import Database, build


@pytest.fixture(scope="module")
def brain(follower):
    """A brain without a database; one is beside it."""
    return follower


def recording(clip: BodyClip, cuts: tuple[int, ...] = ()) -> Recording:
    n, joints = clip.frames, len(clip.body.joints)
    nothing = np.zeros((n, joints), np.float32)
    return Recording(
        "steer",
        clip.body_name,
        clip.body.joints,
        clip.fps,
        np.arange(n) / clip.fps,
        clip.qpos,
        np.zeros((n, joints, 3), np.float32),
        nothing,
        nothing,
        nothing,
        np.array(cuts, int),
    )


def walk(seconds: float = 8.0) -> BodyClip:
    return walk_along(np.full(round(60 * seconds), 1.3), ramp(0, 1, seconds, 1, 2))


def test_a_recording_becomes_clips_between_its_falls(tmp_path, capsys):
    clip = walk()
    qpos = clip.qpos.copy()
    qpos[400:, 3:7] = rotation.multiply(qpos[400:, 3:7], rotation.about("y", np.full(80, 1.5)))  # lies face down
    (tmp_path / "take").mkdir()
    record = recording(BodyClip("humanoid", 60.0, qpos, "x"), cuts=(200,))
    record.save(tmp_path / "take" / "recording.npz")
    (tmp_path / "take" / "motion.bvh").write_text("the same motion again, not to be read")
    assert Recording.load_file(tmp_path / "take" / "recording.npz").cuts.tolist() == [200]
    out = tmp_path / "own.npz"
    assert main(["match", "build", str(tmp_path / "take"), "--out", str(out), "--no-mirror", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clips"] == 2
    made = Database.load(out)
    assert made.clip_names == ("take_1", "take_2")
    assert np.diff(made.clip_start).tolist() == [128, 400 - 72 - 215]  # 1.2 s before and 0.25 s after are left out
    np.testing.assert_allclose(made.qpos[:128, :3], clip.qpos[:128, :3], atol=1e-5)
    assert load(tmp_path / "take" / "recording.npz").frames == 480  # `lactic clips` shows all of it


def test_recordings_without_use_are_one_line(tmp_path, capsys):
    def said(*words: str) -> str:
        assert main(["match", "build", *words, "--out", str(tmp_path / "own.npz")]) == 2
        text = capsys.readouterr().err.splitlines()[-1]
        assert text.startswith("lactic: ")
        return text

    recording(walk(4.0), cuts=(60, 140, 220)).save(tmp_path / "falls.npz")
    assert "nothing between them lasts" in said(str(tmp_path / "falls.npz"))
    np.savez(tmp_path / "bad.npz", about="{}", qpos=np.zeros((3, 3)), fatigue=0)
    assert "not a recording" in said(str(tmp_path / "bad.npz"))
    recording(walk(2.0)).save(tmp_path / "good.npz")
    assert "of the body 'humanoid', not of 'person'" in said(str(tmp_path / "good.npz"), "--body", "person")


def test_pieces_of_a_clip_without_falls_are_all_of_it():
    clip = walk(3.0)
    (whole,) = pieces(clip, np.zeros(0, int))
    assert whole.frames == clip.frames and whole.name == clip.name


def test_what_play_leaves_can_be_built_from(brain, tmp_path, monkeypatch):
    monkeypatch.setattr("lactic.picture.video.film_video", lambda *_, **__: None)
    options = PlayOptions(seconds=3.0, script="turn", database=brain.parent / "steps.npz")
    summary = play(str(brain), tmp_path / "a", options, report=lambda _: None)
    clip, cuts = read_recording(tmp_path / "a" / "recording.npz")
    assert clip.frames == 90 and len(cuts) == summary["falls"] > 0


def follow_exactly(self: Steered) -> None:
    """Be where the kinematic character is: a brain that has learnt all."""
    for _ in range(self.updates):
        self.go_on()
    self._keep(self.size - 1)
    self.at = (self.at + 1) % self.size
    self.player.world.reset(np.ones(self.count, bool), self.moment().qpos, self.moment().qvel)


def test_capture_makes_a_database_of_what_was_simulated(brain, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Steered, "step", follow_exactly)
    monkeypatch.setattr(capturing, "TAKES", 4)
    monkeypatch.setattr(capturing, "TAKE", 10.0)
    out, source = tmp_path / "database.npz", str(brain.parent / "steps.npz")
    words = ["match", "capture", str(brain), "--database", source, "--minutes", "1", "--out", str(out), "--json"]
    assert main(words) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["falls"] == 0 and facts["minutes"] == pytest.approx(2, abs=0.1)  # with mirror images
    assert facts["megabytes"] < 0.4  # so ten minutes take less than 4
    made = Database.load(out)
    assert {"walk", "run", "crouch"} == set(made.tags_present)
    speed = np.linalg.norm(made.qvel[:, :2], axis=1)
    assert speed.min() < 0.1 and np.percentile(speed, 95) > 2
    again, _ = capture(brain, source, 0.5, seed=1)
    assert again.seconds == pytest.approx(60, abs=2)


def test_capture_of_a_brain_that_only_falls_says_so(brain, monkeypatch, tmp_path):
    monkeypatch.setattr(capturing, "TAKES", 2)
    monkeypatch.setattr(capturing, "TAKE", 3.0)
    with pytest.raises(InputError, match=r"fell \d+ times; only"):
        capture(brain, brain.parent / "steps.npz", 0.05)
    with pytest.raises(InputError, match="minutes"):
        capture(brain, brain.parent / "steps.npz", 0.0)
    with pytest.raises(InputError, match="does not follow"):
        capture("pace", brain.parent / "steps.npz", 0.1)


def test_the_drill_asks_for_everything_and_nothing_that_is_missing():
    roots = np.tile([0, 0, 0.9, 1, 0, 0, 0.0], (40, 1))

    def asked(**options) -> np.ndarray:
        drill = Drill(40, **options)
        return np.stack([drill(k / 60, roots).copy() for k in range(600)])

    pads = asked()
    length = np.linalg.norm(pads[..., :2], axis=-1)
    assert length.max() <= 1 + 1e-9 and (length == 0).mean() > 0.05
    assert all((pads[..., k] > 0).any() for k in (0, 1, 2, 4, 5))
    pads = asked(run=False, crouch=False)
    assert not pads[..., 4:].any() and pads[..., 2:4].any()


def test_a_database_in_the_brains_folder_is_used(brain, tmp_path, monkeypatch):
    monkeypatch.setattr("lactic.picture.video.film_video", lambda *_, **__: None)
    own = tmp_path / "steer"
    shutil.copytree(brain, own)
    assert database_of(catalogue.find(own)).seconds > 900  # the one that ships
    steps_database().save(own / "database.npz")
    assert play(str(own), tmp_path / "a", PlayOptions(seconds=1.0), report=lambda _: None)["frames"] == 30
    said: list[str] = []
    job.run("bergamin2020", "path", tmp_path / "lab", episodes=1, brains=(str(own),), say=said.append)
    assert (tmp_path / "lab" / "path.json").is_file()
    (own / "database.npz").write_bytes(b"no database")
    with pytest.raises(InputError, match=r"database\.npz: not a motion-matching database"):
        database_of(catalogue.find(own))
    assert database_of(catalogue.find(own), brain.parent / "steps.npz").frames == steps_database().frames


def test_databases_that_do_not_fit_are_one_line(brain, tmp_path):
    def said(made: Database) -> str:
        made.save(tmp_path / "made.npz")
        with pytest.raises(InputError) as error:
            play(str(brain), tmp_path / "out", PlayOptions(seconds=1.0, database=tmp_path / "made.npz"))
        assert "\n" not in str(error.value) and not (tmp_path / "out").exists()
        return str(error.value)

    clips = [walk(3.0), walk_along(np.zeros(200), np.zeros(200))]
    assert "at 50 Hz" in said(build(clips, fps=50))
    runs = build([walk_along(np.full(300, 3.2), np.zeros(300))])
    assert "no frame tagged 'walk' (only run)" in said(runs)


def test_what_a_database_does_not_have_is_walked_instead_and_stays_finite(brain, tmp_path):
    build([walk(4.0), walk_along(np.zeros(300), np.zeros(300))]).save(tmp_path / "walks.npz")
    held = database_of(catalogue.find(brain), tmp_path / "walks.npz")
    assert held.tags_present == ("walk", "run")  # standing still belongs to both
    player = Player(catalogue.find(brain).load(), fatigue.preset("off"))
    crowd = Steered(player, held, lambda second, roots: np.array([[1.0, 0, 0, 0, 0, 1]]))
    for _ in range(40):
        crowd.step()
        crowd.stand_up()
    assert np.isfinite(player.command).all() and np.isfinite(player.world.qpos).all()
    assert crowd.kinematic.missing == ("crouch",)
