"""Running an exported brain: one ONNX file and what it says about itself. No torch."""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lactic.errors import InputError
from lactic.strength import LoadKind
from lactic.typed import from_dict

FORMAT = 2
"""Version of the inputs, outputs and metadata below."""
INPUTS = ("qpos", "qvel", "xpos", "torque", "command", "fatigue", "fitness")
OUTPUTS = ("targets", "stiffness", "damping", "limits", "fatigue_next", "load")
FASTEST, LARGEST = 100_000.0, 1_000_000
"""Physics steps a second, and numbers of a command, beyond which a file is damaged."""
CLOCK = "clock"
"""A further output of a brain that follows motions: how fast the motion shall run on, (world, 1)."""
MAN_INPUTS = ("qpos", "qvel", "xquat", "command", "fatigue", "noise")
MAN_OUTPUTS = ("action",)
"""Those of a brain of the muscle man, which the law's file or code turns into forces in every physics step."""


CommandKind = Literal["none", "pose", "velocity", "goal", "lane", "motion"]
Host = Literal["plain", "muscle", "motion", "muscle-man"]


@dataclass(frozen=True)
class TrackerInfo:
    """How a brain follows motions: what its host writes into the command, and makes of the clock."""

    later: tuple[int, ...]
    """Frames ahead whose poses follow the next frame's body positions, pose and velocity in the command."""
    waits: bool
    """Whether the motion runs on by the output `clock`; as it was recorded where not."""
    leash: float
    """Metres over the floor that the motion may be from the body before the host carries it along, where it waits."""
    fastest: float = 1.2
    """How many times its own pace it may run, where it waits."""
    rises: float = 0.0
    """Seconds that it may take to get up where it has lost the motion, which then waits, while a motion of rises.npz
    leads it up from the floor; 0: it never learnt to."""
    targets: tuple[str, ...] = ()
    """Bodies whose places at the frames `later` are all that the command holds, frame by frame, x, y and z in the
    world; empty: it is told whole poses."""
    held: bool = False
    """Whether these places stay until their time has come: a place 90 frames on is then that of the next frame whose
    number is a multiple of 90, counted from the motion's first."""
    heeds: bool = False
    """Whether the last number of the command says if the motion waits: 1, or 0 where it runs as it was recorded."""


@dataclass(frozen=True)
class CodeInfo:
    """How a brain of the muscle man draws its latent codes (feng2023 Eq. 38 to 43)."""

    size: int
    """Numbers of a code, and of the input `noise`."""
    deviation: float
    """What `noise` is multiplied by; where that is 0 the code is the mean, where it is standard normal a sample."""
    follows: bool
    """Whether the command holds a motion's next frame: a 1 ahead of it, or zeros to sample from the prior."""


