"""A body as MuJoCo's XML, with every digit: all that a host needs that has MuJoCo and nothing of ours."""

import xml.etree.ElementTree as tree
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from lactic.body.body import Body
from lactic.errors import InputError
from lactic.files import write_whole

FIELDS = {
    "body": {"pos": "body_pos", "quat": "body_quat"},
    "inertial": {"pos": "body_ipos", "quat": "body_iquat", "mass": "body_mass", "diaginertia": "body_inertia"},
    "joint": {"pos": "jnt_pos", "axis": "jnt_axis", "range": "jnt_range", "stiffness": "jnt_stiffness"},
    "dof": {"damping": "dof_damping", "armature": "dof_armature"},
    "geom": {"pos": "geom_pos", "quat": "geom_quat", "size": "geom_size", "friction": "geom_friction"},
    "general": {"gainprm": "actuator_gainprm", "biasprm": "actuator_biasprm", "forcerange": "actuator_forcerange"},
}
"""Where the compiled model holds the numbers of an element's attributes."""
PRINTED = 1e-5
"""MuJoCo prints six digits: numbers of the model that differ by less than this share are the ones meant."""


def to_xml(body: Body) -> str:
    """The body on its floor as MJCF that compiles to the same model, where MuJoCo's own writer keeps six digits."""
    spec = body.spec()
    model = spec.compile()
    root = tree.fromstring(spec.to_xml())
    _exact(root.find("option"), {"timestep": np.array([model.opt.timestep])})
    seen: Counter[str] = Counter(body=1)  # the world is body 0
    # defaults are no elements of the model, and would be counted as such
    for element in (each for part in root if part.tag != "default" for each in part.iter()):
        tag = {"freejoint": "joint"}.get(element.tag, element.tag)
        if tag not in FIELDS:
            continue
        at = seen["body"] - 1 if tag == "inertial" else seen[tag]  # it stands first in its body
        seen[tag] += 1
        rows = {name: getattr(model, field)[at] for name, field in FIELDS[tag].items()}
        if tag == "joint":
            rows |= {name: getattr(model, field)[model.jnt_dofadr[at]] for name, field in FIELDS["dof"].items()}
        _exact(element, rows)
    tree.indent(root)
    return tree.tostring(root, encoding="unicode") + "\n"


def _exact(element: Any, rows: dict[str, Any]) -> None:
    """Put the model's numbers in place of those printed."""
    for name, row in rows.items():
        if name in element.attrib:
            printed = np.array(element.get(name).split(), float)
            meant = np.ravel(row)[: len(printed)]
            if np.allclose(printed, meant, rtol=PRINTED, atol=1e-12):
                element.set(name, " ".join(repr(float(x)).removesuffix(".0") for x in meant))


def write_xml(body: Body, path: str | Path) -> None:
    """Write the body's XML, whole or not at all."""
    try:
        write_whole(path, to_xml(body))
    except OSError as error:
        raise InputError(f"{path}: cannot write it ({error.strerror or error})") from error
