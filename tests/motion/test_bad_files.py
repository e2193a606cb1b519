"""Whatever a file holds, a reader returns a sound clip or says in one line what is wrong and where."""

import pickle
import warnings
import zipfile

import numpy as np
import pytest
from motion_files import BVH, deepmimic_text, write_amass, write_poselib

from lactic.errors import InputError
from lactic.motion import read

LINES = BVH.splitlines()
FIRST_FRAME = LINES.index("Frame Time: 0.0333333") + 2  # its line number


def edited(line, text):
    """The small BVH with one line (counted from 1) changed."""
    return "\n".join([*LINES[: line - 1], text, *LINES[line:]]) + "\n"


@pytest.mark.parametrize(
    "text, line, about",
    [
        ("", None, "empty"),
        ("\n\n", 1, "HIERARCHY|MOTION"),
        ("not a bvh at all\n", 1, "HIERARCHY"),
        ("\n".join(LINES[:10]), 10, "MOTION"),
        ("\n".join(LINES[:-1]), len(LINES) - 1, "truncated"),
        ("\n".join(LINES)[:-12], len(LINES), "15"),
        ("\n".join(LINES[: FIRST_FRAME - 2]), FIRST_FRAME - 2, "Frame Time"),
        (edited(FIRST_FRAME, "0 90 nan 0 0 0 0 0 0 0 0 0 0 0 0"), FIRST_FRAME, "NaN"),
        (edited(FIRST_FRAME + 1, "0 90 inf 0 0 0 0 0 0 0 0 0 0 0 0"), FIRST_FRAME + 1, "infinite"),
        (edited(FIRST_FRAME, "0 90 0"), FIRST_FRAME, "3 values"),
        (edited(FIRST_FRAME, "0 90 x 0 0 0 0 0 0 0 0 0 0 0 0"), FIRST_FRAME, "not a number"),
        (edited(5, "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Wrotation"), 5, "channel"),
        (edited(5, "CHANNELS 5 Xposition Yposition Zposition Zrotation Yrotation"), FIRST_FRAME, "15 values"),
        (edited(9, "CHANNELS 3 Zrotation Zrotation Xrotation"), 9, "LeftUpLeg"),
        (edited(9, "CHANNELS many Zrotation Yrotation Xrotation"), 9, "many"),
        (edited(8, "OFFSET 10 -5"), 9, "CHANNELS"),
        (edited(8, "OFFSET 10 -5 nan"), 8, "sensible"),
        (edited(FIRST_FRAME - 1, "Frame Time: 0"), FIRST_FRAME - 1, "frame rate"),
        (edited(FIRST_FRAME - 2, "Frames: three"), FIRST_FRAME - 2, "three"),
        (edited(FIRST_FRAME - 2, "Frames: 99999999999999"), None, "3 frames follow"),
    ],
)
def test_bad_bvh_names_file_and_line(tmp_path, text, line, about):
    path = tmp_path / "bad.bvh"
    path.write_text(text)
    with pytest.raises(InputError, match=about) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: " if line else str(path)) and "\n" not in message


def test_binary_bvh_is_named(tmp_path):
    path = tmp_path / "binary.bvh"
    path.write_bytes(b"HIERARCHY\nROOT a\n" + bytes(range(256)) * 4)
    with pytest.raises(InputError, match=r"line 3.*binary"):
        read(path)


