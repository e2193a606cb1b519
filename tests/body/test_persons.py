"""Persons: joints and order of the humanoid, exact mass and stature, inertia against a finer grid, names, files."""

from itertools import pairwise

import mujoco
import numpy as np
import pytest
from made_up import random_clip

from lactic import body as bodies
from lactic import rotation
from lactic.body import humanoid, person
from lactic.body.person import MIDLINE
from lactic.body.person_file import BASIS_HEIGHT, BASIS_MASSES, load, save, shipped
from lactic.body.shapes import Capsule
from lactic.errors import InputError
from lactic.motion.retarget import retarget
from lactic.play.job import PlayOptions, play


def test_joints_bodies_and_actions_are_the_humanoids():
    one, two = person(), humanoid()
    assert one.joints == two.joints and one.bodies == two.bodies and one.groups == two.groups
    assert one.key_bodies == two.key_bodies and one.regions == two.regions
    assert np.array_equal(one.range, two.range)
    for name in one.joints:
        a, b = one.model.joint(name), two.model.joint(name)
        assert np.array_equal(a.axis, b.axis) and np.array_equal(a.qposadr, b.qposadr)
    assert np.array_equal(one.model.body_parentid, two.model.body_parentid)
    assert one.torque_limit == pytest.approx(two.torque_limit)  # same mass, same height


@pytest.mark.parametrize("mass", BASIS_MASSES)
def test_a_shipped_fit_has_exactly_its_mass_and_height(mass):
    someone = shipped(BASIS_HEIGHT, mass)
    assert bodies.get(f"person-{BASIS_HEIGHT}-{mass}").model.nu == 28
    total = sum(s.inertia.mass * (1 if name in MIDLINE else 2) for name, s in someone.segments.items())
    assert total == pytest.approx(mass, abs=1e-9)
    assert someone.stature == pytest.approx(BASIS_HEIGHT, abs=2e-4)  # what rounding to tenths of millimetres leaves


@pytest.mark.parametrize(("height", "mass"), [(1.741, 73.0), (1.62, 55.0), (1.95, 110.0), (1.9, 120.0)])
def test_any_person_has_exactly_its_mass_and_stands_on_its_soles(height, mass):
    body = bodies.get(f"person-{height}-{mass}")
    assert body.model.body_mass.sum() == pytest.approx(mass, abs=1e-9)
    assert body.torque_limit / humanoid().torque_limit == pytest.approx(mass * height / (73 * 1.741))
    data = mujoco.MjData(body.model)
    data.qpos[2] -= 1e-6
    mujoco.mj_forward(body.model, data)
    assert data.ncon == 8 and np.abs(data.contact.dist[:8]).max() < 2e-6
    someone = shipped(height, mass)
    top = max(shape.bounds[1][2] for shape in someone.segments["head"].shapes)
    assert someone.stature == pytest.approx(height, abs=2e-4)
    assert top == pytest.approx(someone.scalp, abs=0.03)


def test_inertia_is_within_one_percent_of_a_fine_grid():
    coarse, fine = shipped(), shipped().weighed(cell=0.002)
    for name, segment in coarse.segments.items():
        reference = fine.segments[name].inertia
        assert segment.inertia.mass == pytest.approx(reference.mass, rel=0.01)
        assert segment.inertia.moments == pytest.approx(reference.moments, rel=0.01)
        scale = np.sqrt(np.outer(*[np.diag(reference.tensor)] * 2))
        assert np.abs(segment.inertia.tensor - reference.tensor).max() < 0.01 * scale.max()
        assert segment.inertia.centre == pytest.approx(reference.centre, abs=5e-4)


def test_the_file_holds_the_masses_of_its_own_shapes():
    someone = shipped()
    again = someone.weighed()
    for name, segment in someone.segments.items():
        assert segment.inertia.mass == pytest.approx(again.segments[name].inertia.mass, rel=1e-6)
        assert segment.inertia.tensor == pytest.approx(again.segments[name].inertia.tensor, abs=1e-6)


def test_moments_are_those_of_real_bodies():
    # no principal moment exceeds the sum of the others
    for segment in shipped().segments.values():
        moments = np.sort(segment.inertia.moments)
        assert moments[0] > 0 and moments[2] < moments[0] + moments[1]


