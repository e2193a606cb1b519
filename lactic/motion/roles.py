"""Which joint of a skeleton plays which part: pelvis, torso, head, and the segments of arms and legs.

Names tell, whatever their family. Where they do not, the tree does: the two longest pairs of like limbs are legs and
arms. A map, which a person edits, has the last word.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import yaml

from lactic import rotation
from lactic.errors import InputError
from lactic.files import read_yaml
from lactic.motion.branches import legs_and_arms, middle_below, path_up, places
from lactic.motion.clip import Clip
from lactic.motion.names import WORDS, split, word

SIDES = ("left", "right")
LIMBS = (("thigh", "shin", "foot", "toe"), ("upper_arm", "forearm", "hand"))
NEEDED = tuple(f"{side}_{part}" for side in SIDES for part in ("thigh", "shin", "foot", "upper_arm", "forearm"))
ROLES = ("pelvis", "torso", "head", *(f"{side}_{part}" for side in SIDES for limb in LIMBS for part in limb))
MOST = 20  # joints of one name that are looked at
SWING = 0.15  # of a bone's length: where its end moves more, there is a joint in it


def find_roles(clip: Clip) -> dict[str, int]:
    """Joint index of every role the skeleton has; says what is missing."""
    roles = known_roles(clip)
    missing = [role for role in NEEDED if role not in roles]
    if missing:
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        raise InputError(
            f"clip '{clip.name}': no joint found for {', '.join(missing[:4])}{more}; "
            "write a map with `lactic clips map CLIP`, put the names of its joints in, and give that map too"
        )
    return roles


def known_roles(clip: Clip, tree: bool = True) -> dict[str, int]:
    """The roles that map, names and, with `tree`, the tree tell, complete or not."""
    given = {role: _index(clip, role, name) for role, name in clip.roles.items() if name}
    limbs = _by_names(clip)
    if tree and any(role not in limbs | given for role in NEEDED):
        for limb, pair in zip(LIMBS, legs_and_arms(clip), strict=False):  # each whole, from names or from the tree
            mine = {f"{side}_{part}" for side in SIDES for part in limb}
            if not (mine & set(NEEDED)).issubset(limbs):
                limbs = {role: j for role, j in limbs.items() if role not in mine}
                for side, chain in zip(SIDES, pair, strict=True):
                    limbs |= {f"{side}_{part}": j for part, j in zip(limb, chain, strict=False)}
    roles = _trunk(clip, limbs | given) | limbs | given
    return {role: j for role, j in roles.items() if clip.roles.get(role, "") is not None}


def leg_length(clip: Clip, roles: dict[str, int]) -> float:
    """Thigh and shin of the skeleton, mean of both sides."""
    at, _ = clip.rest_globals()
    bones = [(f"{side}_{a}", f"{side}_{b}") for side in SIDES for a, b in (("thigh", "shin"), ("shin", "foot"))]
    return float(sum(np.linalg.norm(at[roles[end]] - at[roles[start]]) for start, end in bones)) / 2


def read_map(path: str | Path | None) -> dict[str, str | None]:
    """The joints of roles out of a YAML file, as `lactic clips map` writes it; null where there is none."""
    if path is None:
        return {}
    held = read_yaml(path)
    if not isinstance(held, dict) or not held:
        raise InputError(f"{path}: a map holds lines such as 'left_thigh: LeftUpLeg'")
    for role, name in held.items():
        if role not in ROLES:
            raise InputError(f"{path}: no role '{role}' (there are: {', '.join(ROLES)})")
        if name is not None and not isinstance(name, str):
            raise InputError(f"{path}: {role}: must be the name of a joint, in quotes if it is a number, or null")
    return held


def write_map(clip: Clip) -> str:
    """The proposal of a map, for a person to edit: a line for each role, then the tree of joints as a comment."""
    roles, depth = known_roles(clip), [0] * len(clip.joints)
    lines = [f"# The joints of '{clip.name}' by role. Edit the names; null: there is none."]
    for role in ROLES:
        found = yaml.safe_dump(clip.joints[roles[role]] if role in roles else None).splitlines()[0]
        lines.append(f"{role}: {found}" + ("  # needed" if role in NEEDED and role not in roles else ""))
    lines.append("# All joints:")
    for j, (name, parent) in enumerate(zip(clip.joints, clip.parents, strict=True)):
        depth[j] = depth[parent] + 1 if parent >= 0 else 0
        lines.append(f"#   {'  ' * depth[j]}{name}")
    return "\n".join(lines) + "\n"


def _index(clip: Clip, role: str, name: str) -> int:
    plain = [joint.replace(" ", "_") for joint in clip.joints]
    if name.replace(" ", "_") not in plain:
        raise InputError(f"clip '{clip.name}': the map says {role}: {name}, but there is no such joint")
    return plain.index(name.replace(" ", "_"))


def _by_names(clip: Clip) -> dict[str, int]:
    heard: dict[tuple[str, str], list[int]] = {}
    said = [(side, word(rest)) for side, rest in map(split, clip.joints)]
    for j, known in enumerate(said):
        heard.setdefault(known, []).append(j)
    roles: dict[str, int] = {}
    for side in SIDES:
        for limb in LIMBS:
            called = [[j for known in WORDS[part] for j in heard.get((side, known), ())][:MOST] for part in limb]
            for count in range(len(limb), 0, -1):
                chains = _descending(clip.parents, called[:count])
                # a word for two parts (leg_0, leg_1, leg_end) tells neither
                chain = next((one for one in chains if len({said[j] for j in one}) == count), None)
                if chain is not None:
                    roles |= {f"{side}_{part}": j for part, j in zip(limb, chain, strict=False)}
                    break
        for upper, lower in (limb[:2] for limb in LIMBS):
            if {f"{side}_{upper}", f"{side}_{lower}"} <= roles.keys():
                roles[f"{side}_{upper}"] = _ball(clip, roles[f"{side}_{upper}"], roles[f"{side}_{lower}"])
    return roles


def _ball(clip: Clip, upper: int, lower: int) -> int:
    """The joint from `upper` down whose bone ends at `lower`: what is called shoulder may be the collar above it."""
    between = path_up(clip.parents, lower)[1:]
    between = between[: between.index(upper)]
    if not between:
        return upper
    at, turned = places(clip)
    for j in (upper, *between[::-1]):
        bone = rotation.rotate_back(turned[:, j], at[:, lower] - at[:, j])
        if np.ptp(bone, axis=0).max() < SWING * np.linalg.norm(bone, axis=-1).max():
            return j
    return upper


def _descending(parents: tuple[int, ...], choices: list[list[int]], top: int = -1) -> Iterator[tuple[int, ...]]:
    """One joint out of each list, each below the one before."""
    if not choices:
        yield ()
        return
    for j in choices[0]:
        if top < 0 or top in path_up(parents, j)[1:]:
            for rest in _descending(parents, choices[1:], j):
                yield (j, *rest)


def _trunk(clip: Clip, limbs: dict[str, int]) -> dict[str, int]:
    """Pelvis, torso and head, seen from the limbs."""
    heard = [word(rest) if not side else "" for side, rest in map(split, clip.joints)]
    roles = {}
    if {"left_thigh", "right_thigh"} <= limbs.keys():
        hips = _common_path(clip.parents, limbs["left_thigh"], limbs["right_thigh"])
        # the Biped of old hangs its legs on the spine above the pelvis
        roles["pelvis"] = next((j for j in hips if heard[j] in WORDS["pelvis"]), hips[0])
    if {"left_upper_arm", "right_upper_arm"} <= limbs.keys():
        above = _common_path(clip.parents, limbs["left_upper_arm"], limbs["right_upper_arm"])
        # the Biped hangs its arms on the neck
        roles["torso"] = torso = next((j for j in above if heard[j] not in WORDS["head"]), above[0])
        named = (j for known in WORDS["head"] for j, said in enumerate(heard) if said == known)
        on_limbs = {k for j in limbs.values() for k in path_up(clip.parents, j)}
        head = next(named, _last_vertebra(clip, middle_below(clip, torso, on_limbs)))
        if head != torso:
            roles["head"] = head
    return roles


def _last_vertebra(clip: Clip, chain: list[int]) -> int:
    """The end of a chain, or of the joints in it that are numbered like its first: below spine.006 may be a jaw."""
    alike = [j for j in chain if re.sub(r"\d", "", clip.joints[j]) == re.sub(r"\d", "", clip.joints[chain[0]])]
    return alike[-1] if len(alike) > 1 else chain[-1]


def _common_path(parents: tuple[int, ...], a: int, b: int) -> list[int]:
    """From the lowest joint above both to the root."""
    above = set(path_up(parents, a))
    return [j for j in path_up(parents, b) if j in above]
