"""All tasks by the name that `task.kind` gives them."""

from lactic.task.ant import Ant
from lactic.task.imitate import Imitate
from lactic.task.pace import Pace
from lactic.task.stride import Stride
from lactic.task.task import Task
from lactic.task.tracking.task import Track

TASKS: dict[str, type[Task]] = {
    "imitate": Imitate,
    "pace": Pace,
    "ant": Ant,
    "stride": Stride,
    "track": Track,
}
