"""What a motion-matching database holds: features against closed forms, tags, contacts, mirror images, files."""

from dataclasses import replace

import numpy as np
import pytest
from strolls import stroll, strolls

from lactic import body, rotation
from lactic.errors import InputError
from lactic.files import packed, unpacked
from lactic.motion.body_clip import BodyClip
from lactic.steer.matching import TAGS, Database, build
from lactic.steer.matching.features import AHEAD, COUNT, GROUPS, SLICES, weight_vector

WALK, RUN, CROUCH = (TAGS.index(tag) for tag in ("walk", "run", "crouch"))
ARRAYS = (
    "qpos",
    "qvel",
    "positions",
    "contacts",
    "tags",
    "searchable",
    "features",
    "mean",
    "scale",
    "weights",
    "clip_start",
    "mirror_of",
)


@pytest.fixture(scope="module")
def database():
    return build(strolls(8, seconds=3.0))


def group(database, frame, name):
    return database.features[frame, SLICES[name]].reshape(GROUPS[name])


def test_features_of_a_circle_are_those_of_the_circle():
    speed, turn = 1.3, 0.8
    held = build([stroll(4.0, speed, turn, sideways=0.4)], mirror=False)
    frame = 60
    assert np.allclose(group(held, frame, "root_velocity")[:2], speed * np.array([np.cos(0.4), np.sin(0.4)]), atol=2e-3)
    steps = np.round(np.array(AHEAD) * 60) / 60
    way = 0.4 + turn * steps
    at = speed / turn * np.stack([np.sin(way) - np.sin(0.4), np.cos(0.4) - np.cos(way)], axis=1)
    assert np.allclose(group(held, frame, "trajectory"), at, atol=2e-3)
    looks = np.stack([np.cos(turn * steps), np.sin(turn * steps)], axis=1)
    assert np.allclose(group(held, frame, "headings"), looks, atol=1e-3)


def test_feet_are_left_then_right_seen_from_the_character():
    held = build([stroll(3.0, 0.0)], mirror=False)
    left, right = group(held, 10, "foot_positions")
    assert left[1] == pytest.approx(0.09, abs=1e-3)
    assert right[1] == pytest.approx(-0.09, abs=1e-3)
    assert np.allclose(group(held, 10, "foot_velocities"), 0, atol=1e-3)


def test_features_are_the_same_wherever_and_whichever_way():
    clip = stroll(3.0, 1.1, 0.5)
    moved = clip.qpos.copy()
    turn = rotation.about("z", np.array(2.0))
    moved[:, :3] = rotation.rotate(turn[None], moved[:, :3]) + np.array([40.0, -7.0, 0.0])
    moved[:, 3:7] = rotation.multiply(turn[None], moved[:, 3:7])
    one, other = (build([c], mirror=False).features for c in (clip, replace(clip, qpos=moved)))
    assert np.abs(one - other).max() < 3e-3  # positions are kept in float32


def test_mirror_images_are_the_mirrored_clips():
    clips = strolls(3, seed=5, seconds=2.5)
    both, mirrored = build(clips), build([clip.mirror() for clip in clips], mirror=False)
    second = np.repeat(both.mirror_of >= 0, np.diff(both.clip_start))
    for name in ("qpos", "qvel", "positions", "contacts", "tags", "searchable", "features"):
        assert np.abs(getattr(both, name)[second].astype(float) - getattr(mirrored, name)).max() < 1e-6, name
    assert both.clip_names[1] == "stroll0_mirror"
    assert list(both.mirror_of) == [-1, 0, -1, 2, -1, 4]


def test_no_frame_near_the_end_can_be_found(database):
    for clip in range(len(database.clip_names)):
        start, end = database.clip_start[clip : clip + 2]
        assert database.searchable[start : end - 60].all()
        assert not database.searchable[end - 60 : end].any()


