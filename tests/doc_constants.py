"""Phrases of the docs, made with the numbers of the code: page by page, what must stand there word by word."""

from lactic.body import humanoid, strength
from lactic.body.fit import VOLUME_WEIGHT
from lactic.body.fitted import person
from lactic.body.muscle_man import muscle_man
from lactic.body.own import NEAR, TRUNK
from lactic.body.person_file import BASIS_HEIGHT, BASIS_MASSES
from lactic.fatigue import PRESETS, endurance_time
from lactic.fatigue.endurance import endurance_limit
from lactic.fatigue.fitness import KNEE
from lactic.learn import config
from lactic.motion.library.library import ANGLE_STEP, POSITION_STEP, QUATERNION_STEP
from lactic.muscle.batch import DEAD
from lactic.muscle.man.musculature import musculature
from lactic.muscle.samples import WIDE
from lactic.plan.drive import BOX as PLAN_BOX
from lactic.plan.drive import TOLERANCE
from lactic.play.steered import LEASH
from lactic.play.tracked import LOST
from lactic.play.velocity import FASTEST, RUN, WALK
from lactic.steer.matching import features
from lactic.steer.matching.build import FPS, SHORTEST
from lactic.steer.matching.index import LANES
from lactic.steer.steering import RESERVE, WALKS, Steering
from lactic.steer.stream import RATE
from lactic.task.stride import BOX
from lactic.task.tracking.tracker import told_layout

HUMANOID, PERSON, MAN = humanoid().model, person().model, muscle_man().model
HINGES, MUSCLES = len(humanoid().joints), len(musculature().names)
PARTS = [part for part in humanoid().bodies if not part.startswith("right")]
STEER = config.read("steer")
FOLLOW = STEER.task
HZ = f"{FOLLOW.control_rate * FOLLOW.substeps:g} Hz"
AHEAD = "{}, {} and {} s".format(*features.AHEAD)
SHOULDER = [f"{limit:g}" for joint, limit in BOX.items() if joint.startswith("shoulder")]
HIP, ADDUCTION, ROTATION, KNEES, ANKLE = WIDE.torque
(AHEAD_BY,) = FOLLOW.track.later
TOLD = told_layout(humanoid(), 1, heeds=False)


def torques(*joints: str) -> str:
    """These joints in a table of all strength tables: one number where theirs are the same."""
    cells = []
    for table in strength.TABLES.values():
        limits = [f"{table.get(joint, table.get(joint[:-2], 0)):.0f}" for joint in joints]
        cells.append(", ".join(limits if len(set(limits)) > 1 else limits[:1]))
    return " | ".join(cells)


def held(preset: str) -> float:
    """Percent of its strength that a joint holds for ever."""
    return 100 * float(endurance_limit(PRESETS[preset].F, PRESETS[preset].R))


def rates(preset: str) -> str:
    """F, R and r of a preset."""
    return ", ".join(
        f"{rate:.6f}".rstrip("0").rstrip(".") for rate in (PRESETS[preset].F, PRESETS[preset].R, PRESETS[preset].r)
    )


def masses(part: str) -> str:
    """A part in a table of masses."""
    found = [float(model.body(part).mass[0]) for model in (PERSON, HUMANOID)]
    cells = [f"{mass:.2f} ({100 * mass / HUMANOID.body_mass.sum():.1f} %)" for mass in found]
    return " | ".join([part.removeprefix("left_").replace("_", " "), *cells])


