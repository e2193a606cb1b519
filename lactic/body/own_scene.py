"""The character in an MJCF or URDF file: floors, actuators, tendons, sensors and options of the file are left out."""

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import mujoco

from lactic.body.body import world_spec
from lactic.errors import InputError
from lactic.files import read_yaml

SUFFIXES = (".xml", ".mjcf", ".urdf")
KEYS = ("model", "joints", "groups", "feet", "key_bodies", "strength", "stiffness", "damping", "roles")
"""What a YAML file may say."""


@dataclass
class OwnFile:
    """What a YAML file says, and what was found, derived and left out on the way."""

    name: str
    model: Path
    said: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def is_own(name: str) -> bool:
    """Whether a body's name means such a file: a model, or a YAML file that names one."""
    path = Path(name)
    if path.suffix in SUFFIXES:
        return True
    return (
        path.suffix in (".yaml", ".yml")
        and path.is_file()
        and re.search("^model:", path.read_text(encoding="utf-8", errors="replace"), re.M) is not None
    )


def read(name: str) -> OwnFile:
    """The file of that name, checked as far as it can be without the model."""
    path = Path(name)
    held = {"model": path.name} if path.suffix in SUFFIXES else read_yaml(path)
    if not isinstance(held, dict) or not isinstance(held.get("model"), str):
        raise InputError(f"{name}: must hold 'model: FILE', an MJCF or URDF file beside it")
    unknown = [key for key in held if key not in KEYS]
    if unknown:
        raise InputError(f"{name}: unknown '{unknown[0]}'; there are: {', '.join(KEYS)}")
    model = path.parent / held["model"]
    if not model.is_file():
        raise InputError(f"{name}: model: no file {str(model)!r}")
    return OwnFile(name, model, held)


