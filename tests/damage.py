"""Small valid files of every kind that Lactic reads, ways to damage them, and the loader behind the command line."""

import copy
import io
import json
import shutil
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import yaml

from lactic import body as bodies
from lactic.body import muscle_man
from lactic.body.own import examined
from lactic.body.xml import write_xml
from lactic.brain import catalogue
from lactic.motion import commands
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh_write import write_bvh
from lactic.motion.library import Library, collect, rows
from lactic.motion.library.rises import stored_rises, stored_worth
from lactic.motion.man import ManLibrary
from lactic.motion.rising import Rises
from lactic.picture.recording import Recording
from lactic.play.job import PlayOptions, ready
from lactic.steer.matching import commands as matching
from lactic.world.stance import stance

sys.path.append(str(Path(__file__).parent / "motion"))

from made_up import ROBOT
from motion_files import deepmimic_text, write_amass, write_poselib

HUGE = 10**400
ABSURD: tuple[Any, ...] = (None, -1, 0, 1e308, float("nan"), float("inf"), HUGE, "", "x" * 300, "../..", [], {}, [[]])
ABSURD += (True, [None], {"a": {}}, 1e-320, [1e999, "b"], "é\n\t", [0.5] * 40)
WORDS = ("nan", "1e308", "-1", "", "0", "0 0 0", "x" * 300, "1e-320", "../..", "free", "mesh", "999999999999", "é")
NASTY = (b"nan", b"1e999", b"-1", b"{", b"}", b"\0", b"\xff\xff\xff\xff", b"99999999999", b"JOINT", b"[", b" ", b"\n")
OWN = {
    "model": "model.xml",
    "joints": ["*"],
    "groups": {"knee": ["*_knee"]},
    "feet": ["*foot*"],
    "strength": {"*": 70, "*ankle*": 80},
    "stiffness": 300,
    "damping": 30.0,
    "key_bodies": ["*foot*"],
}
Damage = Callable[[np.random.Generator, bytes], bytes]


def hurt_bytes(rng: np.random.Generator, data: bytes) -> bytes:
    """Bytes and bits changed, dropped, doubled, cut off, or filled with what hurts."""
    made = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        if not made:
            break
        at, way = int(rng.integers(len(made))), rng.integers(8)
        if way < 2:
            made[at] ^= 1 << int(rng.integers(8))
        elif way == 2:
            made[at:at] = made[at : at + int(rng.integers(1, 80))]
        elif way == 3:
            made[at:at] = NASTY[rng.integers(len(NASTY))]
        elif way == 4:
            made[at : at + 4] = rng.bytes(4)
        elif way == 5 and chr(made[at]).isdigit():
            made[at] = ord("0") + int(rng.integers(10))
        elif way == 6:
            del made[at : at + int(rng.integers(1, 40))]
        else:
            del made[at:]
    return bytes(made)


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every holder and key of a tree of dictionaries and lists."""
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [place for key in list(keys) for place in [(tree, key), *_places(tree[key])]]


def hurt_tree(rng: np.random.Generator, tree: Any) -> Any:
    """A field removed, two exchanged, or one made absurd."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.integers(1, 3)):
        places = _places(tree)
        if not places:
            return tree
        (holder, key), (other, there) = (places[rng.integers(len(places))] for _ in range(2))
        way = rng.integers(4)
        if way == 0:
            del holder[key]
        elif way == 1:
            holder[key], other[there] = copy.deepcopy(other[there]), copy.deepcopy(holder[key])
        else:
            holder[key] = ABSURD[rng.integers(len(ABSURD))]
    return tree


def hurt_json(rng: np.random.Generator, data: bytes) -> bytes:
    """Fields of a JSON file."""
    return json.dumps(hurt_tree(rng, json.loads(data))).encode()


def hurt_yaml(rng: np.random.Generator, data: bytes) -> bytes:
    """Fields of a YAML file."""
    return yaml.safe_dump(hurt_tree(rng, yaml.safe_load(data))).encode()


def hurt_xml(rng: np.random.Generator, data: bytes) -> bytes:
    """An element removed or doubled, an attribute removed, made absurd, or taken from another."""
    root = ET.fromstring(data)
    for _ in range(rng.integers(1, 3)):
        pairs = [(above, inner) for above in root.iter() for inner in above]
        above, inner = pairs[rng.integers(len(pairs))]
        names, way = list(inner.attrib), rng.integers(6)
        if way == 0:
            above.remove(inner)
        elif way == 1:
            above.append(copy.deepcopy(inner))
        elif names:
            name = names[rng.integers(len(names))]
            values = [value for element in root.iter() for value in element.attrib.values()]
            if way == 2:
                del inner.attrib[name]
            else:
                inner.attrib[name] = WORDS[rng.integers(len(WORDS))] if way < 5 else values[rng.integers(len(values))]
    return ET.tostring(root)


