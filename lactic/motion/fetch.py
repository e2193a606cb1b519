"""Public clips from the user's own package index: DeepMimic's, which the `pybullet` package ships."""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from lactic import files
from lactic.errors import InputError
from lactic.files import output_folder, whole_file
from lactic.motion.deepmimic import read_deepmimic

SOURCES = {"deepmimic": "15 clips of DeepMimic (Peng et al. 2018), from the motion files of the pybullet package"}
_INSIDE = "pybullet_data/data/motions/humanoid3d_"
# the files are the same in every wheel, so one for another Python will do where there is none for this one
_OTHER_WHEEL = ("--python-version", "3.11", "--platform", "manylinux2014_x86_64")


def cache_folder() -> Path:
    """Where fetched clips live: $XDG_CACHE_HOME/lactic/clips, usually ~/.cache/lactic/clips."""
    return files.cache_folder("clips")


def fetch(source: str, cache: str | Path | None = None, say: Callable[[str], None] = lambda line: None) -> list[Path]:
    """Put the clips of `source` into the cache folder, unless they are there, and return their paths."""
    if source not in SOURCES:
        raise InputError(f"unknown source of clips '{source}'; there are: {', '.join(SOURCES)}")
    folder = output_folder(Path(cache) if cache is not None else cache_folder(), "clips cache") / source
    held = sorted(folder.glob("humanoid3d_*.txt"))
    if held:
        say(f"{len(held)} clips are already in {folder}")
        return held
    with tempfile.TemporaryDirectory(prefix="lactic-fetch-") as temporary:
        say("downloading the pybullet package (about 100 MB) from your package index …")
        wheel = _download("pybullet", Path(temporary))
        say("taking out the motion files …")
        return _extract(wheel, Path(temporary), output_folder(folder, "clips cache"))


def _download(package: str, folder: Path) -> Path:
    """A wheel of the package, by pip with the user's own settings; nothing is installed or run."""
    problem = ""
    for extra in ((), _OTHER_WHEEL):
        command = [sys.executable, "-m", "pip", "download", package, "--no-deps", "--only-binary=:all:"]
        command += ["--disable-pip-version-check", "--quiet", "--dest", str(folder), *extra]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise InputError(f"fetch: cannot run pip ({error})") from error
        wheels = sorted(folder.glob("*.whl"))
        if done.returncode == 0 and wheels:
            return wheels[0]
        problem = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no wheel arrived")
    raise InputError(f"fetch: pip could not download '{package}': {problem.strip()[:200]}")


def _extract(wheel: Path, temporary: Path, folder: Path) -> list[Path]:
    """Only the motion files, each read once before it gets its place."""
    kept = []
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                if not (name.startswith(_INSIDE) and name.endswith(".txt")):
                    continue
                draft = temporary / Path(name).name
                draft.write_bytes(archive.read(name))
                read_deepmimic(draft)
                target = folder / draft.name
                with whole_file(target) as path:
                    path.write_bytes(draft.read_bytes())
                kept.append(target)
    except zipfile.BadZipFile as error:
        raise InputError(f"fetch: {wheel.name} is damaged ({error}); try again") from error
    if not kept:
        raise InputError(f"fetch: {wheel.name} holds no motion files; another version of pybullet may")
    return kept