def _parsed(file: OwnFile) -> mujoco.MjSpec:
    """The file as MuJoCo reads it; of a URDF file `package://` is looked for in the folders above it."""
    try:
        if file.model.suffix != ".urdf":
            return mujoco.MjSpec.from_file(str(file.model))
        text = file.model.read_text()
        for wanted in set(re.findall(r'package://([^"]+)', text)):
            above = (
                folder / part for folder in file.model.absolute().parents for part in (wanted, wanted.split("/", 1)[-1])
            )
            found = next((place for place in above if place.is_file()), None)
            if found is None:
                raise InputError(f"{file.name}: no file for package://{wanted} in the folders above the model")
            text = text.replace(f"package://{wanted}", str(found))
        text = re.sub(r"(<robot[^>]*>)", r'\1<mujoco><compiler strippath="false"/></mujoco>', text, count=1)
        return mujoco.MjSpec.from_string(text)
    except (ValueError, OSError, UnicodeDecodeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{file.name}: MuJoCo cannot read {file.model} ({str(error).splitlines()[0]})") from error


def _character(spec: mujoco.MjSpec, file: OwnFile) -> mujoco.MjsBody:
    """The body that floats, with most hinges below it; all others are left out."""
    tops = [body for body in spec.bodies if body.parent == spec.worldbody]
    hinges = {
        top.name: sum(j.type == mujoco.mjtJoint.mjJNT_HINGE for b in _below(top) for j in b.joints) for top in tops
    }
    if not tops or max(hinges.values()) == 0:
        raise InputError(f"{file.name}: {file.model.name} has no hinges to drive")
    root = max(tops, key=lambda top: hinges[top.name])
    for top in tops:
        if top is not root:
            file.notes.append(f"left out: body '{top.name}', which is not part of the character")
            spec.delete(top)
    return root


def _below(body: mujoco.MjsBody) -> list[mujoco.MjsBody]:
    return [body, *(inner for child in body.bodies for inner in _below(child))]


def scene(file: OwnFile) -> mujoco.MjSpec:
    """The character alone above our floor, at its own height and without motors."""
    spec, kinds = _parsed(file), mujoco.mjtJoint
    file.notes.clear()
    asked = mujoco.mjtIntegrator(spec.option.integrator).name.removeprefix("mjINT_")
    if asked not in ("IMPLICITFAST", "IMPLICIT"):
        file.notes.append(f"integrator {asked}: taken as IMPLICITFAST, or PD gains as high as these fail in every step")
    if abs(spec.option.timestep - 1 / 120) > 1e-6:
        file.notes.append(f"timestep {spec.option.timestep:g} s: taken as 1/120 s")
    parts = {
        "actuators": spec.actuators,
        "sensors": spec.sensors,
        "tendons": spec.tendons,
        "equalities": spec.equalities,
    }
    for what, held in (parts | {"keyframes": spec.keys, "contact pairs": spec.pairs}).items():
        if len(held):
            file.notes.append(f"left out: {len(held)} {what}")
        for one in list(held):
            spec.delete(one)
    root = _character(spec, file)
    for geom in list(spec.worldbody.geoms):
        spec.delete(geom)
    for camera in list(spec.cameras):
        spec.delete(camera)
    _loosen(root, file)
    driven = [j.name for body in _below(root) for j in body.joints if j.type == kinds.mjJNT_HINGE]
    wanted = chosen(driven, file.said.get("joints"), file, "joints")
    for body in _below(root)[1:]:
        for joint in list(body.joints):
            if joint.type != kinds.mjJNT_HINGE and joint.name not in wanted:
                raise InputError(f"{file.name}: joint '{joint.name}' is no hinge; characters have hinges alone")
            if joint.name not in wanted:
                file.notes.append(f"left out: joint '{joint.name}', which is stiff now")
                spec.delete(joint)
    _touching(root)
    _under(spec)
    return spec


def _loosen(root: mujoco.MjsBody, file: OwnFile) -> None:
    """Give the root one free joint."""
    kinds = [joint.type for joint in root.joints]
    if kinds == [mujoco.mjtJoint.mjJNT_FREE]:
        return
    if kinds:
        raise InputError(
            f"{file.name}: the root '{root.name}' hangs on joints of its own; give it a free joint or none"
        )
    root.add_freejoint(name="root")
    file.notes.append(f"the root '{root.name}' had no joint: it floats now")


def _touching(root: mujoco.MjsBody) -> None:
    """Solid shapes touch the floor and nothing else; meshes become boxes of their size."""
    for body in _below(root):
        for geom in body.geoms:
            if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
                geom.type = mujoco.mjtGeom.mjGEOM_BOX
            geom.conaffinity = int(bool(geom.contype or geom.conaffinity))
            geom.contype, geom.condim = 0, 3


def _under(spec: mujoco.MjSpec) -> None:
    """Our floor and options."""
    ours = world_spec("")
    for name in ("timestep", "integrator", "iterations", "ls_iterations", "solver", "cone", "gravity"):
        setattr(spec.option, name, getattr(ours.option, name))
    spec.option.disableflags, spec.option.enableflags = 0, 0
    (floor,) = ours.worldbody.geoms
    made = spec.worldbody.add_geom(name="floor", type=floor.type, size=floor.size, contype=1, conaffinity=0, condim=3)
    made.friction, made.rgba = floor.friction, floor.rgba


def chosen(there: list[str], said: Any, file: OwnFile, what: str) -> list[str]:
    """Names that patterns choose, in their own order; all where nothing is said."""
    if said is None:
        return there
    if not isinstance(said, list):
        raise InputError(f"{file.name}: {what} must be a list of names or patterns such as '*_hip_*'")
    for pattern in said:
        if not any(fnmatchcase(name, str(pattern)) for name in there):
            raise InputError(f"{file.name}: {what}: nothing is called '{pattern}'; there are: {', '.join(there)}")
    return [name for name in there if any(fnmatchcase(name, str(pattern)) for pattern in said)]


def compiled(spec: mujoco.MjSpec, file: OwnFile) -> mujoco.MjModel:
    """The model of a scene, or why there is none."""
    try:
        return spec.compile()
    except ValueError as error:
        raise InputError(f"{file.name}: {file.model.name} cannot be built ({str(error).splitlines()[0]})") from error