def hurt_arrays(rng: np.random.Generator, data: bytes) -> bytes:
    """An array of an archive removed, exchanged, or of another shape, type or size."""
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        arrays: dict[str, Any] = dict(held)
    for _ in range(rng.integers(1, 3)):
        if not arrays:
            break
        name, other = (list(arrays)[rng.integers(len(arrays))] for _ in range(2))
        value = arrays[name]
        number = value.dtype.kind in "fiu" and value.size > 0
        way = rng.integers(10)
        if way == 0:
            del arrays[name]
        elif way == 1:
            arrays[name], arrays[other] = arrays[other], value
        elif way == 2:
            arrays[name] = value.reshape(-1)[: int(rng.integers(max(value.size, 1)))]
        elif way == 3:
            arrays[name] = value[..., None] if rng.random() < 0.5 else value[None]
        elif way == 4 and number:
            wild = value.copy()
            wild.flat[rng.integers(value.size)] = (
                rng.choice([127, 0, 1])
                if value.dtype.kind != "f"
                else rng.choice([np.nan, np.inf, 1e300 if value.dtype == float else 1e30, -1, 0])
            )
            arrays[name] = wild
        elif way == 5 and number:
            arrays[name] = value * np.array(rng.choice([0, -1, 100])).astype(value.dtype)
        elif way == 6:
            arrays[name] = value.astype(str)
        elif way == 7:
            arrays[name] = np.array(ABSURD[rng.integers(10)], dtype=object).astype(str)
        elif way == 8:
            arrays[name] = np.array({"a": 1}, dtype=object)  # would have to be unpickled
        else:
            arrays[name] = np.zeros(0)
    made = io.BytesIO()
    np.savez(made, **arrays)
    return made.getvalue()


def hurt_brain(rng: np.random.Generator, data: bytes) -> bytes:
    """What a brain says of itself, or its graph."""
    model = onnx.load_from_string(data)
    graph, way = model.graph, rng.integers(6)
    if way < 3:
        (entry,) = (entry for entry in model.metadata_props if entry.key == "lactic")
        entry.value = json.dumps(hurt_tree(rng, json.loads(entry.value)))
    elif way == 3:
        parts = (graph.node, graph.initializer, graph.input, graph.output)[rng.integers(4)]
        del parts[int(rng.integers(len(parts)))]
    elif way == 4:
        part = (graph.input, graph.output, graph.initializer)[rng.integers(3)]
        one = part[int(rng.integers(len(part)))]
        one.name = ("fatigue", "load", "x", "")[rng.integers(4)]
    else:
        part = (graph.input, graph.output)[rng.integers(2)]
        dims = part[int(rng.integers(len(part)))].type.tensor_type.shape.dim
        dims[int(rng.integers(len(dims)))].dim_value = int(rng.choice([0, 1, 3, 2**31, 2**62]))
    return model.SerializeToString()


def _walk(name: str = "walk", seconds: float = 2.0) -> BodyClip:
    """The humanoid glides ahead and swings its legs."""
    human, t = bodies.get("humanoid"), np.arange(round(30 * seconds) + 1) / 30.0
    qpos = np.tile(human.rest, (len(t), 1))
    qpos[:, 0] = 1.2 * t
    for side, sign in (("left", 1.0), ("right", -1.0)):
        qpos[:, 7 + human.joints.index(f"{side}_hip_y")] = 0.3 * sign * np.sin(2 * np.pi * t)
    return BodyClip("humanoid", 30.0, qpos, name)


def write_seeds(folder: Path) -> None:
    """Small valid files of every kind."""
    clip, human = _walk(), bodies.get("humanoid")
    write_bvh(folder / "clip.bvh", clip.to_clip())
    clip.save(folder / "clip.npz")
    write_amass(folder / "amass.npz", poses=np.zeros((9, 66)), trans=np.zeros((9, 3)), betas=None)
    write_poselib(folder / "poselib.npy", frames=9)
    (folder / "deepmimic.txt").write_text(deepmimic_text(9, 0.3, 1.0))
    none = np.zeros((clip.frames, len(human.joints)), np.float32)
    state = np.repeat(none[..., None], 3, axis=-1)
    time = np.arange(clip.frames) / 30
    Recording("pace", "humanoid", human.joints, 30.0, time, clip.qpos, state, none, none, none).save(
        folder / "recording.npz"
    )
    collect([clip, _walk("other", 1.0)], ["train", "test"], ["here", "there"]).save(folder / "library.npz")
    collect([_walk("rise_1", 1.0)], ["rise"], ["simulated"]).save(folder / "rises.npz")
    ManLibrary.of(20.0, {"stand": np.tile(muscle_man().rest, (9, 1))}).save(folder / "man.npz")
    clip.save(folder / "long.npz")
    matching.build_file([folder / "long.npz"], folder / "database.npz", fps=30.0)
    write_xml(bodies.get("ant"), folder / "model.xml")
    (folder / "robot.urdf").write_text(ROBOT)
    (folder / "own.yaml").write_text(yaml.safe_dump(OWN))
    shutil.copy(Path(bodies.__file__).parent / "persons" / "73kg.yaml", folder / "person.yaml")
    for name in ("hold-arms", "ant", "hop"):
        shutil.copytree(catalogue.SHIPPED / name, folder / name, ignore=shutil.ignore_patterns("*.png", "*.md"))