@dataclass(frozen=True)
class BrainInfo:
    """What a host must know to run a brain; stored as JSON in the ONNX file's metadata."""

    name: str
    """What the character is called."""
    body: str
    """Name of the body it was made for."""
    joints: tuple[str, ...]
    """The body's joints, in the order of all its arrays; of the muscle man the muscles."""
    control_rate: float
    """Decisions a second."""
    physics_rate: float
    """Physics steps a second."""
    stiffness: tuple[float, ...]
    """Of each joint at β = 1, Nm/rad; of a muscle's spring, in maximal forces for a rest length."""
    damping: tuple[float, ...]
    """Of each joint at β = 1, Nm·s/rad; of a muscle's spring, in maximal forces for a rest length a second."""
    torque_limit: tuple[float, ...]
    """Of each joint when fresh, Nm; of a muscle its largest isometric force, N."""
    fitness: str
    """The preset the character was made for."""
    rates: tuple[tuple[float, ...], ...]
    """That preset's F, R, r, L and rule per joint, as the input `fitness` takes them: 1 where r counts at rest only, 0
    where it counts while the load is met."""
    load: LoadKind = "applied"
    """What the body tires by: `applied`, the input `torque`, which is the mean of |torque| over the physics steps of
    the last control step (0 after a reset); or `intended`, what the PD formula asks for, and `torque` is not looked
    at."""
    host: Host = "plain"
    """What must stand around it: nothing, muscles that bound its legs, a motion, or the law of the muscle man,
    to which an action is by how many rest lengths a muscle's target differs from 1."""
    command: int = 0
    """Size of the command."""
    asks: CommandKind = "none"
    """What the command means: a phase of poses, a velocity over the floor or a goal on it in the world's frame, a speed
    along the world's x axis, or a motion's next frames."""
    usual: tuple[float, ...] = ()
    """The command where nobody gives one; zeros where this is empty."""
    pinned: bool = False
    """Whether the pelvis is held where it is; of the muscle man all but its arms."""
    tires: Literal["off", "limits", "reward"] = "limits"
    """What fatigue does: nothing was learnt of it, it takes strength away, or it was only paid to be spared."""
    tracking: TrackerInfo | None = None
    """How it follows, where the host is `motion`."""
    codes: CodeInfo | None = None
    """How it draws codes, where the host is `muscle-man` and it was trained."""
    samples: int = 0
    """Control steps it was trained for, with all that it began from."""
    seconds: int = 0
    """Seconds that took on one GPU."""
    description: str = ""
    """One line for people."""
    format: int = FORMAT
    """Version of this contract."""

    @property
    def substeps(self) -> int:
        """Physics steps in one control step."""
        return round(self.physics_rate / self.control_rate)

    @property
    def moves_muscles(self) -> bool:
        """Whether it moves the muscle man, by the arrays of its own contract."""
        return self.host == "muscle-man"

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs, in order."""
        if self.moves_muscles:
            return MAN_OUTPUTS
        return OUTPUTS if self.tracking is None else (*OUTPUTS, CLOCK)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the inputs for one world, as far as this description tells them."""
        joints = len(self.joints)
        own: dict[str, tuple[int, ...]] = {"fatigue": (joints, 3), "command": (self.command,)}
        if self.moves_muscles:
            return own if self.codes is None else own | {"noise": (self.codes.size,)}
        return own | {"qpos": (7 + joints,), "qvel": (6 + joints,), "torque": (joints,), "fitness": (joints, 5)}

    @property
    def usual_command(self) -> tuple[float, ...]:
        """The command where nobody gives one."""
        return self.usual or (0.0,) * self.command

    def to_json(self) -> str:
        """The metadata entry `lactic`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str, source: str) -> "BrainInfo":
        """Read the metadata entry, or say what is wrong with it."""
        try:
            values = json.loads(text)
            made = values.get("format", FORMAT)
            values.pop("following", None)  # an entry of older files
        except (AttributeError, ValueError, TypeError, RecursionError) as error:
            raise InputError(f"{source}: its description cannot be read ({error}); export it again") from error
        if made != FORMAT:  # before all else, since another format has other entries
            raise InputError(f"{source}: brain format {made!r:.20}, this version of Lactic reads {FORMAT}")
        info = from_dict(cls, values, f"{source}: its description")
        wrong = info.wrong()
        if wrong:
            raise InputError(f"{source}: its description is wrong ({wrong}); export it again")
        return info

    def wrong(self) -> str:
        """What in it cannot be, in a few words; nothing where all is well."""
        count = len(self.joints)
        rows = (self.stiffness, self.damping, self.torque_limit)
        if any(len(row) != count for row in (*rows, self.rates)) or any(len(row) != 5 for row in self.rates):
            return f"stiffness, damping, torque_limit and rates must be of its {count} joints"
        if not all(math.isfinite(x) and x >= 0 for row in (*rows, *self.rates) for x in row):
            return "a gain, torque or rate is no finite number, 0 or more"
        if not (1 <= self.control_rate <= self.physics_rate <= FASTEST):
            return f"{self.control_rate:g} control and {self.physics_rate:g} physics steps a second"
        if not 0 <= self.command <= LARGEST or len(self.usual) not in (0, self.command):
            return f"a command of {self.command} numbers, of which {len(self.usual)} are usual"
        if not all(map(math.isfinite, self.usual)):
            return "usual holds NaN or infinite values"
        wrong = (self.tracking is None) == (self.host == "motion")
        if wrong or (self.codes is not None and self.host != "muscle-man"):
            return f"the host {self.host} and what it says of following do not fit each other"
        return ""


class BrainFile:
    """A brain.onnx, ready to run; more than one thread pays for hundreds of worlds, not for a few."""

    def __init__(self, path: str | Path, threads: int = 1):
        import onnxruntime

        self.path = path = Path(path)
        if not path.is_file():
            raise InputError(f"{path}: no such brain")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 3
        try:
            self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has no common base class for a bad file
            reason = str(error).splitlines()[0]
            raise InputError(f"{path}: not a brain that can be run ({reason})") from error
        entry = self.session.get_modelmeta().custom_metadata_map.get("lactic")
        if entry is None:
            raise InputError(f"{path}: an ONNX file, but not a Lactic brain (no 'lactic' metadata)")
        self.info = BrainInfo.from_json(entry, str(path))
        self._check_shapes()

    def _check_shapes(self) -> None:
        found = {i.name: i.shape for i in self.session.get_inputs()}
        outputs = tuple(o.name for o in self.session.get_outputs())
        known = MAN_INPUTS if self.info.moves_muscles else INPUTS
        if not set(found) <= set(known) or outputs != self.info.outputs:
            raise InputError(f"{self.path}: unexpected inputs {sorted(found)} or outputs {list(outputs)}")
        self.inputs = tuple(found)  # an input the policy never looks at is not in the file
        for name, shape in self.info.shapes.items():
            if name in found and tuple(found[name][1:]) != shape:
                has, count = found[name][1:], len(self.info.joints)
                raise InputError(f"{self.path}: input {name} has shape {has}, its {count} joints need {shape}")
        for made in self.session.get_outputs():
            shape = {"fatigue_next": (len(self.info.joints), 3), CLOCK: (1,)}.get(made.name, (len(self.info.joints),))
            if tuple(made.shape[1:]) != shape:
                raise InputError(f"{self.path}: output {made.name} has shape {made.shape[1:]}, it must be {shape}")

    def bind(self, inputs: dict[str, np.ndarray]) -> "BoundBrain":
        """Tie the brain to input arrays that are rewritten in place: no conversion at each step."""
        return BoundBrain(self, inputs)

    def __call__(self, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        """One control step for a batch of worlds; arrays are float32, batch first."""
        feed = {name: inputs[name] for name in self.inputs}
        return dict(zip(self.info.outputs, self.session.run(self.info.outputs, feed), strict=True))


class BoundBrain:
    """A brain that reads the caller's arrays and writes its own `outputs`, in place, at every call."""

    def __init__(self, brain: BrainFile, inputs: dict[str, np.ndarray]):
        self._brain, self._binding = brain, brain.session.io_binding()
        self._inputs = {name: inputs[name] for name in brain.inputs}  # kept alive: the binding holds bare addresses
        for name, array in self._inputs.items():
            if array.dtype != np.float32 or not array.flags.c_contiguous:
                raise ValueError(f"{name} must be a contiguous float32 array")
            self._binding.bind_input(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        worlds = len(inputs["qpos"])
        shapes = {o.name: (worlds, *o.shape[1:]) for o in brain.session.get_outputs()}
        self.outputs = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        for name, array in self.outputs.items():
            self._binding.bind_output(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)

    def __call__(self) -> dict[str, np.ndarray]:
        """One control step; the arrays returned are the same at every call."""
        try:
            self._brain.session.run_with_iobinding(self._binding)
        except Exception as error:  # onnxruntime has no common base class; only a file made by hand comes here
            reason = " ".join(str(error).split())[:160]
            raise InputError(f"{self._brain.path}: cannot be run ({reason})") from error
        return self.outputs
