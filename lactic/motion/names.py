"""What the name of a joint says: its side and its part, in whatever style it is written."""

import re

# how skeletons call a part, in lower case without digits; the better word first
WORDS: dict[str, tuple[str, ...]] = {
    "thigh": ("upleg", "upperleg", "thigh", "thighbend", "femur", "hip", "leg"),
    "shin": ("lowerleg", "lowleg", "shin", "calf", "knee", "tibia", "leg"),
    "foot": ("ankle", "foot"),
    "toe": ("toebase", "toes", "ball", "toe", "foot"),
    "upper_arm": ("upperarm", "uparm", "uarm", "humerus", "shldrbend", "arm", "shldr", "shoulder"),
    "forearm": ("forearm", "forearmbend", "lowerarm", "lowarm", "farm", "elbow", "radius"),
    "hand": ("wrist", "hand", "palm"),
    "pelvis": ("pelvis", "hips", "hip"),
    "head": ("head", "neck"),
}
_ALL = sorted({word for words in WORDS.values() for word in words}, key=len, reverse=True)
_SIDED = {*_ALL, "collar", "clavicle", "hipjoint", "thumb", "fingers", "buttock", "eye"}  # also seen as lthumb
_SIDES = {"left": "left", "right": "right", "l": "left", "r": "right"}
_APART = _SIDES | {"lf": "left", "lft": "left", "rt": "right", "rgt": "right"}  # only as a word of their own: rtoe
_KINDS = re.compile("(jnt|joint|jt|bone|bind|skin)+$")  # what riggers add to every name


def split(name: str) -> tuple[str, str]:
    """Side ('left', 'right' or '') of a joint and the rest of its name: ('left', 'bip01thigh') of 'Bip01 L Thigh'."""
    tokens = [t.lower() for t in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", re.split(r"[:|]", name)[-1])]
    if tokens[-1:] in (["m"], ["c"]):  # Spine1_M: in the middle
        tokens.pop()
    whole = "".join(tokens)
    for i, token in enumerate(tokens):
        rest = "".join(tokens[:i] + tokens[i + 1 :])
        if token in _APART and re.search("[a-z]", rest):  # L5 is a vertebra
            return _APART[token], rest
    for glued in (*tokens, whole):  # lfemur, LUArm, leftupleg, upperarmright
        for mark, side in _SIDES.items():
            for rest in (glued.removeprefix(mark), glued.removesuffix(mark)):
                if rest != glued and (rest in _SIDED or len(mark) > 1):
                    return side, whole.replace(glued, rest)
    return "", whole


def word(rest: str) -> str:
    """The longest known word that the rest of a name ends with, digits aside, or ''."""
    letters = _KINDS.sub("", re.sub(r"\d", "", rest))
    return next((known for known in _ALL if letters.endswith(known)), "")
