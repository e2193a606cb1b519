"""Make `lactic/body/muscle_man.json` of MASS's `human.xml` and `muscle284.xml` (Lee et al. 2019, Apache-2.0).

python bench/mass_numbers.py FOLDER OUT.json

Kept are the midline and the right side. Axes become x forward, y left, z up. Names become anatomical ones.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

SOURCE = (
    "MASS, S. Lee, M. Park, K. Lee, J. Lee: Scalable Muscle-Actuated Human Simulation and Control (2019), "
    "github.com/lsw9021/MASS, human.xml and muscle284.xml, Apache-2.0. Changed: axes, names, right side only."
)
BODIES = {
    "Pelvis": ("pelvis", "root"),
    "Spine": ("spine", "lumbar"),
    "Torso": ("torso", "thorax"),
    "Neck": ("neck", "neck"),
    "Head": ("head", "head"),
    "FemurR": ("right_thigh", "right_hip"),
    "TibiaR": ("right_shin", "right_knee"),
    "TalusR": ("right_foot", "right_ankle"),
    "FootThumbR": ("right_big_toe", "right_big_toe"),
    "FootPinkyR": ("right_small_toes", "right_small_toes"),
    "ShoulderR": ("right_scapula", "right_clavicle"),
    "ArmR": ("right_upper_arm", "right_shoulder"),
    "ForeArmR": ("right_forearm", "right_elbow"),
    "HandR": ("right_hand", "right_wrist"),
}
"""MASS's nodes: names of the body and of the joint above it."""
SPELLING = {
    "anconeous": "anconeus",
    "bicep_brachii": "biceps_brachii",
    "bicep_femoris_longus": "biceps_femoris_long_head",
    "bicep_femoris_short": "biceps_femoris_short_head",
    "subclavian": "subclavius",
    "tensor_fascia_lata": "tensor_fasciae_latae",
    "scalene": "scalenus",
    "middle": "medius",
    "rhomboid_": "rhomboideus_",
    "superior_gemellus": "gemellus_superior",
    "inferior_gemellus": "gemellus_inferior",
}
TYPO = {"-0.21": "-0.0021"}
"""In the right femur's rotation, where the other rows leave no doubt."""
LIMB = {"arm": ("upper_arm", "forearm", "hand"), "leg": ("thigh", "shin", "foot", "toe")}
ARM = ("infraspinatus",)
"""Muscles of the arm that MASS fixes to the scapula alone."""


def vector(text: str) -> np.ndarray:
    """Three numbers of MASS (x left, y up, z forward) as ours."""
    return np.roll(np.array(text.split(), float), 1)


def rounded(values: np.ndarray, digits: int = 4) -> list[float]:
    """Numbers for the file."""
    return [float(x) + 0.0 for x in np.round(values, digits)]


def bodies(root: ElementTree.Element) -> list[dict]:
    """Rows of the bodies on the midline and on the right."""
    rows = []
    for node in root:
        if node.get("name") not in BODIES:
            continue
        body, joint = node.find("Body"), node.find("Joint")
        turn = [TYPO.get(x, x) for x in body.find("Transformation").get("linear").split()]
        left, _, right = np.linalg.svd(np.roll(np.array(turn, float).reshape(3, 3), 1, (0, 1)))  # the nearest rotation
        row = {
            "name": BODIES[node.get("name")][0],
            "parent": BODIES[node.get("parent")][0] if node.get("parent") in BODIES else None,
            "joint": BODIES[node.get("name")][1],
            "at": rounded(vector(joint.find("Transformation").get("translation"))),
            "mass": float(body.get("mass")),
            "centre": rounded(vector(body.find("Transformation").get("translation"))),
            "size": rounded(vector(body.get("size"))),
            "turn": rounded(Rotation.from_matrix(left @ right).as_quat(scalar_first=True), 5),
        }
        if joint.get("type") == "Revolute":
            row |= {
                "axis": rounded(vector(joint.get("axis"))),
                "range": [float(joint.get(k)) for k in ("lower", "upper")],
            }
        elif joint.get("type") == "Ball":
            row |= {"range": [[float(x) for x in np.roll(joint.get(k).split(), 1)] for k in ("lower", "upper")]}
        rows.append(row)
    return rows


def muscles(root: ElementTree.Element) -> list[dict]:
    """Rows of the muscles on the right; strands of one muscle are numbered."""
    units = [unit for unit in root if unit.get("name").startswith("R_")]
    names = [re.sub(r"\d+$", "", unit.get("name")[2:]).lower() for unit in units]
    for wrong, right in SPELLING.items():
        names = [name.replace(wrong, right) for name in names]
    strands, seen, rows = Counter(names), Counter(), []
    for unit, name in zip(units, names, strict=True):
        seen[name] += 1
        anchors = [[BODIES[point.get("body")][0], *rounded(vector(point.get("p")))] for point in unit]
        on = " ".join(anchor[0] for anchor in anchors)
        limbs = [limb for limb, parts in LIMB.items() if any(part in on for part in parts)]
        limbs += ["arm"] if name in ARM else []
        rows.append(
            {
                "name": f"{name}_{seen[name]}" if strands[name] > 1 else name,
                "group": limbs[0] if limbs else "trunk",
                "force": float(unit.get("f0")),
                "fibre": float(unit.get("lm")),
                "tendon": float(unit.get("lt")),
                "anchors": anchors,
            }
        )
    return rows


def main() -> None:
    """Write the file, a row a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    read = {name: ElementTree.parse(given.folder / f"{name}.xml").getroot() for name in ("human", "muscle284")}
    parts = {"bodies": bodies(read["human"]), "muscles": muscles(read["muscle284"])}
    lists = (f'"{key}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for key, rows in parts.items())
    given.out.write_text(f'{{"source": {json.dumps(SOURCE)},\n' + ",\n".join(lists) + "}\n")


if __name__ == "__main__":
    main()
