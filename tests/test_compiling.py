"""What numba compiled is kept by its sources, and nowhere where nothing can be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lactic import compiling

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")


def test_the_digest_changes_with_any_source_of_the_room(tmp_path):
    (tmp_path / "inner").mkdir()
    for name, text in (("a.py", "A = 1\n"), ("inner/b.py", "B = 2\n"), ("notes.md", "x")):
        (tmp_path / name).write_text(text)
    before = compiling.digest(tmp_path)
    (tmp_path / "notes.md").write_text("y")
    assert compiling.digest(tmp_path) == before
    (tmp_path / "inner" / "b.py").write_text("B = 3\n")
    assert compiling.digest(tmp_path) != before


def test_a_changed_constant_of_another_file_is_seen(tmp_path):
    """numba itself would answer 1 twice."""
    (tmp_path / "constants.py").write_text("A = 1\n")
    (tmp_path / "kernels.py").write_text(
        "from constants import A\nfrom lactic.compiling import njit\n\n\n@njit(cache=True)\ndef a():\n    return A\n"
    )
    said = []
    for value in (1, 2, 2):
        (tmp_path / "constants.py").write_text(f"A = {value}\n")
        code = "import kernels; print(kernels.a(), sum(kernels.a.stats.cache_hits.values()))"
        said.append(_python(code, tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache")))
    assert said == ["1 0", "2 0", "2 1"]


def test_a_home_that_cannot_be_written_is_no_hindrance(tmp_path):
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    code = "from lactic.steer.compiled import wrap; print(wrap(0.5))"
    assert _python(code, tmp_path, HOME=str(nowhere), XDG_CACHE_HOME=str(nowhere)) == "0.5"


def _python(code: str, folder: Path, **changes: str) -> str:
    root = str(Path(compiling.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((root, str(folder))), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= changes
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()
