"""Which joint of a skeleton plays which part: pelvis, torso, head, and the segments of arms and legs.

Names tell, whatever their family. Where they do not, the tree does: the two longest pairs of like limbs are legs and
arms. A map, which a person edits, has the last word.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import yaml

from lactic import rotation
from lactic.errors import InputError
from lactic.files import read_yaml
from lactic.motion.clip import Clip, forward
from lactic.motion.names import WORDS, split, word

SIDES = ("left", "right")
LIMBS = (("thigh", "shin", "foot", "toe"), ("upper_arm", "forearm", "hand"))
NEEDED = tuple(f"{side}_{part}" for side in SIDES for part in ("thigh", "shin", "foot", "upper_arm", "forearm"))
ROLES = ("pelvis", "torso", "head", *(f"{side}_{part}" for side in SIDES for limb in LIMBS for part in limb))
ALIKE = 0.1  # most that the lengths of left and right differ
NEAR = 0.3  # of an arm's length: shoulders are further apart
MOST = 20  # joints of one name that are looked at
SAMPLES = 100  # frames that tell left from right


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
        found = _by_tree(clip)
        for limb in LIMBS:  # a limb is taken whole, from names or from the tree
            mine = {f"{side}_{part}" for side in SIDES for part in limb}
            if found and not (mine & set(NEEDED)).issubset(limbs):
                limbs = {role: j for role, j in limbs.items() if role not in mine}
                limbs |= {role: j for role, j in found.items() if role in mine}
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
    return roles


def _descending(parents: tuple[int, ...], choices: list[list[int]], top: int = -1) -> Iterator[tuple[int, ...]]:
    """One joint out of each list, each below the one before."""
    if not choices:
        yield ()
        return
    for j in choices[0]:
        if top < 0 or top in _path(parents, j)[1:]:
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
        on_limbs = {k for j in limbs.values() for k in _path(clip.parents, j)}
        head = next(named, _last_vertebra(clip, _chain(_longest_ways(clip, on_limbs), torso)))
        if head != torso:
            roles["head"] = head
    return roles


def _last_vertebra(clip: Clip, chain: list[int]) -> int:
    """The end of a chain, or of the joints in it that are numbered like its first: below spine.006 may be a jaw."""
    alike = [j for j in chain if re.sub(r"\d", "", clip.joints[j]) == re.sub(r"\d", "", clip.joints[chain[0]])]
    return alike[-1] if len(alike) > 1 else chain[-1]


def _by_tree(clip: Clip) -> dict[str, int]:
    """Legs and arms: of all pairs of like branches the two with the longest bones, legs first."""
    pairs: list[tuple[float, list[list[int]]]] = []
    taken: set[int] = set()
    follow = _longest_ways(clip)
    children: list[list[int]] = [[] for _ in clip.joints]
    for j, parent in enumerate(clip.parents[1:], 1):
        children[parent].append(j)
    for j, below in enumerate(children):
        if taken.intersection(_path(clip.parents, j)):
            continue
        limbs = sorted(((_two_bones(clip, _chain(follow, k))[0], k) for k in below), reverse=True)[:MOST]
        for (length, one), (shorter, other) in combinations(limbs, 2):
            if shorter > (1 - ALIKE) * length > 0 and not taken.intersection((one, other)):
                pairs.append((length, [_chain(follow, one), _chain(follow, other)]))
                taken.update((one, other))
    if len(pairs) < 2:
        return {}
    step = max(clip.frames // SAMPLES, 1)
    at, turned = forward(clip.parents, clip.offsets, clip.root_pos[::step], clip.rotations[::step])
    (_, legs), (length, arms) = sorted(pairs, reverse=True)[:2]
    while min(map(len, arms)) > 2:  # collars may be as long as forearms, but begin in the middle
        if np.linalg.norm(at[:, arms[0][0]] - at[:, arms[1][0]], axis=-1).max() > NEAR * length:
            break
        arms = [chain[1:] for chain in arms]
    legs, arms = ([_two_bones(clip, chain)[1] for chain in limb] for limb in (legs, arms))
    if min(map(len, legs)) < 3:
        return {}
    left = _left(clip, at, turned, legs, arms)
    roles: dict[str, int] = {}
    for parts, limb in zip(LIMBS, (legs, arms), strict=True):
        mirrored = np.sum((at[:, limb[0][0]] - at[:, limb[1][0]]) * left) < 0
        for side, chain in zip(SIDES, limb[::-1] if mirrored else limb, strict=True):
            roles |= {f"{side}_{part}": j for part, j in zip(parts, chain, strict=False)}
    return roles


def _left(clip: Clip, at: np.ndarray, turned: np.ndarray, legs: list[list[int]], arms: list[list[int]]) -> np.ndarray:
    """Where left is in each frame (frame, 3): knees bend to the back, and toes point to the front."""
    across = at[:, legs[0][0]] - at[:, legs[1][0]]
    middle = [(at[:, one[0]] + at[:, other[0]]) / 2 for one, other in (legs, arms)]
    spine = rotation.normalize(middle[1] - middle[0])
    left = np.zeros_like(across)
    for thigh, shin, foot, *toe in legs:
        ahead = at[:, toe[0]] - at[:, foot] if toe else rotation.rotate(turned[:, foot], clip.tips[foot])
        upper, lower = (rotation.normalize(at[:, b] - at[:, a]) for a, b in ((thigh, shin), (shin, foot)))
        left += rotation.cross(upper, lower) + rotation.cross(spine, rotation.normalize(ahead))
    return across * np.sign(np.sum(across * left))


def _two_bones(clip: Clip, chain: list[int]) -> tuple[float, list[int]]:
    """Length of the longest two bones in a row, and the chain from where they begin; a hand may be a bone's end."""
    bones = np.linalg.norm([*clip.offsets[chain[1:]], clip.tips[chain[-1]]], axis=1)
    if len(bones) < 2:
        return 0.0, chain
    lengths = bones[:-1] + bones[1:]
    start = int(np.argmax(lengths))
    return float(lengths[start]), chain[start:]


def _longest_ways(clip: Clip, without: Iterable[int] = ()) -> list[int]:
    """For each joint the child below which the skeleton reaches furthest, or -1."""
    reach, bones = np.linalg.norm(clip.tips, axis=1), np.linalg.norm(clip.offsets, axis=1)
    follow = [-1] * len(clip.joints)
    for j in range(len(clip.joints) - 1, 0, -1):
        parent, length = clip.parents[j], bones[j] + reach[j]
        if j not in without and (follow[parent] < 0 or length > reach[parent]):
            reach[parent], follow[parent] = length, j
    return follow


def _chain(follow: list[int], j: int) -> list[int]:
    """The joint and those below it on the longest way down."""
    chain = [j]
    while follow[chain[-1]] >= 0:
        chain.append(follow[chain[-1]])
    return chain


def _path(parents: tuple[int, ...], j: int) -> list[int]:
    """The joint, its parent and so on up to the root."""
    path = [j]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    return path


def _common_path(parents: tuple[int, ...], a: int, b: int) -> list[int]:
    """From the lowest joint above both to the root."""
    above = set(_path(parents, a))
    return [j for j in _path(parents, b) if j in above]
