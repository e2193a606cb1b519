"""Quiet standing, made of the body alone: upright over straight legs, where no joint carries more than a few percent.

People at rest stand so; idling that was captured leans on the ankles and bends the knees, which a body that tires
cannot keep up.
"""

import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.ground import clearance

NAME = "stand"
SWAY = {"y": 0.012, "x": 0.008}
"""Largest lean of the legs about each axis in radians: about a centimetre of the centre of mass, as people sway."""
FIDGET = {"abdomen": 0.015, "neck": 0.03, "shoulder": 0.03, "elbow": 0.05}
PERIODS = (2.3, 3.7, 6.1)  # seconds; no two share a beat within a clip


def standing(body: bodies.Body, seconds: float = 30.0, fps: float = 60.0, sway: float = 1.0) -> BodyClip:
    """A clip of the body standing with a slow sway, so many times as large as people's; the feet stay flat and where
    they are."""
    legs = [joint.removesuffix("hip_y") for joint in body.joints if joint.endswith("hip_y")]
    needed = [f"{leg}{part}" for leg in legs for part in ("hip_x", "hip_y", "ankle_x", "ankle_y")]
    if not legs or set(needed) - set(body.joints):
        raise InputError(f"body '{body.name}' has no hips and ankles to stand on; leave the clip '{NAME}' out")
    frames = round(seconds * fps) + 1
    qpos = np.tile(body.rest, (frames, 1))
    draw = np.random.default_rng(0)
    places = {joint: 7 + k for k, joint in enumerate(body.joints)}

    def wander(size: float) -> np.ndarray:
        phase = draw.uniform(0, 2 * np.pi, len(PERIODS))
        time = np.arange(frames)[:, None] / fps
        return sway * size * np.sin(2 * np.pi * time / PERIODS + phase).mean(axis=1)

    for joint, place in places.items():
        size = next((size for part, size in FIDGET.items() if part in joint), 0.0)
        qpos[:, place] += wander(size) - sway * size * ("elbow" in joint)  # elbows only bend one way
    # hips undo what ankles do, on both sides alike: a parallelogram, so pelvis and soles stay level
    for axis, size in SWAY.items():
        lean = wander(size)
        for leg in legs:
            qpos[:, places[f"{leg}ankle_{axis}"]] += lean
            qpos[:, places[f"{leg}hip_{axis}"]] -= lean
    qpos[:, 7:] = np.clip(qpos[:, 7:], *body.range.T)
    clip = BodyClip(body.name, fps, qpos, NAME)
    feet = clip.positions()[0][:, [body.bodies.index(foot) for foot in body.feet]].mean(axis=1)
    qpos[:, :3] += feet[0] - feet
    qpos[:, 2] -= clearance(body, qpos[:1]).min()
    return clip