PHRASES = {
    "README.md": [f"`human-30` runs {PRESETS['human-30'].time_scale:g} times as fast"],
    "docs/animators.md": [
        f"Half of the strength of a knee is held for {float(endurance_time(KNEE.F, KNEE.R, 0.5)):.0f} s",
        f"as it is asked, up to {FASTEST:g} m/s",
    ],
    "docs/architecture.md": [
        f"Control runs at {FOLLOW.control_rate:g} Hz and physics at {HZ}",
        f"(world, {MAN.nq}), (world, {MAN.nv}), (world, {MAN.nbody - 1}, 4)",
        f"`joints` names the {MUSCLES} muscles",
        f"about {held('human'):.0f} % of its strength, for ever",
        f"{held('cheema2023'):.0f} to {held('tired-actor'):.1f} % can be held",
    ],
    "docs/bodies.md": [
        f"`humanoid` | {HINGES} | an average man of {BASIS_HEIGHT} m and {HUMANOID.body_mass.sum():.0f} kg",
        f"`muscle-man` | {MAN.nv - 6} |",
        f"moved by {MUSCLES} muscles alone",
        f"five men, {min(BASIS_MASSES):g} to {max(BASIS_MASSES):g} kg at {BASIS_HEIGHT} m",
        f"weight of the volume is {VOLUME_WEIGHT}",
        f"stable at {HZ}",
        f"over {HUMANOID.body_mass.sum():.0f} kg × {BASIS_HEIGHT} m",
        f"lowest at rest, within {100 * NEAR:g} cm",
        f"the lever (at least {TRUNK} m)",
        *(f"| {masses(part)} |" for part in PARTS),
    ],
    "docs/library.md": [
        f"to {ANGLE_STEP:.4f} rad",
        f"whole steps of {1000 * POSITION_STEP:g} mm, {QUATERNION_STEP:.5f} (quaternions) and {ANGLE_STEP:.4f} rad",
    ],
    "docs/matching.md": [
        f"A clip must last {SHORTEST:g} s",
        f"root is and looks after {AHEAD}",
        f"{features.COUNT} numbers in all",
        f"The rate is {FPS:g} Hz, as in the thesis",
        f"A box holds {LANES} frames in a row",
    ],
    "docs/muscle.md": [
        f"Before each physics step ({HZ})",
        f"{MAN.nbody - 1} bodies, {MAN.nv} degrees of freedom, {MAN.body_mass.sum():.1f} kg, {MUSCLES} muscles",
        f"with {len(musculature().strands.place)} anchors",
        f"up to {TOLERANCE:g} Nm count as feasible",
        f"corrections below {DEAD:g} Nm count as none",
    ],
    "docs/plan.md": [
        f"| `box` | ±{PLAN_BOX:g} Nm each |",
        f"| `lr` | −{TOLERANCE:g} Nm ≤ R(q, q̇, τ) ≤ {TOLERANCE:g} Nm",
    ],
    "docs/researchers.md": [
        f"in Nm for {HUMANOID.body_mass.sum():.0f} kg and {BASIS_HEIGHT} m",
        f"people about {held('human'):.0f} %, `cheema2023` {held('cheema2023'):.0f} %",
        f"`tired-actor` {held('tired-actor'):.1f} %",
        *(
            f"`{one}` | {rates(one)} |"
            for one in ("off", "cheema2023", "tired-actor", "myosuite-2.4", "user-in-the-box")
        ),
        f"{rates('feng2023')}; {rates('feng2023-arms')} |",
        f"hip_z | {torques('hip_y', 'hip_x', 'hip_z')} |",
        f"ankle_z | {torques('ankle_y', 'ankle_x', 'ankle_z')} |",
        f"_z | {torques('abdomen_x', 'abdomen_y', 'abdomen_z')} |",
        *(f"| {one} | {torques(*(f'{one}_{axis}' for axis in 'xyz'))} |" for one in ("neck", "shoulder")),
        *(f"| {one} | {torques(one)} |" for one in ("knee", "elbow")),
    ],
    "docs/steering.md": [
        f"asks for {WALK} m/s, with the trigger for {RUN} m/s",
        f"walking speed of a run with {100 * WALKS:g} % of the legs' strength, nothing with {100 * RESERVE:g} %",
        f"and the pose {AHEAD_BY} frames later",
        f"{AHEAD_BY} control steps ahead of the body, which is {AHEAD_BY / FOLLOW.control_rate:g} s",
        f"a body more than {LEASH} m over the floor away",
        f"where the bodies are {LOST} m from it on average",
        f"the body tires at `{FOLLOW.fatigue.fitness}` unless",
        f"an episode lasts {FOLLOW.episode / FOLLOW.control_rate:g} s",
        f"a [motion library](library.md) at {RATE:g} Hz",
        f"(world, {TOLD.size})",
        *(f"| {part.start}–{part.stop - 1} |" for part in TOLD.values() if part.stop > part.start),
        "two layers of {}, ReLU".format(*set(STEER.learn.policy)),
        f"is followed at {Steering().turn_limit} rad/s at most",
        f"all **{HINGES} hinges** have one",
        f"**Physics at {HZ}**",
    ],
    "docs/strides.md": [
        "| {:g} Nm | by R; before it the range its network knows ({:g}, {:g}, {:g} Nm)".format(
            BOX["knee"], HIP, KNEES, ANKLE
        ),
        f"| {BOX['hip_x']:g} Nm | by R; before it {ADDUCTION:g}, {ROTATION:g} Nm |",
        f"; {', '.join(SHOULDER)}, elbow {BOX['elbow']:g} Nm |",
        f"once a control step ({FOLLOW.control_rate:g} Hz). Before each physics step ({HZ})",
    ],
    "docs/studio.md": [
        f"keys ask for {WALK} m/s, with shift for {RUN} m/s",
        f"dots at {AHEAD}",
    ],
}
