"""Reading DeepMimic's motion files (JSON text, 44 numbers a frame, the humanoid3d skeleton; y up, looks along +x)."""

import json
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.motion import sampling
from lactic.motion.clip import Clip
from lactic.motion.reading import check_clip, check_fps, check_option_fps, complain, read_text, round_fps

# joint, parent, offset in DeepMimic's axes, and how many numbers of a frame it takes (characters/humanoid3d.txt)
SKELETON: tuple[tuple[str, int, tuple[float, float, float], int], ...] = (
    ("root", -1, (0, 0, 0), 4),
    ("chest", 0, (0, 0.236151, 0), 4),
    ("neck", 1, (0, 0.223894, 0), 4),
    ("right_hip", 0, (0, 0, 0.084887), 4),
    ("right_knee", 3, (0, -0.421546, 0), 1),
    ("right_ankle", 4, (0, -0.409870, 0), 4),
    ("right_shoulder", 1, (-0.02405, 0.24350, 0.18311), 4),
    ("right_elbow", 6, (0, -0.274788, 0), 1),
    ("right_wrist", 7, (0, -0.258947, 0), 0),
    ("left_hip", 0, (0, 0, -0.084887), 4),
    ("left_knee", 9, (0, -0.421546, 0), 1),
    ("left_ankle", 10, (0, -0.409870, 0), 4),
    ("left_shoulder", 1, (-0.02405, 0.24350, -0.18311), 4),
    ("left_elbow", 12, (0, -0.274788, 0), 1),
    ("left_wrist", 13, (0, -0.258947, 0), 0),
)
WIDTH = 44
LONGEST = 10.0  # seconds of a frame; beyond it a file is damaged
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # (x, y up, z right) to (x, y left, z up)
TIPS = {"neck": (0, 0, 0.22), "right_ankle": (0.134, 0, -0.05), "left_ankle": (0.134, 0, -0.05)}


def read_deepmimic(path: str | Path, *, fps: float | None = None) -> Clip:
    """Read a DeepMimic motion file; frames of unequal duration are resampled to the usual one."""
    path = Path(path)
    check_option_fps(fps)
    text = read_text(path)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        complain(path, f"not a DeepMimic motion: {error.msg}", error.lineno)
    except RecursionError:
        complain(path, "not a DeepMimic motion: brackets nested too deeply")
    frames = data.get("Frames") if isinstance(data, dict) else None
    if not isinstance(frames, list) or not frames:
        complain(path, 'not a DeepMimic motion: it has no "Frames"')
    for i, frame in enumerate(frames):
        if not isinstance(frame, list) or len(frame) != WIDTH or not all(_is_number(v) for v in frame):
            complain(path, f"frame {i} is not a list of {WIDTH} numbers", _line_of_frame(text, i))
    values = np.array(frames, dtype=float)
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        complain(path, "a NaN or infinite number", _line_of_frame(text, int(np.argmax(bad))))

    root_pos = values[:, 1:4] @ AXES.T
    rotations = np.zeros((len(values), len(SKELETON), 4))
    at = 4
    for j, (_, _, _, width) in enumerate(SKELETON):
        if width == 4:
            rotations[:, j, 0] = values[:, at]
            rotations[:, j, 1:] = values[:, at + 1 : at + 4] @ AXES.T
        elif width == 1:
            rotations[:, j] = rotation.about("y", -values[:, at])  # a hinge about their z, which is our -y
        else:
            rotations[:, j, 0] = 1.0
        at += width
    steps = values[:-1, 0] if len(values) > 1 else values[:, 0]
    step = float(np.median(steps))
    if fps is None:
        fps = check_fps(path, round_fps(1 / step) if step > 0 and (steps > 0).all() else float("nan"))
        if steps.max() > LONGEST:
            complain(path, f"a frame of {steps.max():g} s", _line_of_frame(text, int(np.argmax(steps))))
        if np.ptp(steps) > 0.01 * step and len(values) > 2:
            check_clip(path, _clip(path, fps, root_pos, rotations, data))
            times = np.concatenate([[0], np.cumsum(steps)])
            count = int(min(times[-1] / step + 1e-6, 1e6)) + 1
            where = np.interp(np.arange(count) * step, times, np.arange(len(times)))
            root_pos, rotations = sampling.sample(root_pos, where), sampling.sample_rotations(rotations, where)
    return check_clip(path, _clip(path, fps, root_pos, rotations, data))


def _clip(path: Path, fps: float, root_pos: np.ndarray, rotations: np.ndarray, data: dict) -> Clip:
    names, parents = tuple(s[0] for s in SKELETON), tuple(s[1] for s in SKELETON)
    offsets = np.array([s[2] for s in SKELETON]) @ AXES.T
    tips = np.array([TIPS.get(name, (0.0, 0.0, 0.0)) for name in names])
    cyclic = data.get("Loop") == "wrap"
    return Clip(path.stem, fps, names, parents, offsets, root_pos, rotations, tips=tips, cyclic=cyclic)


def _is_number(value: object) -> bool:
    # integers of hundreds of digits do not fit a float
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e18)


def _line_of_frame(text: str, frame: int) -> int:
    """The line of the frame's opening bracket: the one after that of the list."""
    at = text.find("[", text.find('"Frames"')) + 1
    for _ in range(frame + 1):
        at = text.find("[", at) + 1
        if at == 0:
            return text.count("\n") + 1
    return text.count("\n", 0, at) + 1
