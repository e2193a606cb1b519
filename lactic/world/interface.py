"""What every world can do, whichever engine runs it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lactic.body import Body

Array = Any
"""A NumPy array (float64) in a CpuWorld, a torch tensor (float32) in a WarpWorld."""

LARGEST = 1e10
"""States beyond this count as lost: MuJoCo's own mjMAXVAL."""
SUBSTEPS = 4
"""Physics steps in a control step, unless a world is told otherwise."""
HISTORY = 30
"""Control steps remembered for the file that explains a fault: one second at 30 Hz."""


class Forces(Protocol):
    """Forces that follow from the state, such as those of muscles; a world asks for them in every physics step."""

    def settle(self, placed: Any) -> None:
        """Forget the past of worlds that were just placed: their indices in a CpuWorld, a Warp mask in a WarpWorld."""
        ...

    def apply(self) -> None:
        """Write the world's `push`; `xpos` and `xquat` are those of this very moment."""
        ...


class World(Protocol):
    """`count` simulations of one body, each with its own targets, gains and torque limits.

    The arrays are live views, batch first, in the order of the body's joints and bodies (the world body left out: index
    0 is the root). `qpos`, `qvel` and `push` may be written; a write counts from the next `step` and does not refresh
    `xpos` and `xquat`: use `reset` to place a body.
    """

    body: Body
    variants: tuple[Body, ...]
    """Bodies that differ from it in numbers alone: world i has variants[i % their number]; just `body` as a rule."""
    count: int
    timestep: float
    """Seconds of one physics substep."""
    qpos: Array
    qvel: Array
    xpos: Array
    """Positions of the bodies' frames, (world, body, 3), current after `step` and `reset`."""
    xquat: Array
    force: Array
    """Torque each actuator gave in the last substep, (world, joint); zero after a reset."""
    torque: Array
    """Mean of |torque| that each actuator gave over the physics steps of the last control step, (world, joint), Nm: of
    the last `SUBSTEPS` of them, or as many as the world was told. Zero after a reset."""
    push: Array
    """External force and torque on each body at its centre of mass, in the world's frame, (world, body, 6); applied in
    every substep until overwritten, zeroed by a reset."""
    bounds: Array
    """Least and largest torque of each actuator, (world, joint, 2): `drive` writes ±limits, and others may write what
    holds in a state until the next `drive`."""
    faulted: Array
    """Where the last `step` lost the state and reset the world, (world,); such an episode is over."""
    dump: Path | None
    """Folder for `fault-<n>.npz` files; nothing is written where it is None."""

    @property
    def touch(self) -> Array:
        """Number of contacts of each body with the ground at the start of the last substep, (world, body)."""
        ...

    @property
    def faults(self) -> int:
        """How many worlds were lost and reset so far, as of the last `check`."""
        ...

    def drive(self, targets: Array, stiffness: Array, damping: Array, limits: Array) -> None:
        """Set each joint's target angle, PD gains and largest torque (all finite), (world, joint)."""
        ...

    def step(self, substeps: int = 4, before: Callable[[Any], None] | None = None) -> None:
        """Advance all worlds, refresh the kinematics, and reset the worlds whose state was lost.

        `before` is called with this world ahead of every physics step: strength that depends on the state writes
        `bounds` there.
        """
        ...

    def exert(self, forces: Forces) -> None:
        """Let `forces` push the bodies from now on. A WarpWorld puts them into its graph: they only launch kernels."""
        ...

    def reset(self, ids: Array | None = None, qpos: Array | None = None, qvel: Array | None = None) -> None:
        """Place the worlds `ids`: indices with one row each, or a boolean mask with a row for every world.

        All worlds, the rest pose and no velocity unless given. Targets become the pose; forces, pushes and the solver's
        memory are cleared; gains and limits stay.
        """
        ...

    def check(self) -> int:
        """Collect faults from the device, write their files and return `faults`."""
        ...

    def remember(self) -> dict[str, np.ndarray]:
        """Copies of what the next step depends on, by name, so that a run can go on where it stopped."""
        ...

    def recall(self, arrays: dict[str, np.ndarray]) -> None:
        """Bring back what `remember` gave, in a world of the same body and size."""
        ...
