"""Lowest points of bodies: every kind of shape, in any turn, as MuJoCo measures its distance to the floor."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from lactic.motion.ground import Soles
from lactic.rotation import normalize

SHAPES = {
    "sphere": "0.1",
    "capsule": "0.05 0.2",
    "box": "0.1 0.2 0.03",
    "cylinder": "0.1 0.07",
    "ellipsoid": "0.05 0.1 0.2",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_lowest_points_are_as_far_from_the_floor_as_the_engine_says(shape: str):
    geom = f'<geom name="it" type="{shape}" size="{SHAPES[shape]}" pos="0.1 -0.2 0.05" quat="0.8 0.2 -0.4 0.4"/>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 2"><freejoint/>{geom}'
        '</body><body><freejoint/><geom size="0.1" contype="0" conaffinity="0"/></body></worldbody></mujoco>'
    )
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    for _ in range(20):
        data.qpos[3:7] = normalize(rng.normal(size=4))
        mujoco.mj_kinematics(model, data)
        found = Soles(SimpleNamespace(model=model))(data.xpos[None, 1:], data.xquat[None, 1:])[0]
        far = mujoco.mj_geomDistance(model, data, model.geom("floor").id, model.geom("it").id, 10.0, np.zeros(6))
        assert found[0] == pytest.approx(far, abs=1e-4)
        assert np.isinf(found[1])  # it has nothing that can touch
