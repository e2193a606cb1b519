"""How strong people are: torque limits of the humanoid's joints, Nm, for 73 kg and 1.741 m. Each with source and doubt.

One number a joint bounds both directions. People differ much between them at knee and ankle (Anderson 2007: knee 210
and 112, ankle 122 and 42 Nm); a limit for each direction would need a load for each, and a fatigue state too, since
other muscles tire. So the stronger direction is meant. Limits of other people scale with mass times height, as
Anderson's do.
"""

from collections.abc import Sequence

import numpy as np

from lactic.errors import InputError

ATHLETE = {
    # A runner of 73 kg gives 150 to 180 Nm at 4 m/s (gait laboratory, one subject), the muscles of OpenSim's gait2392
    # up to 364 Nm, Anderson's young men 207 Nm.
    "hip_y": 300.0,
    # No measurement at hand for these two; by the moment arms of gait2392 about two thirds and two fifths of hip_y.
    "hip_x": 220.0,
    "hip_z": 130.0,
    # The same runner 250 to 360 Nm, gymnasts 286, gait2392 234, Anderson 210.
    "knee": 350.0,
    # The same runner 145 to 170 Nm, gait2392 274, Anderson 122: with less, a forefoot cannot carry a landing.
    "ankle_y": 250.0,
    # Doubtful: no measurement at hand; a quarter of ankle_y.
    "ankle_x": 60.0,
    "ankle_z": 60.0,
    # Gymnasts' lower back: extension 688, flexion 212 Nm. Forward is between them; the others are guesses.
    "abdomen_x": 220.0,
    "abdomen_y": 300.0,
    "abdomen_z": 150.0,
    # Doubtful: no measurement at hand.
    "neck": 60.0,
    # Gymnasts: shoulder 127 and 91 Nm, elbow 101 and 70 Nm; between both directions.
    "shoulder": 110.0,
    "elbow": 90.0,
}
# Anderson 2007, young men, for 73 kg and 1.741 m: hip extension 201, knee extension 203, plantar flexion 118 Nm. The
# others are the athlete's times two thirds, the ratio of the hip's: no measurement at hand.
ADULT = {name: float(round(limit * 2 / 3)) for name, limit in ATHLETE.items()}
ADULT |= {"hip_y": 201.0, "knee": 203.0, "ankle_y": 118.0}
CHEEMA2023 = {
    # Table 4, bold: the largest torque that any of its skills asked for. About three times a person's.
    "abdomen_x": 370.27,
    "abdomen_y": 382.34,
    "abdomen_z": 240.88,
    "neck_x": 78.61,
    "neck_y": 160.34,
    "neck_z": 63.66,
    "shoulder_x": 177.67,
    "shoulder_y": 362.03,
    "shoulder_z": 306.93,
    "elbow": 136.1,
    "hip_y": 796.42,
    "hip_x": 598.84,
    "hip_z": 373.14,
    "knee": 809.59,
    "ankle_x": 138.58,
    "ankle_y": 451.8,
    "ankle_z": 201.1,
}
TABLES = {"athlete": ATHLETE, "adult": ADULT, "cheema2023": CHEEMA2023}
DEFAULT = "athlete"


def limits(table: str, joints: Sequence[str]) -> np.ndarray:
    """The limits (joint,) of that table for the humanoid's joints, by name or by group."""
    if table not in TABLES:
        raise InputError(f"unknown strength '{table}'; there are: {', '.join(TABLES)}")
    values = TABLES[table]
    plain = [joint.removeprefix("right_").removeprefix("left_") for joint in joints]
    return np.array([values[name] if name in values else values[name.split("_")[0]] for name in plain])
