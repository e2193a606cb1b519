"""Legs and arms of a skeleton whose names say nothing: its two longest pairs of like branches."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from lactic import rotation
from lactic.motion.clip import Clip, forward
from lactic.motion.names import split

BENT, CROOKED = 0.02, 0.25  # sines: where a bend changes so much, or is so large, a limb has a joint
ALIKE = 0.15  # most that the lengths of left and right differ
LITTLE = 0.2  # of the longest bone: the length to whose share of `ALIKE` short ones may differ
SECOND = 0.65  # of an upper arm's or a thigh's length: forearms and shins are longer
NEAR = 0.3  # of an arm's length: shoulders are further apart
MOST = 20  # branches of one joint that are looked at
SAMPLES = 100  # frames that tell left from right


def places(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rotations of all joints in some frames."""
    step = max(clip.frames // SAMPLES, 1)
    return forward(clip.parents, clip.offsets, clip.root_pos[::step], clip.rotations[::step])


def legs_and_arms(clip: Clip) -> list[list[list[int]]]:
    """The joints of the left and the right leg, and of the arms: of all pairs of like branches the two with the longest
    bones, legs first; nothing if there are none."""
    pairs: list[tuple[float, list[list[int]]]] = []
    taken: set[int] = set()
    follow = longest_ways(clip)
    children: list[list[int]] = [[] for _ in clip.joints]
    for j, parent in enumerate(clip.parents[1:], 1):
        children[parent].append(j)
    at, turned = places(clip)
    for j, below in enumerate(children):
        if taken.intersection(path_up(clip.parents, j)):
            continue
        chains = [chain_below(follow, k) for k in below]
        chains = sorted(chains, key=lambda chain: _two_bones(clip, at, [chain])[0], reverse=True)[:MOST]
        for one, other in combinations(chains, 2):
            pair = _alike(clip, one, other)
            if pair and not taken.intersection((one[0], other[0])):
                pairs.append((_two_bones(clip, at, pair)[0], pair))
                taken.update((one[0], other[0]))
    if len(pairs) < 2:
        return []
    (_, legs), (length, arms) = sorted(pairs, reverse=True)[:2]
    while min(map(len, arms)) > 2:  # collars may be as long as forearms, but begin in the middle
        if np.linalg.norm(at[:, arms[0][0]] - at[:, arms[1][0]], axis=-1).max() > NEAR * length:
            break
        arms = [chain[1:] for chain in arms]
    legs, arms = (_two_bones(clip, at, limb)[1] for limb in (legs, arms))
    if min(map(len, legs)) < 3:
        return []
    left = _left(clip, at, turned, legs, arms)
    return [_left_first(clip, at, limb, left) for limb in (legs, arms)]


def _left_first(clip: Clip, at: np.ndarray, limb: list[list[int]], left: np.ndarray) -> list[list[int]]:
    """The pair, the left one first."""
    called = [{split(clip.joints[j])[0] for j in chain[:2]} for chain in limb]
    mirrored = np.sum((at[:, limb[0][0]] - at[:, limb[1][0]]) * left) < 0
    if sorted(map(sorted, called)) == [["left"], ["right"]]:  # names know better
        mirrored = called[0] == {"right"}
    return limb[::-1] if mirrored else limb


def _alike(clip: Clip, one: list[int], other: list[int]) -> list[list[int]]:
    """Two branches of a joint as far as their bones are alike, which a sword is not; nothing if they are no pair."""
    bones = [_bones(clip, chain) for chain in (one, other)]
    count = min(map(len, bones))
    least, most = (choose(*(own[:count] for own in bones)) for choose in (np.minimum, np.maximum))
    unlike = np.flatnonzero(most - least > ALIKE * (most + LITTLE * least.max()))
    count = int(unlike[0]) if len(unlike) else count
    return [chain[: count + 1] for chain in (one, other)] if count > 1 else []


def _two_bones(clip: Clip, at: np.ndarray, limbs: list[list[int]]) -> tuple[float, list[list[int]]]:
    """Length of the longest two bones in a row of limbs that are alike, and these from where they begin; a hand may be
    a bone's end, and a bone may be in parts that twist."""
    count = min(map(len, limbs))
    bones = np.min([_bones(clip, chain)[:count] for chain in limbs], axis=0)
    if count < 2:
        return 0.0, limbs
    start = int(np.argmax(bones[:-1] + bones[1:]))
    found = float(bones[start] + bones[start + 1]), [chain[start:] for chain in limbs]
    bends = np.any([_bends(at, chain[:count]) for chain in limbs], axis=0)
    if bends[start + 1] or not bends[1:-1].any():
        return found
    kept = np.flatnonzero(bends)
    lengths = np.add.reduceat(bones, kept)
    start = int(np.argmax(lengths[:-1] + lengths[1:]))
    one, two, *end = kept[start : start + 3]
    reach = np.cumsum(bones[two : end[0] if end else count])
    if reach[-1] < SECOND * lengths[start]:  # a knee that never bends, before a foot that does
        return found
    last = two + 1 + int(np.argmax(reach >= SECOND * lengths[start]))  # hands may not turn against forearms either
    return float(lengths[start] + lengths[start + 1]), [[chain[one], chain[two], *chain[last:]] for chain in limbs]


def _bones(clip: Clip, chain: list[int]) -> np.ndarray:
    """Lengths of the bones from each joint of a chain to the next, and of the last one's."""
    return np.linalg.norm([*clip.offsets[chain[1:]], clip.tips[chain[-1]]], axis=1)


def _bends(at: np.ndarray, chain: list[int]) -> np.ndarray:
    """Which joints of a chain ever bend it, both ends as if they did: those in the middle of a bone do not."""
    bones = rotation.normalize(np.diff(at[:, chain], axis=1))
    bent = np.linalg.norm(rotation.cross(bones[:, :-1], bones[:, 1:]), axis=-1)
    return np.array([True, *((bent.max(axis=0) > CROOKED) | (np.ptp(bent, axis=0) > BENT)), True][: len(chain)])


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


def longest_ways(clip: Clip, without: Iterable[int] = ()) -> list[int]:
    """For each joint the child below which the skeleton reaches furthest, or -1."""
    reach, bones = np.linalg.norm(clip.tips, axis=1), np.linalg.norm(clip.offsets, axis=1)
    follow = [-1] * len(clip.joints)
    for j in range(len(clip.joints) - 1, 0, -1):
        parent, length = clip.parents[j], bones[j] + reach[j]
        if j not in without and (follow[parent] < 0 or length > reach[parent]):
            reach[parent], follow[parent] = length, j
    return follow


def middle_below(clip: Clip, top: int, without: Iterable[int]) -> list[int]:
    """The joint and the longest branch of it that is not one of a pair, as wings are."""
    without = set(without)
    follow = longest_ways(clip, without)
    below = [chain_below(follow, j) for j, parent in enumerate(clip.parents) if parent == top and j not in without]
    single = [one for one in below if not any(_alike(clip, one, other) for other in below if other is not one)]
    reach = [np.linalg.norm(clip.offsets[chain[0]]) + _bones(clip, chain).sum() for chain in single or below]
    return [top, *(single or below)[int(np.argmax(reach))]] if below else [top]


def chain_below(follow: list[int], j: int) -> list[int]:
    """The joint and those below it on the longest way down."""
    chain = [j]
    while follow[chain[-1]] >= 0:
        chain.append(follow[chain[-1]])
    return chain


def path_up(parents: tuple[int, ...], j: int) -> list[int]:
    """The joint, its parent and so on up to the root."""
    path = [j]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    return path
