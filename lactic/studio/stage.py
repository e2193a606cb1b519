"""The stage as the browser shows it: ground, light, limbs that redden, trail, pushes, ghost and a guest from a clip."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import viser

from lactic.body import Body
from lactic.play.stage import encoded, tinted
from lactic.studio.character import Character
from lactic.studio.engine import Engine
from lactic.studio.limbs import limbs

LANE = 1.5
"""Metres between characters side by side."""
FOLLOW = 0.35
"""Half-life, s, of the distance between the character and where the stage is centred."""
VISIBLE = 2.0
"""Change of a colour channel, of 255, that is worth sending."""
GHOST, GUEST, TRAIL, ARROW = (120, 150, 190), (98, 146, 158), (196, 120, 110), (226, 120, 20)
TRAIL_SECONDS, TRAIL_POINTS = 10.0, 60


class Doll:
    """A body's limbs in the scene, posed by moving them and tinted by recolouring them."""

    def __init__(self, server: viser.ViserServer, name: str, body: Body, colour: Sequence[int] | None, opacity: float):
        self.root = server.scene.add_frame(name, show_axes=False)
        self.fixed = colour is not None
        self.rgb = np.tile(np.array(encoded(tinted(0.0)) if colour is None else colour, float), (len(body.bodies), 1))
        self.limbs: list[Any] = []
        for part, limb, rgb in zip(body.bodies, limbs(body), self.rgb, strict=True):
            self.limbs.append(server.scene.add_mesh_simple(
                f"{name}/{part}", limb.vertices, limb.faces, color=_colour(rgb),
                opacity=None if opacity == 1.0 else opacity, cast_shadow=opacity == 1.0, receive_shadow=False))

    def pose(self, xpos: np.ndarray, xquat: np.ndarray) -> None:
        """Move every limb."""
        for limb, position, turn in zip(self.limbs, xpos, xquat, strict=True):
            limb.position, limb.wxyz = position, turn

    def redden(self, tint: np.ndarray) -> None:
        """Colour every limb whose tiredness has changed visibly."""
        rgb = encoded(tinted(tint)).astype(float)
        for i in np.flatnonzero(np.abs(rgb - self.rgb).max(1) > VISIBLE):
            self.rgb[i] = rgb[i]
            self.limbs[i].color = _colour(rgb[i])

    def remove(self) -> None:
        """Take it off the stage."""
        self.root.remove()


class Stage:
    """Keeps the scene as the engine says, whenever `update` is called."""

    def __init__(self, server: viser.ViserServer, engine: Engine):
        self.server, self.engine = server, engine
        self.follow, self.trail = True, False
        scene = server.scene
        scene.world_axes.visible = False
        scene.set_up_direction("+z")
        scene.configure_default_lights(True, cast_shadow=True)
        scene.configure_fog(9.0, 26.0, color=(238, 237, 234))
        server.initial_camera.position, server.initial_camera.look_at = (2.6, -3.3, 1.45), (0.0, 0.0, 0.85)
        self.world = scene.add_frame("/world", show_axes=False)
        scene.add_grid(
            "/world/ground", infinite_grid=True, cell_size=0.5, section_size=2.0, cell_color=(214, 212, 207),
            section_color=(186, 184, 180), plane_color=(238, 237, 234), plane_opacity=1.0, shadow_opacity=0.35,
            fade_distance=30.0, fade_strength=1.5)  # fmt: skip
        self.centre = np.zeros(2)
        self.dolls: list[Doll] = []
        self.ghost: Doll | None = None
        self._cast: list[Character] = []
        self._ghost_of: Character | None = None
        self._arrows: list[Any] = []
        self._trails: list[Any] = []

    def update(self, seconds: float) -> None:
        """Show the engine's frame; `seconds` have passed since the last time."""
        engine = self.engine
        with engine.lock:
            frame, cast, ghost = engine.shown, list(engine.cast), engine.ghost
            if engine.frame == 0:
                engine.advance()  # a first frame to show
            poses = [_pose(actor, frame) for actor in cast]
            ghost_pose = _pose(ghost, frame) if ghost else None
        with self.server.atomic():
            if cast != self._cast:
                self._dress(cast)
            if ghost is not self._ghost_of:
                self._dress_ghost(ghost)
            for doll, (xpos, xquat, tint, _, _) in zip(self.dolls, poses, strict=True):
                doll.pose(xpos, xquat)
                doll.redden(tint)
            if self.ghost and ghost_pose:
                self.ghost.pose(*ghost_pose[:2])
            self._show_pushes(poses)
            if self.follow:
                self._centre(poses, seconds)
        self.server.flush()

    def _dress(self, cast: list[Character]) -> None:
        """New limbs for a new cast."""
        for node in (*self.dolls, *self._arrows, *self._trails):
            node.remove()
        self._cast, self.dolls, self._arrows, self._trails = cast, [], [], []
        for k, actor in enumerate(cast):
            doll = Doll(self.server, f"/world/character{k}", actor.body, None, 1.0)
            doll.root.position = (0.0, self.lane(k), 0.0)
            self.dolls.append(doll)
            self._arrows.append(self.server.scene.add_arrows(
                f"/world/character{k}/push", np.zeros((1, 2, 3)), ARROW, shaft_radius=0.025, head_radius=0.06,
                head_length=0.14, visible=False))

    def _dress_ghost(self, ghost: Character | None) -> None:
        if self.ghost:
            self.ghost.remove()
        self._ghost_of, self.ghost = ghost, None
        if ghost:
            self.ghost = Doll(self.server, "/world/ghost", ghost.body, GHOST, 0.35)
            self.ghost.root.position = (0.0, self.lane(0), 0.0)

    def lane(self, k: int) -> float:
        """How far to the left character number `k` stands."""
        return LANE * ((len(self._cast) - 1) / 2 - k)

    def _show_pushes(self, poses: list) -> None:
        for arrow, (xpos, _, _, push, pushed) in zip(self._arrows, poses, strict=True):
            force = float(np.linalg.norm(push))
            if force:
                tip = xpos[pushed] - 0.12 * push / force
                arrow.points = np.stack([tip - push / force * (0.25 + force / 800.0), tip])[None].astype(np.float32)
            if arrow.visible != bool(force):
                arrow.visible = bool(force)

    def _centre(self, poses: list, seconds: float) -> None:
        """Move the world under the camera, so that everybody's own orbit goes on undisturbed."""
        up = [xpos[0, :2] for xpos, *_ in poses]
        goal = np.mean(up, axis=0)
        gap = goal - self.centre
        jumped = np.linalg.norm(gap) > 4.0  # a reset or a cut
        self.centre = goal if jumped else self.centre + gap * (1 - 0.5 ** (seconds / FOLLOW))
        self.world.position = (-self.centre[0], -self.centre[1], 0.0)


def _pose(actor: Character, frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Positions, rotations, tint, push and pushed body of a frame, copied."""
    tape, at = actor.tape, actor.tape.slot(frame)
    return tape.xpos[at].copy(), tape.xquat[at].copy(), tape.tint(frame), tape.push[at].copy(), int(tape.pushed[at])


def _colour(rgb: np.ndarray) -> tuple[int, int, int]:
    r, g, b = (round(float(x)) for x in rgb)
    return r, g, b
