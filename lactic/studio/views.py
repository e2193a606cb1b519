"""Actors as the browser shows them: limbs that redden, and around them arrow, trail, label, paths and leader."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import viser

from lactic.body import Body
from lactic.picture.muscles import BONE, By, has_muscles
from lactic.picture.stage import encoded, tinted
from lactic.studio.actor import StageActor
from lactic.studio.limbs import limbs
from lactic.studio.man.view import MuscleView
from lactic.studio.paths import GroundPaths, straight

VISIBLE = 2.0
"""Change of a colour channel, of 255, that is worth sending."""
ARROW, LEADER, ALONE = (232, 120, 16), (0, 158, 115), (150, 120, 112)
TRAIL_SECONDS, TRAIL_POINTS = 8.0, 80


class Moment(NamedTuple):
    """What is shown of an actor at a frame, copied from its tape."""

    xpos: np.ndarray
    xquat: np.ndarray
    tint: np.ndarray
    push: np.ndarray
    pushed: int
    paths: np.ndarray | None
    leader: tuple[np.ndarray, np.ndarray] | None
    clip: tuple[np.ndarray, np.ndarray] | None
    """Where the motion has it that it follows."""
    muscles: np.ndarray | None
    """(muscle, 3): MA, MR, MF, where muscles are drawn."""
    trail: np.ndarray


def moment(actor: StageActor, frame: int) -> Moment:
    """An actor at a frame."""
    tape, at, leads = actor.tape, actor.tape.slot(frame), actor.leads
    paths = leader = clip = None
    if leads is not None:
        paths, leader = leads.paths[at].copy(), (leads.xpos[at].copy(), leads.xquat[at].copy())
    elif actor.skill.goes:
        paths = straight(tape.xpos[at, 0, :2], tape.command[at])[None]
    if actor.tracked is not None:
        clip = tape.clip_xpos[at].copy(), tape.clip_xquat[at].copy()
    pose = tape.xpos[at].copy(), tape.xquat[at].copy(), tape.tint(frame)
    muscles = tape.fatigue[at].copy() if has_muscles(actor.body) else None
    return Moment(*pose, tape.push[at].copy(), tape.pushed[at], paths, leader, clip, muscles, _trail(actor, frame))


def _trail(actor: StageActor, frame: int) -> np.ndarray:
    """Where the root was in the last seconds, on the floor; only since the last jump."""
    slots = actor.tape.slots(frame - round(TRAIL_SECONDS / actor.player.dt), frame)
    path = actor.tape.xpos[slots, 0] * [1, 1, 0] + [0, 0, 0.012]
    leaps = np.flatnonzero(np.linalg.norm(np.diff(path, axis=0), axis=1) > 0.5)
    path = path[leaps[-1] + 1 :] if len(leaps) else path
    return path[:: -max(1, len(path) // TRAIL_POINTS)][::-1]  # the newest is always there


def show(handle: Any, on: bool) -> None:
    """Show or hide something, and say so only if that changes anything."""
    if handle.visible != on:
        handle.visible = on


class Doll:
    """A body's limbs in the scene, posed by moving them and tinted by recolouring them."""

    def __init__(self, server: viser.ViserServer, name: str, body: Body, colour: Sequence[int] | None, opacity: float):
        self.root = server.scene.add_frame(name, show_axes=False)
        fresh = encoded(tinted(np.array(0.0))) if colour is None else np.array(colour)
        self.rgb = np.tile(fresh.astype(float), (len(body.bodies), 1))
        self.limbs: list[Any] = []
        for part, limb, rgb in zip(body.bodies, limbs(body), self.rgb, strict=True):
            self.limbs.append(
                server.scene.add_mesh_simple(
                    f"{name}/{part}",
                    limb.vertices,
                    limb.faces,
                    color=_colour(rgb),
                    opacity=None if opacity == 1.0 else opacity,
                    cast_shadow=opacity == 1.0,
                    receive_shadow=False,
                )
            )

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


class ActorView:
    """An actor in the scene."""

    def __init__(
        self, server: viser.ViserServer, name: str, actor: StageActor, lane: float, colour: Sequence[int] | None
    ):
        """`colour` tells it from others beside it; None where it is alone."""
        scene: Any = server.scene
        bones = has_muscles(actor.body)
        self.doll = Doll(server, name, actor.body, encoded(BONE).tolist() if bones else None, 1.0)
        self.muscles = MuscleView(server, name, len(actor.body.bodies)) if bones else None
        self.doll.root.position = (0.0, lane, 0.0)
        nowhere = np.zeros((1, 2, 3), np.float32)
        self.arrow = scene.add_arrows(
            f"{name}/push", nowhere, ARROW, shaft_radius=0.03, head_radius=0.075, head_length=0.16, visible=False
        )
        self.trail = scene.add_line_segments(
            f"{name}/trail", nowhere, colour or ALONE, thickness=4.0, thickness_units="screen", visible=False
        )
        steered = actor.steered is not None
        self.paths = GroundPaths(server, name, matched=steered) if actor.skill.led else None
        self.leader = Doll(server, f"{name}/leader", actor.body, LEADER, 0.3) if steered else None
        label = f"{name}/label", ""
        self.label = scene.add_label(*label, anchor="bottom-center", font_screen_scale=1.1) if colour else None

    def show(self, now: Moment, title: str, trail: bool, paths: bool, leader: bool, look: tuple[By, By]) -> None:
        """Show a moment, with what is wanted around it; `look` is what colour and width of muscles show."""
        self.doll.pose(now.xpos, now.xquat)
        if self.muscles is None or now.muscles is None:
            self.doll.redden(now.tint)
        else:
            self.muscles.show(now.xpos, now.xquat, now.muscles, *look)
        force = float(np.linalg.norm(now.push))
        if force:
            way = now.push / force
            tip = now.xpos[now.pushed] + [0, 0, 0.08] - 0.13 * way
            self.arrow.points = np.stack([tip - way * (0.25 + force / 1000.0), tip])[None].astype(np.float32)
        show(self.arrow, bool(force))
        trail = trail and len(now.trail) > 1
        if trail:
            self.trail.points = np.stack([now.trail[:-1], now.trail[1:]], 1).astype(np.float32)
        show(self.trail, trail)
        if self.label is not None:
            if self.label.text != title:
                self.label.text = title
            self.label.position = (*now.xpos[0, :2], max(1.95, float(now.xpos[:, 2].max()) + 0.3))
        if self.paths is not None:
            self.paths.show(now.paths if paths else None)
        if self.leader is not None and now.leader is not None:
            show(self.leader.root, leader)
            self.leader.pose(*now.leader)


def _colour(rgb: np.ndarray) -> tuple[int, int, int]:
    r, g, b = (round(float(x)) for x in rgb)
    return r, g, b
