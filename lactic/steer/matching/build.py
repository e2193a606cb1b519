"""Building a database from clips of one body."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.body.body import mirrored
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.clip import Clip
from lactic.steer.matching import features as layout
from lactic.steer.matching import labels
from lactic.steer.matching.database import Database, foot_bodies, rounded

FPS = 60.0  # bergamin2020's character
SHORTEST = layout.AHEAD[-1] + 0.25  # seconds of a clip: the look ahead, and a little to play
LOOPED = 4.0  # seconds that a cyclic clip is repeated to


def build(
    clips: Sequence[BodyClip],
    *,
    fps: float = FPS,
    mirror: bool = True,
    weights: Mapping[str, float] | None = None,
) -> Database:
    """A database of clips, resampled to `fps`, each followed by its mirror image; frames are tagged automatically."""
    if not clips:
        raise InputError("no clips to build a database of")
    check_rate(fps)
    body, first = clips[0].body, clips[0]
    feet = foot_bodies(body)
    names, lengths, mirror_of, parts = [], [], [], []
    every = _every(clips, fps)
    for clip in clips:
        if clip.body_name != first.body_name or clip.qpos.shape[1:] != (body.model.nq,):
            raise InputError(
                f"clip '{clip.name}' is for the body '{clip.body_name}', '{first.name}' for '{first.body_name}': "
                "a database holds clips of one body"
            )
        ready = _ready(clip, fps, every)
        names.append(clip.name)
        lengths.append(ready.frames)
        mirror_of.append(-1)
        parts.append(_frames(ready, feet))
        if mirror:
            names.append(f"{clip.name}_mirror")
            lengths.append(ready.frames)
            mirror_of.append(len(names) - 2)
            parts.append(_reflected(parts[-1], body))
    joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    # of the features as they are kept, so that a loaded database normalises alike
    mean, scale = layout.spread(joined["features"][joined["searchable"]].astype(float))
    return Database(
        body_name=first.body_name,
        fps=float(fps),
        clip_names=tuple(names),
        clip_start=np.concatenate([[0], np.cumsum(lengths)]),
        mirror_of=np.array(mirror_of),
        mean=mean,
        scale=scale,
        weights=layout.weight_vector(dict(weights or {})),
        every=every,
        **joined,
    )


def check_rate(fps: float) -> None:
    """Refuse a rate that no database can have."""
    if not (np.isfinite(fps) and 5 <= fps <= 1000):
        raise InputError(f"fps {fps}: must be between 5 and 1000")


class TooShort(InputError):
    """A clip ends before a match could look ahead."""


def check_length(clip: Clip | BodyClip) -> None:
    """Refuse a clip that ends before a match could look ahead."""
    if clip.seconds < SHORTEST and not (clip.cyclic and clip.seconds > 0):
        raise TooShort(
            f"clip '{clip.name}': {clip.seconds:.2f} s is too short; a match looks {layout.AHEAD[-1]:g} s ahead, so a "
            f"clip needs {SHORTEST:g} s: leave it out or join it to another"
        )


def _every(clips: Sequence[BodyClip], fps: float) -> int:
    """How many frames of the database there are to one of the clips, where that is a whole number, the same for all."""
    ratios = {fps / clip.fps for clip in clips}
    ratio, whole = max(ratios), round(max(ratios))
    plain = not any(clip.cyclic for clip in clips)
    return whole if plain and whole > 1 and max(ratios) - min(ratios) < 1e-6 and abs(ratio - whole) < 1e-6 else 1


def _ready(clip: BodyClip, fps: float, every: int) -> BodyClip:
    """The clip at the database's rate, a cycle repeated, poses rounded; or a plain word why it cannot be used."""
    check_length(clip)
    if not np.isfinite(clip.qpos).all():
        raise InputError(f"clip '{clip.name}': NaN or infinite values in it")
    if clip.cyclic:
        clip = clip.loop(int(np.ceil(LOOPED / clip.seconds)))
    if every > 1:  # those between are found from what a file keeps, so that a loaded database is the same
        within = np.clip(clip.qpos[:, 7:], *clip.body.range.T)  # as those between will be
        clip = replace(clip, qpos=rounded(np.concatenate([clip.qpos[:, :7], within], axis=1)))
    moved = clip if abs(clip.fps - fps) < 1e-6 else clip.resample(fps)
    qpos = rounded(moved.qpos)
    if every > 1:
        qpos[::every] = clip.qpos
    return BodyClip(moved.body_name, float(fps), qpos, clip.name)


def _frames(clip: BodyClip, feet: tuple[int, int]) -> dict[str, np.ndarray]:
    """The arrays of one clip."""
    positions, turned = clip.positions()
    at = positions[:, list(feet)]
    balls = np.stack([labels.ball_of_foot(clip.body.model, foot) for foot in feet])
    balls = at + rotation.rotate(turned[:, list(feet)], np.broadcast_to(balls, at.shape))
    searchable = np.arange(clip.frames) < clip.frames - layout.steps_ahead(clip.fps)[-1]
    return {
        "qpos": clip.qpos,
        "qvel": clip.qvel(),
        "positions": positions.astype(np.float32),
        "contacts": labels.contacts(balls, clip.qpos[:, :3], clip.fps),
        "tags": labels.tag_frames(clip.qpos, clip.fps, float(clip.body.rest[2])),
        "searchable": searchable,
        "features": layout.of_clip(clip.qpos, at, clip.fps).astype(np.float32),
    }


def _reflected(part: dict[str, np.ndarray], body: Body) -> dict[str, np.ndarray]:
    """The arrays of the mirror image of a clip: y and turns about x and z change sign, left and right change places."""
    other = [body.bodies.index(mirrored(name)) for name in body.bodies]
    flip = np.array([1.0, -1.0, 1.0])
    qpos, qvel = part["qpos"].copy(), part["qvel"].copy()
    qpos[:, 1] *= -1
    qpos[:, [4, 6]] *= -1
    qvel[:, [1, 3, 5]] *= -1  # angular velocity is a pseudo-vector: only its y part keeps its sign
    qpos[:, 7:] = qpos[:, 7:][:, body.mirror] * body.mirror_sign
    qvel[:, 6:] = qvel[:, 6:][:, body.mirror] * body.mirror_sign
    features = part["features"].copy()
    for name in layout.GROUPS:
        group = features[:, layout.SLICES[name]].reshape(len(features), *layout.GROUPS[name])
        group[..., 1] *= -1
        if name.startswith("foot"):
            group = group[:, ::-1]
        features[:, layout.SLICES[name]] = group.reshape(len(features), -1)
    return {
        "qpos": qpos,
        "qvel": qvel,
        "positions": part["positions"][:, other] * flip.astype(np.float32),
        "contacts": part["contacts"][:, ::-1],
        "tags": part["tags"],
        "searchable": part["searchable"],
        "features": features,
    }