def test_missing_files_and_folders_are_named(tmp_path):
    for path in (tmp_path / "absent.bvh", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            read(path)


def test_bad_deepmimic_names_the_line(tmp_path):
    path, good = tmp_path / "dm.txt", deepmimic_text()
    lines = good.splitlines()
    cases = [
        (good[: len(good) // 2], "line"),
        ("{}", "Frames"),
        (good.replace("0.9", "NaN", 1), "line 1.*NaN"),
        ("\n".join([lines[0], lines[1].replace("0.9", '"high"'), *lines[2:]]), "line 2"),
        (good.replace("0.9, ", "", 1), "44 numbers"),
        ("{" * 100000, "line|nested"),
        ('{"Frames": ' + "[" * 100000, "nested|line"),
        (good.replace("0.0333", "-1"), "frame rate"),
        (good.replace("0.9", "1" + "0" * 400), "44 numbers"),
    ]
    for text, about in cases:
        path.write_text(text)
        with pytest.raises(InputError, match=about) as caught:
            read(path)
        assert str(caught.value).startswith(str(path))


def test_bad_amass_is_named(tmp_path):
    path = tmp_path / "a.npz"
    cases = [
        ({"poses": None}, "poses"),
        ({"poses": np.full((4, 156), np.nan)}, "frame 0"),
        ({"poses": np.zeros((4, 30))}, "66"),
        ({"poses": np.zeros((3, 156))}, "frames"),
        ({"poses": np.array(["a"] * 4)}, "numbers"),
        ({"trans": np.full((4, 3), np.inf)}, "frame 0"),
        ({"mocap_framerate": np.array(0.0)}, "frame rate"),
        ({"mocap_framerate": np.array("fast")}, "numbers"),
        ({"poses": np.array([{}], dtype=object)}, "plain arrays"),  # would have to be unpickled
        ({"poses": np.zeros((0, 156)), "trans": np.zeros((0, 3))}, "no frames"),
    ]
    for changes, about in cases:
        write_amass(path, **changes)
        with pytest.raises(InputError, match=about) as caught:
            read(path)
        assert str(caught.value).startswith(str(path))
    whole = path.read_bytes()
    for data in (whole[:100], b"PK\x03\x04" + b"\0" * 50, b"PK"):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"a\.npz"):
            read(path)


class Bomb:
    """Unpickling this would write a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_a_pickle_is_never_run(tmp_path):
    sign = tmp_path / "executed"
    path = tmp_path / "evil.npy"
    np.save(path, np.array({"fps": Bomb(sign)}, dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="would call"):
        read(path)
    write_poselib(path, extra=Bomb(sign))
    with pytest.raises(InputError, match="would call"):
        read(path)
    with zipfile.ZipFile(tmp_path / "evil.npz", "w") as archive:
        archive.writestr("poses.npy", b"\x93NUMPY\x01\x00v\x00" + pickle.dumps(Bomb(sign)))
    with pytest.raises(InputError):
        read(tmp_path / "evil.npz")
    assert not sign.exists()


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles_of_every_protocol_are_read(tmp_path, protocol):
    path, again = tmp_path / "a.npy", tmp_path / "b.npy"
    write_poselib(path)
    motion = np.load(path, allow_pickle=True)
    with again.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": "|O", "fortran_order": False, "shape": ()})
        pickle.dump(motion, stream, protocol=protocol)
    np.testing.assert_array_equal(read(again).rotations, read(path).rotations)


def damaged(rng, data):
    """The file with some of its bytes changed, dropped, doubled, cut off, or filled with what hurts."""
    data = bytearray(data)
    nasty = (b"nan", b"1e999", b"-1", b"{", b"}", b"\0", b"\xff\xff\xff\xff", b"99999999999", b"JOINT", b"[", b" ")
    for _ in range(rng.integers(1, 4)):
        if not data:
            break
        at = int(rng.integers(len(data)))
        kind = rng.integers(8)
        if kind < 2:
            data[at] = int(rng.integers(256))
        elif kind == 5 and chr(data[at]).isdigit():
            data[at] = ord("0") + int(rng.integers(10))
        elif kind == 6:
            del data[at : at + int(rng.integers(1, 40))]
        elif kind == 2:
            data[at:at] = data[at : at + int(rng.integers(1, 80))]
        elif kind == 3:
            data[at:at] = nasty[rng.integers(len(nasty))]
        elif kind == 4:
            data[at : at + 4] = rng.bytes(4)
        else:
            del data[at + int(rng.integers(len(data))) :]
    return bytes(data)


def test_readers_survive_two_thousand_damaged_files(tmp_path):
    """Nothing but InputError ever comes out, and what is read is finite, whole and of unit quaternions."""
    rng = np.random.default_rng(20231)
    sources = {"a.bvh": BVH.encode(), "a.txt": deepmimic_text(3).encode()}
    write_amass(tmp_path / "seed.npz", poses=rng.normal(size=(2, 66)), trans=rng.normal(size=(2, 3)), betas=None)
    write_poselib(tmp_path / "seed.npy", frames=9)
    sources |= {"a.npz": (tmp_path / "seed.npz").read_bytes(), "a.npy": (tmp_path / "seed.npy").read_bytes()}
    outcomes = {"read": 0, "refused": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(2000):
            name = tuple(sources)[i % 4]
            path = tmp_path / name
            path.write_bytes(damaged(rng, sources[name]))
            try:
                clip = read(path)
            except InputError as error:
                assert str(path) in str(error) and "\n" not in str(error)
                outcomes["refused"] += 1
                continue
            outcomes["read"] += 1
            assert np.isfinite(clip.root_pos).all() and np.isfinite(clip.offsets).all() and clip.fps > 0
            np.testing.assert_allclose(np.linalg.norm(clip.rotations, axis=-1), 1, atol=1e-9)
            assert np.isfinite(clip.globals()[0]).all()
    assert min(outcomes.values()) > 100  # the damage is neither harmless nor always fatal