def test_speed_and_height_give_the_tags():
    held = build([stroll(4.0, 1.3), stroll(4.0, 3.2), stroll(4.0, 0.6, knees=0.75), stroll(4.0, 0.0)], mirror=False)
    walk, run, crouch, still = (held.tags[a:b] for a, b in zip(held.clip_start[:-1], held.clip_start[1:], strict=True))
    assert np.array_equal(walk.mean(axis=0), [1, 0, 0])
    assert np.array_equal(run.mean(axis=0), [0, 1, 0])
    assert np.array_equal(crouch.mean(axis=0), [0, 0, 1])
    assert np.array_equal(still.mean(axis=0), [1, 1, 0])  # from standing one may walk or run


def test_start_of_a_run_belongs_to_walking_and_running():
    walk, run = stroll(3.0, 1.0).qpos, stroll(3.0, 3.5).qpos
    run[:, :2] += walk[-1, :2] - run[0, :2]
    held = build([BodyClip("humanoid", 60.0, np.concatenate([walk, run[1:]]))], mirror=False)
    begins = int(np.argmax(held.tags[:, RUN]))
    assert 180 - 75 < begins < 180 - 25
    assert held.tags[begins:170, WALK].all()
    assert held.tags[:, RUN][begins:].all()
    assert not held.tags[220:, WALK].any()


def test_feet_that_stand_are_in_contact_and_lifted_ones_are_not():
    human = body.get("humanoid")
    clip = stroll(3.0, 0.0)
    qpos = clip.qpos.copy()
    for joint, angle in (("right_hip_y", -0.8), ("right_knee", 1.2), ("right_ankle_y", -0.4)):
        qpos[90:150, 7 + human.joints.index(joint)] += angle
    held = build([replace(clip, qpos=qpos)], mirror=False)
    assert held.contacts[:85].all()
    assert held.contacts[:, 0].all()
    assert not held.contacts[95:145, 1].any()
    assert held.contacts[155:, 1].all()


def test_still_clips_give_finite_numbers():
    still = stroll(2.0, 0.0)
    held = build([still], mirror=False)
    for name in ("features", "mean", "scale", "qvel"):
        assert np.isfinite(getattr(held, name)).all(), name
    assert (held.scale > 0).all()


def test_features_past_a_clips_end_are_finite(database):
    assert np.isfinite(database.features).all()
    assert np.isfinite(database.features[~database.searchable]).all()


def test_a_cycle_shorter_than_a_second_is_repeated():
    step = stroll(0.5, 1.0)
    held = build([replace(step, qpos=step.closed().qpos, cyclic=True)], mirror=False)
    assert held.seconds >= 4.0
    assert held.searchable.sum() > 120


def test_clips_are_brought_to_the_databases_rate():
    held = build([stroll(3.0, 1.0, fps=30.0), stroll(3.0, 1.0, fps=120.0)], mirror=False)
    assert list(np.diff(held.clip_start)) == [181, 181]
    assert np.abs(held.features[20] - held.features[181 + 20]).max() < 0.05


def test_weights_by_group():
    weights = weight_vector({"headings": 3.0})
    assert (weights[SLICES["headings"]] == 3).all()
    assert weights[0] == 1.0
    assert len(weights) == COUNT == 27
    for wrong in ({"hands": 1.0}, {"headings": -1.0}, {"headings": np.nan}, dict.fromkeys(GROUPS, 0.0)):
        with pytest.raises(InputError):
            weight_vector(wrong)


@pytest.mark.parametrize(
    ("clips", "words"),
    [
        ([], "no clips"),
        ([stroll(1.0)], "1.00 s is too short"),
        ([replace(stroll(2.0), qpos=np.full((121, 35), np.nan))], "NaN"),
        ([stroll(2.0), BodyClip("ant", 60.0, np.zeros((200, 15)), "crawl")], "'crawl' is for the body 'ant'"),
        ([BodyClip("ant", 60.0, np.zeros((200, 15)), "crawl")], "one left and one right foot"),
        ([replace(stroll(2.0), qpos=np.zeros((121, 30)))], "a database holds clips of one body"),
    ],
)
def test_bad_clips_are_clear_errors(clips, words):
    with pytest.raises(InputError, match=words):
        build(clips)


