"""Bodies as triangles: closed, outward, of the size that geometry says, and no geom left out."""

import numpy as np
import pytest

from lactic.body import ant, humanoid
from lactic.picture.figure import BOX, CAPSULE, ELLIPSOID, Figure
from lactic.picture.mesh import body_mesh, solid


@pytest.mark.parametrize(
    ("geom_type", "size", "volume"),
    [
        (ELLIPSOID, [0.3, 0.3, 0.3], 4 / 3 * np.pi * 0.3**3),
        (ELLIPSOID, [0.1, 0.2, 0.4], 4 / 3 * np.pi * 0.008),
        (CAPSULE, [0.1, 0.1, 0.5], np.pi * 0.01 * 0.8 + 4 / 3 * np.pi * 0.001),
        (CAPSULE, [0.2] * 3, 4 / 3 * np.pi * 0.008),
        (BOX, [0.1, 0.2, 0.05], 8 * 0.001),
        (BOX, [0.1, 0.1, 0.1], 8 * 0.001),
    ],
)
def test_solids_are_closed_face_outward_and_have_the_right_size(geom_type, size, volume):
    points, normals, triangles = solid(geom_type, np.array(size))
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)  # every edge once in each direction: closed, of one mind
    assert {(a, b) for a, b in edges.tolist()} == {(b, a) for a, b in edges.tolist()}
    a, b, c = (points[triangles[:, k]] for k in range(3))
    filled = (a * np.cross(b, c)).sum() / 6
    assert (0.8 if geom_type == BOX else 0.95) * volume < filled < volume  # chords lie inside; a box's edges are round
    assert np.abs(points).max(0) == pytest.approx(np.array(size), rel=1e-6)
    face = np.cross(b - a, c - a)
    assert ((face[:, None] * normals[triangles]).sum(-1) > 0).all()


def test_every_visible_geom_is_in_the_mesh():
    for body in (humanoid(), ant()):
        mesh, shapes = body_mesh(body), Figure(body.model).posed(body.rest)
        low, high = mesh.vertices.min(0), mesh.vertices.max(0)
        assert set(mesh.body) == set(shapes.body)
        for centre in shapes.centre:
            assert (low < centre).all() and (centre < high).all()
        one = sum(
            len(solid(int(geom_type), size)[0]) for geom_type, size in zip(shapes.geom_type, shapes.size, strict=True)
        )
        assert len(mesh.vertices) == one
