"""A picture of fitted shapes beside the mesh they were fitted to, from the front and from the side."""

from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull

from lactic import rotation
from lactic.body.shapes import Shape
from lactic.body.skin import SkinnedMesh
from lactic.files import save_figure
from lactic.picture.view import View

SKIN, SHAPE, PAPER = (0.80, 0.72, 0.64), (0.45, 0.62, 0.78), (0.97, 0.97, 0.96)
AZIMUTHS = (0.0, np.radians(-55))
SPACING = 0.012  # metres between the corners of a shape's triangles


def draw_fit(mesh: SkinnedMesh, shapes: list[Shape], path: str | Path) -> None:
    """Draw the mesh, the shapes, and both over each other (shapes where they stand out), from two sides."""
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

    skin, solid = mesh.vertices[mesh.triangles], np.concatenate([_triangles(shape) for shape in shapes])
    parts = ((skin, SKIN),), ((solid, SHAPE),), ((skin, SKIN), (solid, SHAPE))
    figure = Figure(figsize=(22, 5.6), facecolor=PAPER)
    figure.subplots_adjust(0, 0, 1, 1, 0, 0)
    panels = [(View(float(azimuth), np.radians(4), 1.0), part) for azimuth in AZIMUTHS for part in parts]
    for axes, (view, part) in zip(figure.subplots(1, len(panels), sharex=True, sharey=True), panels, strict=True):
        corners = np.concatenate([triangles for triangles, _ in part])
        colours = np.concatenate([np.tile(colour, (len(triangles), 1)) for triangles, colour in part])
        normal = rotation.normalize(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
        lit = colours * (0.35 + 0.65 * np.clip(normal @ view.light, 0, 1))[:, None]
        order = np.argsort(corners.mean(1) @ view.frame[2])  # far to near
        order = order[normal[order] @ view.frame[2] > 0]
        axes.add_collection(
            PolyCollection(
                (corners @ view.frame[:2].T)[order], facecolors=lit[order], edgecolors="face", linewidths=0.3
            )
        )
        axes.set(aspect="equal")
        axes.autoscale_view()
        axes.set_axis_off()
    save_figure(path, figure, 100)


def _triangles(shape: Shape) -> np.ndarray:
    """A shape's surface (triangle, 3, 3), counterclockwise from outside; all shapes are convex."""
    points = shape.surface(SPACING)
    hull = ConvexHull(points)
    corners = points[hull.simplices]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside_out = (outward * hull.equations[:, :3]).sum(1) < 0
    corners[inside_out] = corners[inside_out][:, ::-1]
    return corners
