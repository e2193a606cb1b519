"""Damaged brains, bodies, libraries and motion files, opened as the command line opens them: a clean error or success.

    python bench/fuzz.py [--files 2000] [--seed 0] [--only NUMBER --keep FOLDER]

Every file is a small valid one with bits flipped, an end cut off, or a field removed, exchanged or made absurd. It is
opened in another process, so that a crash, a hang or a file that eats all memory is seen and counted too. Allowed is
success, or an InputError of one line. The exit code is 1 where anything else was seen.
"""

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from damage import KINDS, damaged_file, write_seeds

from lactic.errors import InputError

MEMORY = 6 * 2**30  # bytes of address space that a process may have beyond what it began with
PATIENCE = 30.0  # seconds until a file counts as a hang
LONGEST = 1000  # characters of a line that a person still reads


def verdict(seed: int, number: int, seeds: Path, folder: Path) -> tuple[str, str]:
    """What became of one file, in a word; and the error, if it is one that nobody should see."""
    kind, path = damaged_file(seed, number, seeds, folder)
    try:
        kind.open(path)
    except InputError as error:
        said = str(error)
        return ("refused", said) if "\n" not in said and len(said) < LONGEST else ("not one line", said)
    except BaseException as error:  # anything else is what is looked for
        return "defect", f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
    return "opened", ""


def work(pipe: Connection, seed: int, first: int, files: int, seeds: Path, folder: Path) -> None:
    """Open one file after another and tell of each; silent otherwise."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    warnings.simplefilter("ignore")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    os.chdir(folder)  # MuJoCo's log goes where the files go
    for number in range(first, files):
        pipe.send((number, *verdict(seed, number, seeds, folder)))


def main() -> None:
    """Open them all and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="open this one alone, in this process")
    parser.add_argument("--keep", type=Path, help="folder in which the damaged files stay")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        seeds, folder = Path(made) / "seeds", asked.keep or Path(made) / "damaged"
        seeds.mkdir()
        folder.mkdir(parents=True, exist_ok=True)
        write_seeds(seeds)
        if asked.only is not None:
            print(KINDS[asked.only % len(KINDS)].file, *verdict(asked.seed, asked.only, seeds, folder))
            return
        found = every(asked.seed, asked.files, seeds, folder)
    counts = Counter((KINDS[number % len(KINDS)].name, word) for number, (word, _) in found.items())
    words = sorted({word for _, word in counts})
    print(f"{'':10}" + "".join(f"{word:>14}" for word in words))
    for name in dict.fromkeys(kind.name for kind in KINDS):
        print(f"{name:10}" + "".join(f"{counts[name, word]:14}" for word in words))
    bad = {number: row for number, row in found.items() if row[0] not in ("opened", "refused")}
    for number, (word, said) in sorted(bad.items()):
        print(f"\n{number} ({KINDS[number % len(KINDS)].file}): {word}: {said}")
    raise SystemExit(int(bool(bad)))


def every(seed: int, files: int, seeds: Path, folder: Path) -> dict[int, tuple[str, str]]:
    """What became of each file; a process that died or hangs is replaced."""
    fork, found, began = multiprocessing.get_context("fork"), {}, time.perf_counter()
    while len(found) < files:
        inner, outer = fork.Pipe(duplex=False)
        worker = fork.Process(target=work, args=(outer, seed, len(found), files, seeds, folder), daemon=True)
        worker.start()
        outer.close()
        while len(found) < files:
            try:
                if not inner.poll(PATIENCE):
                    found[len(found)] = "hang", f"more than {PATIENCE:g} s"
                    break
                number, word, said = inner.recv()
            except EOFError:
                worker.join()
                found[len(found)] = "crash", f"exit code {worker.exitcode}"
                break
            found[number] = word, said
            if len(found) % 100 == 0:
                left = (time.perf_counter() - began) * (files / len(found) - 1)
                print(f"{len(found)} of {files} files, {left:.0f} s left", file=sys.stderr, flush=True)
        worker.kill()
        worker.join()
    return found


if __name__ == "__main__":
    main()
