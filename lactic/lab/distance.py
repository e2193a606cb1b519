"""Distance to a clip: how unlike the nearest of its poses each pose is (cheema2023 Table 1).

"The average Euclidean distance [and variance] of the normalized joint angles between a generated frame and the closest
frame in motion file M" does not say what the angles are divided by, nor whether joints are summed or averaged. Read
here as: angles over π, the Euclidean norm over the joints, averaged over frames. The paper's 0.18 to 0.24 for AMP is
then an RMS error of 6° to 8° a joint, which agrees with what Peng et al. (2021) publish for the same skills (0.03 to
0.07 m a joint); as a mean over joints it would be 32° to 43° (over π) or 12° to 16° (over half the joint range), and
over half the range as a norm 2° to 3°, too good to be true. The mean over half the range, the next likely reading, and
the plain RMS in degrees are given beside it. The bracketed variance is compared with the standard deviation over
frames: as a variance, 0.06 would mean that distances scatter more widely than they are large.
"""

from typing import NamedTuple

import numpy as np

CHUNK = 16_384


class Distance(NamedTuple):
    """Of each frame to its nearest clip frame."""

    norm: np.ndarray
    """Euclidean norm of the angles over π: the reading that is compared with the paper."""
    half_range: np.ndarray
    """Mean over the joints of |angle| over half its range."""
    degrees: np.ndarray
    """RMS over the joints, degrees."""


def distance(angles: np.ndarray, clip: np.ndarray, limits: np.ndarray) -> Distance:
    """Distances of poses (…, joint) to the nearest of `clip` (frame, joint); `limits` (joint, 2), all in radians."""
    poses = np.ascontiguousarray(angles.reshape(-1, angles.shape[-1]), np.float32)
    reference = np.ascontiguousarray(clip, np.float32)
    squares = (reference**2).sum(1)
    half = 0.5 * np.maximum(limits[:, 1] - limits[:, 0], 1e-6)
    parts = []
    for k in range(0, len(poses), CHUNK):
        part = poses[k : k + CHUNK]
        nearest = np.argmin(squares - 2 * (part @ reference.T), axis=1)
        gap = (part - reference[nearest]).astype(float)
        square = (gap**2).sum(1)
        rms = np.degrees(np.sqrt(square / gap.shape[1]))
        parts.append([np.sqrt(square) / np.pi, (np.abs(gap) / half).mean(1), rms])
    shape = angles.shape[:-1]
    return Distance(*(np.concatenate(column).reshape(shape) for column in zip(*parts, strict=True)))


def floor(clip: np.ndarray, limits: np.ndarray) -> Distance:
    """What a perfect performance of the clip would get: poses half way between its frames."""
    return distance(0.5 * (clip[1:] + clip[:-1]), clip, limits)
