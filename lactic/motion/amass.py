"""Reading AMASS npz files (SMPL, SMPL+H, SMPL-X): `poses`, `trans` and `mocap_framerate`; nothing is unpickled.

AMASS stores the body's shape as coefficients of a model under its own licence. Here the skeleton is that of an average
adult, rounded to centimetres; retargeting scales it anyway.
"""

import io
import zipfile
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.motion.bvh import Y_UP
from lactic.motion.clip import Clip
from lactic.motion.reading import LARGEST, check_clip, check_fps, check_option_fps, complain, read_bytes, round_fps

# joint, parent, offset (x left, y up, z forward); T-pose
SKELETON: tuple[tuple[str, int, tuple[float, float, float]], ...] = (
    ("pelvis", -1, (0, 0, 0)),
    ("left_hip", 0, (0.06, -0.09, 0)),
    ("right_hip", 0, (-0.06, -0.09, 0)),
    ("spine1", 0, (0, 0.12, -0.03)),
    ("left_knee", 1, (0.04, -0.38, 0)),
    ("right_knee", 2, (-0.04, -0.38, 0)),
    ("spine2", 3, (0, 0.13, 0)),
    ("left_ankle", 4, (-0.01, -0.41, -0.03)),
    ("right_ankle", 5, (0.01, -0.41, -0.03)),
    ("spine3", 6, (0, 0.05, 0.02)),
    ("left_foot", 7, (0.03, -0.06, 0.12)),
    ("right_foot", 8, (-0.03, -0.06, 0.12)),
    ("neck", 9, (0, 0.21, -0.03)),
    ("left_collar", 9, (0.08, 0.12, -0.02)),
    ("right_collar", 9, (-0.08, 0.12, -0.02)),
    ("head", 12, (0, 0.09, 0.05)),
    ("left_shoulder", 13, (0.10, 0.03, -0.01)),
    ("right_shoulder", 14, (-0.10, 0.03, -0.01)),
    ("left_elbow", 16, (0.26, -0.01, -0.03)),
    ("right_elbow", 17, (-0.26, -0.01, -0.03)),
    ("left_wrist", 18, (0.25, 0.01, 0)),
    ("right_wrist", 19, (-0.25, 0.01, 0)),
)
PELVIS_ABOVE_ORIGIN = -0.22  # SMPL's origin lies about here above its pelvis joint; the pelvis is trans plus this
LARGEST_ARRAY = 1 << 30


def read_amass(path: str | Path, *, fps: float | None = None) -> Clip:
    """Read an AMASS npz: the 22 body joints; hands, face and shape are left aside."""
    path = Path(path)
    check_option_fps(fps)
    arrays = _arrays(path)
    poses, trans = arrays.get("poses"), arrays.get("trans")
    if poses is None or trans is None:
        complain(path, "not an AMASS motion: it needs the arrays 'poses' and 'trans'")
    poses, trans = _real(path, "poses", poses), _real(path, "trans", trans)
    wide = 3 * len(SKELETON)
    if poses.ndim != 2 or poses.shape[1] < wide or trans.shape != (len(poses), 3):
        complain(path, f"'poses' {poses.shape}, 'trans' {trans.shape}: not (frames, {wide} or more) and (frames, 3)")
    if not (np.abs(poses[:, :wide]) < LARGEST).all():
        frame = int(np.argmin((np.abs(poses[:, :wide]) < LARGEST).all(axis=1)))
        complain(path, f"frame {frame} of 'poses' holds NaN, infinite or impossible values")
    if fps is None:
        rate = next((arrays[k] for k in ("mocap_framerate", "mocap_frame_rate") if k in arrays), None)
        if rate is None:
            complain(path, "no 'mocap_framerate'; give its fps")
        rate = _real(path, "mocap_framerate", rate)
        fps = check_fps(path, float(rate.reshape(-1)[0]) if rate.size == 1 else float("nan"))

    rotations = rotation.exp(poses[:, :wide].reshape(len(poses), len(SKELETON), 3))
    # joints turn in the body's y-up axes; the root turns those into AMASS's z-up world
    rotations[:, 1:, 1:] = rotations[:, 1:, 1:] @ Y_UP.T
    rotations[:, 0] = rotation.multiply(rotations[:, 0], rotation.conjugate(rotation.from_matrix(Y_UP)))
    names, parents = tuple(s[0] for s in SKELETON), tuple(s[1] for s in SKELETON)
    offsets = np.array([s[2] for s in SKELETON], dtype=float) @ Y_UP.T
    root_pos = trans + np.array([0, 0, PELVIS_ABOVE_ORIGIN])
    return check_clip(path, Clip(path.stem, round_fps(fps), names, parents, offsets, root_pos, rotations))


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The plain arrays of an npz archive; members that would need unpickling are skipped."""
    data = read_bytes(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            large = [info.filename for info in archive.infolist() if info.file_size > LARGEST_ARRAY]
    except Exception as error:  # zipfile lets many kinds through on damaged archives
        complain(path, f"not an npz file, or a damaged one ({str(error)[:80]})")
    if large:
        complain(path, f"array '{large[0][:40]}' is larger than {LARGEST_ARRAY >> 30} GiB")
    arrays = {}
    wanted = {"poses", "trans", "mocap_framerate", "mocap_frame_rate"}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            for name in archive.files:
                if name in wanted:
                    arrays[name] = archive[name]
    except Exception as error:  # as above, and NumPy's header parser
        reason = (str(error) or type(error).__name__).splitlines()[0]
        complain(path, f"not an npz file of plain arrays, or a damaged one ({reason[:80]})")
    return arrays


def _real(path: Path, name: str, array: np.ndarray) -> np.ndarray:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        complain(path, f"'{name}' does not hold numbers")
    return np.asarray(array, dtype=float)