def open_motion(path: Path) -> None:
    """As `lactic clips inspect --body humanoid` and `lactic library build` do."""
    commands.inspect(path, "humanoid")
    commands.body_clips(path, "humanoid", 30.0)


def open_library(path: Path) -> None:
    """As `lactic library inspect` does."""
    library = Library.load(path)
    rows(library)
    library.clip(len(library) - 1).qvel()


def open_rises(path: Path) -> None:
    """As every verb does that lets a character follow motions."""
    made = stored_rises(path.parent, bodies.get("humanoid"))
    Rises([clip.resample(30.0) for clip in made], stored_worth(path.parent))


def open_man(path: Path) -> None:
    """As `lactic train muscle-vae` does with its library."""
    library = ManLibrary.load(path)
    library.choose()
    library.velocities()


def open_body(path: Path) -> None:
    """As `lactic bodies check` does for an own body, and every verb for a person."""
    body = bodies.get(str(path))
    if path.stem != "person":
        examined(str(path))
    stance(body)


def open_brain(path: Path) -> None:
    """As `lactic play FOLDER` does, for two control steps."""
    driver, _ = ready(str(path.parent), PlayOptions(film=False))
    driver.step()
    driver.step()
    driver.fallen()


@dataclass(frozen=True)
class Kind:
    """A seed file, what opens it, and how it is damaged."""

    name: str
    file: str
    open: Callable[[Path], object]
    fields: Damage


KINDS = (
    Kind("brain", "hold-arms/brain.onnx", open_brain, hurt_brain),
    Kind("brain", "ant/brain.onnx", open_brain, hurt_brain),
    Kind("brain", "hop/brain.onnx", open_brain, hurt_brain),
    Kind("brain", "hold-arms/params.yaml", open_brain, hurt_yaml),
    Kind("brain", "ant/params.yaml", open_brain, hurt_yaml),
    Kind("brain", "hop/starts.npz", open_brain, hurt_arrays),
    Kind("body", "model.xml", open_body, hurt_xml),
    Kind("body", "robot.urdf", open_body, hurt_xml),
    Kind("body", "own.yaml", open_body, hurt_yaml),
    Kind("body", "person.yaml", open_body, hurt_yaml),
    Kind("library", "library.npz", open_library, hurt_arrays),
    Kind("library", "rises.npz", open_rises, hurt_arrays),
    Kind("library", "man.npz", open_man, hurt_arrays),
    Kind("library", "database.npz", matching.inspect_file, hurt_arrays),
    Kind("motion", "clip.bvh", open_motion, hurt_bytes),
    Kind("motion", "clip.npz", open_motion, hurt_arrays),
    Kind("motion", "recording.npz", open_motion, hurt_arrays),
    Kind("motion", "amass.npz", open_motion, hurt_arrays),
    Kind("motion", "poselib.npy", open_motion, hurt_bytes),
    Kind("motion", "deepmimic.txt", open_motion, hurt_json),
)


def damaged_file(seed: int, number: int, seeds: Path, folder: Path) -> tuple[Kind, Path]:
    """Damaged file number `number` of a seed, written into a new folder beside what belongs to it."""
    rng, kind = np.random.default_rng([seed, number]), KINDS[number % len(KINDS)]
    whole = (seeds / kind.file).read_bytes()
    data = kind.fields(rng, whole) if rng.random() < 0.7 else hurt_bytes(rng, whole)
    place = folder / str(number)
    if kind.name == "brain":
        shutil.copytree((seeds / kind.file).parent, place)
    else:
        place.mkdir()
        if kind.file == "own.yaml":
            shutil.copy(seeds / "model.xml", place)
    path = place / Path(kind.file).name
    path.write_bytes(data)
    return kind, path