def test_saved_and_loaded_it_is_the_same(database, tmp_path):
    path = tmp_path / "steer.npz"
    database.save(path)
    again = Database.load(path)
    for name in ARRAYS:
        assert np.array_equal(getattr(database, name), getattr(again, name)), name
    assert again.clip_names == database.clip_names
    assert again.fps == database.fps
    assert list(tmp_path.iterdir()) == [path]


def test_ten_minutes_fit_in_four_megabytes(database, tmp_path):
    database.save(tmp_path / "steer.npz")
    own = np.diff(database.clip_start)[database.mirror_of < 0].sum()
    assert (tmp_path / "steer.npz").stat().st_size / own * 36000 < 4e6


def changed(path, **arrays):
    with np.load(path) as held:
        kept = {name: held[name] for name in held.files}
    kept |= arrays
    np.savez_compressed(path, **{name: value for name, value in kept.items() if value is not None})


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"version": 99}, "version 99"),
        ({"body": "unicorn"}, "unknown body"),
        ({"joints": np.array(["knee"])}, "another version of the body"),
        ({"hinges": np.zeros((2, 28, 5), dtype=np.uint8)}, "do not fit each other"),
        ({"roots": None}, "damaged"),
        ({"hinges": np.zeros((5, 28), dtype=np.int16)}, "damaged"),
        ({"clip_frames": None}, "not a motion-matching database"),
        ({"clip_frames": np.array([-5, 8])}, "do not fit each other"),
        ({"weights": np.array([1.0, 2.0])}, "damaged"),
        ({"weights": np.full(5, np.nan)}, "must be zero or more"),
        ({"step": 0.5}, "cannot be"),
        ({"fps": -1.0}, "fps"),
        ({"feature_names": np.array(["hands"])}, "other features"),
    ],
)
def test_damaged_files_are_clear_errors(database, tmp_path, arrays, words):
    path = tmp_path / "steer.npz"
    database.save(path)
    changed(path, **arrays)
    with pytest.raises(InputError, match=words) as error:
        Database.load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_poses_that_cannot_be_are_clear_errors(database, tmp_path):
    path = tmp_path / "steer.npz"
    database.save(path)
    with np.load(path) as held:
        roots = unpacked(held["roots"], np.int32)
    roots[3, 3:] = 0
    changed(path, roots=packed(roots, np.int32))
    with pytest.raises(InputError, match="no rotations"):
        Database.load(path)


def test_other_files_are_clear_errors(tmp_path):
    text, clip = tmp_path / "steer.npz", tmp_path / "clip.npz"
    text.write_text("not a database")
    stroll(2.0).save(clip)
    for path, words in ((text, "damaged"), (clip, "not a motion-matching database"), (tmp_path / "no.npz", "no such")):
        with pytest.raises(InputError, match=words):
            Database.load(path)


def test_files_keep_only_the_frames_that_were_in_the_clips(tmp_path):
    walk = stroll(seconds=5.0)
    whole, sparse = (build([replace(walk, fps=60.0 / k, qpos=walk.qpos[::k])], fps=60.0) for k in (1, 2))
    assert (whole.every, sparse.every) == (1, 2)
    for database, name in ((whole, "whole.npz"), (sparse, "sparse.npz")):
        database.save(tmp_path / name)
    loaded = Database.load(tmp_path / "sparse.npz")
    assert loaded.every == 2 and np.array_equal(loaded.qpos, sparse.qpos)
    assert np.array_equal(loaded.features, sparse.features)
    kept = [int(np.load(tmp_path / name)["clip_frames"].sum()) for name in ("whole.npz", "sparse.npz")]
    assert kept == [walk.frames, -(-walk.frames // 2)]
