"""A character without a network: it holds the rest pose as long as its strength allows."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from lactic import body as bodies
from lactic import fatigue
from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import INPUTS, BrainInfo

FALL = {"bodies": ["pelvis", "torso", "head"], "height": 0.5, "may_touch": None}


class Stander(BrainFolder):
    """A folder as the catalogue gives it, whose brain is NumPy."""

    def __init__(self, home: Path, name: str = "stand", fall: Any = FALL, command: str = "none", **facts: Any):
        super().__init__(home / name)
        self.path.mkdir(exist_ok=True)
        (self.path / "params.yaml").write_text(yaml.safe_dump({"name": name, "task": {"fall": fall}}))
        object.__setattr__(self, "about", {"asks": command} | facts)

    def load(self, threads: int = 1) -> "StandingBrain":  # type: ignore[override]
        """The brain."""
        return StandingBrain(self.path, self.about)  # type: ignore[attr-defined]


class StandingBrain:
    """What Player needs of a BrainFile."""

    inputs = INPUTS

    def __init__(self, path: Path, facts: dict[str, Any]):
        body = bodies.get("humanoid")
        self.path, self.body = path, body
        self.info = BrainInfo(
            name=path.name,
            body="humanoid",
            joints=body.joints,
            control_rate=30.0,
            physics_rate=120.0,
            stiffness=tuple(body.stiffness),
            damping=tuple(body.damping),
            torque_limit=tuple(body.torque_limit),
            fitness="cheema2023",
            rates=(),
            load="intended",
            command=0 if facts["asks"] == "none" else 2,
            **facts,
        )

    def bind(self, feed: dict[str, np.ndarray]) -> "StandingBrain":
        """Keep the arrays that are rewritten in place."""
        self.feed, worlds, joints = feed, len(feed["qpos"]), len(self.body.joints)
        names = ("targets", "stiffness", "damping", "limits", "load")
        self.outputs = {name: np.zeros((worlds, joints), np.float32) for name in names}
        self.outputs["fatigue_next"] = feed["fatigue"].copy()
        return self

    def __call__(self) -> dict[str, np.ndarray]:
        """Rest pose, full gains, the law of fatigue."""
        body, feed, out = self.body, self.feed, self.outputs
        intent = -body.stiffness * feed["qpos"][:, 7:] - body.damping * feed["qvel"][:, 6:]
        out["load"][:] = np.minimum(np.abs(intent) / body.torque_limit, 1)
        out["fatigue_next"][:] = fatigue.step(feed["fatigue"], out["load"], feed["fitness"], 1 / 30)
        out["stiffness"][:], out["damping"][:] = body.stiffness, body.damping
        out["limits"][:] = (1 - out["fatigue_next"][..., 2]) * body.torque_limit
        return out
