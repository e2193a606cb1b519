"""The wheel in a new environment, far from the repository and without a network."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from lactic.files import cache_folder

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 25e6
PLAY = """
import socket, sys

def refuse(*_):
    raise OSError("the network was used")

socket.socket.connect = socket.getaddrinfo = refuse
import lactic.cli
print(lactic.__file__)
sys.exit(lactic.cli.main(["play", "pace", "--seconds", "1", "--out", "out", "--no-film"]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    tree = tmp_path_factory.mktemp("tree")
    listed = subprocess.run(["git", "ls-files", "lactic"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git repository: what belongs into the wheel is not known")
    for name in ("pyproject.toml", "README.md", "LICENSE", *listed.stdout.splitlines()):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes((ROOT / name).read_bytes())
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=tree, check=True, capture_output=True)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def place(wheel, tmp_path_factory) -> Path:
    """A new environment that has the wheel and, of this one, its dependencies."""
    place = tmp_path_factory.mktemp("place")
    venv.create(place / "env", symlinks=True)
    python = place / "env/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", "--quiet"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    # a folder named in a .pth file is searched, but its own .pth files, such as that of an editable install, are not
    own = sysconfig.get_path("purelib", vars={"base": str(place / "env")})
    (Path(own) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return place


def test_it_is_small_and_holds_what_the_repository_does(wheel, place):
    assert wheel.stat().st_size < LARGEST
    held = Path(sysconfig.get_path("purelib", vars={"base": str(place / "env")}))
    listed = subprocess.run(["git", "ls-files", "lactic"], cwd=ROOT, capture_output=True, text=True, check=True)
    missing = [name for name in listed.stdout.splitlines() if not (held / name).is_file()]
    assert not missing, "package-data in pyproject.toml leaves out: " + ", ".join(missing)


def test_it_plays_outside_the_repository_and_tells_nobody(place):
    held = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ORT_DISABLE_TELEMETRY")}
    home = place / "home"
    home.mkdir()
    compiled = str(cache_folder("compiled"))  # the same code, and compiling takes a while
    environment = {**held, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "NUMBA_CACHE_DIR": compiled}
    done = subprocess.run(
        [place / "env/bin/python", "-c", PLAY], cwd=home, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.splitlines()[0]).is_relative_to(place)
    assert (home / "out/summary.json").is_file() and (home / "out/motion.bvh").is_file()
    assert not [path for path in home.rglob("*onnxruntime*")]  # where its telemetry keeps an identifier
    said = subprocess.run([place / "env/bin/lactic", "fitness"], cwd=home, env=environment, capture_output=True)
    assert said.returncode == 0 and b"human-30" in said.stdout