def test_arms_hang_and_hinges_bend_as_they_should():
    body = person()
    data = mujoco.MjData(body.model)
    mujoco.mj_forward(body.model, data)
    upper, fore, hand = (data.body(f"left_{name}").xpos for name in ("upper_arm", "forearm", "hand"))
    assert np.abs((upper - hand)[:2]).max() < 1e-9 and upper[2] > fore[2] > hand[2]
    # palms turned in: the hand's box is flat to the side
    box = next(
        g
        for g in range(body.model.ngeom)
        if body.model.geom_bodyid[g] == body.model.body("left_hand").id and body.model.geom_type[g] == 6
    )
    thin = data.geom_xmat[box].reshape(3, 3)[:, body.model.geom_size[box].argmin()]
    assert abs(thin[2]) < 0.4
    data.qpos[7 + body.joints.index("right_knee")] = 1.0
    data.qpos[7 + body.joints.index("right_elbow")] = -1.0
    mujoco.mj_forward(body.model, data)
    assert data.body("right_foot").xpos[0] < -0.3
    assert data.body("right_hand").xpos[0] > 0.2


def test_between_two_fits_shapes_and_masses_change_steadily():
    people = [shipped(BASIS_HEIGHT, mass) for mass in (73.0, 80.0, 88.0)]
    thighs = [p.segments["thigh"].inertia.mass for p in people]
    assert thighs[0] < thighs[1] < thighs[2]
    radius = [p.segments["torso"].shapes[0].radius for p in people]
    assert radius[0] < radius[1] < radius[2]


@pytest.mark.parametrize(("lean", "stout"), tuple(pairwise(BASIS_MASSES)))
def test_neighbouring_fits_are_of_a_kind_so_that_what_lies_between_makes_sense(lean, stout):
    one, two = shipped(BASIS_HEIGHT, lean), shipped(BASIS_HEIGHT, stout)
    for name, segment in one.segments.items():
        for a, b in zip(segment.shapes, two.segments[name].shapes, strict=True):
            assert type(a) is type(b)
            if isinstance(a, Capsule):  # no end has become the other
                straight = np.linalg.norm(a.start - b.start) + np.linalg.norm(a.end - b.end)
                assert straight <= np.linalg.norm(a.start - b.end) + np.linalg.norm(a.end - b.start) + 1e-9
            else:
                assert rotation.angle(rotation.multiply(rotation.conjugate(a.turn), b.turn)) < 0.3


def test_a_saved_person_is_read_back(tmp_path):
    someone = shipped(1.8, 80.0)
    save(someone, tmp_path / "me.yaml")
    again = load(tmp_path / "me.yaml")
    assert again.mass == 80.0 and again.height == 1.8
    for name, segment in someone.segments.items():
        other = again.segments[name]
        assert other.offset == pytest.approx(segment.offset, abs=6e-5)
        assert other.inertia.moments == pytest.approx(segment.inertia.moments, abs=1e-8)
        assert rotation.angle(rotation.multiply(rotation.conjugate(other.bind), segment.bind)) < 1e-5
    body = bodies.get(str(tmp_path / "me.yaml"))
    assert body.model.body_mass.sum() == pytest.approx(80.0, abs=1e-9)


def test_clips_go_onto_persons():
    clip = random_clip()
    target = bodies.get("person-1.6-60")
    moved, residual = retarget(clip.to_clip(), target)
    assert moved.body_name == "person-1.6-60"
    assert residual.direction_mean < np.radians(5)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("person-17.5-73", "height 17.5 m"),
        ("person-1.75-700", "mass 700 kg"),
        ("person-1.9-50", r"from \d+ to \d+ kg"),
        ("nobody.yaml", "cannot be read"),
        ("person-x-y", "person-HEIGHT-MASS"),
    ],
)
def test_absurd_persons_are_refused(name, words):
    with pytest.raises(InputError, match=words):
        bodies.get(name)


@pytest.mark.parametrize("text", ["", "format: other", "[1, 2", "format: lactic person 1\nheight: 1.7\nmass: 70\n"])
def test_a_damaged_file_is_refused(tmp_path, text):
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(InputError, match=r"bad\.yaml"):
        bodies.get(str(tmp_path / "bad.yaml"))


def test_a_brain_made_for_the_humanoid_plays_in_a_persons_body(tmp_path):
    small = PlayOptions(seconds=1.0, body="person-1.62-55", film=False)
    summary = play("pace", tmp_path, small, report=lambda line: None)
    assert summary["body"] == "person-1.62-55" and summary["fell_at_s"] is None
    with pytest.raises(InputError, match="joints"):
        play("pace", tmp_path, PlayOptions(seconds=1.0, body="ant"))
    pinned = bodies.get("person", pinned=True)
    assert pinned.model.neq == 1 and person().model.neq == 0
