"""Which joint of a skeleton plays which part: pelvis, torso, head, and the segments of arms and legs."""

import re

from lactic.errors import InputError
from lactic.motion.clip import Clip

SIDES = ("left", "right")
# names after lower-casing and dropping everything but letters and digits; {s} is left/right or l/r, first match wins
_PATTERNS: dict[str, tuple[str, ...]] = {
    "thigh": ("{s}upleg", "{s}upperleg", "{s}thigh", "thigh{s}", "{s}hip"),
    "shin": ("{s}shin", "shin{s}", "{s}knee", "{s}lowerleg", "{s}calf", "calf{s}", "{s}leg"),
    "foot": ("{s}ankle", "{s}foot", "foot{s}"),
    "toe": ("{s}toebase", "{s}toe", "{s}toes", "toe{s}", "{s}ball", "{s}foot"),
    "upper_arm": ("{s}upperarm", "upperarm{s}", "{s}uparm", "{s}arm", "{s}shoulder"),
    "forearm": ("{s}forearm", "forearm{s}", "{s}lowerarm", "lowerarm{s}", "{s}elbow"),
    "hand": ("{s}hand", "hand{s}", "{s}wrist"),
}
_HEAD = ("head", "neck", "face")
NEEDED = tuple(f"{side}_{part}" for side in SIDES for part in ("thigh", "shin", "foot", "upper_arm", "forearm"))


def find_roles(clip: Clip) -> dict[str, int]:
    """Joint index of every role the skeleton has, by the names of its joints."""
    plain: dict[str, int] = {}
    for i, name in enumerate(clip.joints):
        letters = re.sub(r"[^a-z0-9]", "", name.rsplit(":", 1)[-1].lower())
        plain.setdefault(re.sub(r"^(mixamorig|bip)\d*", "", letters), i)
    roles: dict[str, int] = {"pelvis": 0}
    for side in SIDES:
        for part, patterns in _PATTERNS.items():
            for pattern in patterns:
                names = (pattern.format(s=side), pattern.format(s=side[0]))
                found = next((plain[name] for name in names if name in plain), None)
                if found is not None and found not in roles.values():
                    roles[f"{side}_{part}"] = found
                    break
    if "left_upper_arm" in roles and "right_upper_arm" in roles:
        roles["torso"] = _common_ancestor(clip.parents, roles["left_upper_arm"], roles["right_upper_arm"])
    head = next((plain[n] for n in _HEAD if n in plain), None)
    if head is not None:
        roles["head"] = head
    missing = [role for role in NEEDED if role not in roles]
    if missing:
        raise InputError(
            f"clip '{clip.name}': no joint found for {', '.join(missing[:4])} (its joints: "
            f"{', '.join(clip.joints[:12])}…); rename them, such as LeftUpLeg, LeftLeg, LeftFoot, LeftArm, LeftForeArm"
        )
    return roles


def _common_ancestor(parents: tuple[int, ...], a: int, b: int) -> int:
    above = set()
    while a >= 0:
        above.add(a)
        a = parents[a]
    while b not in above:
        b = parents[b]
    return b
