"""The stage as the browser shows it: ground, light, limbs that redden, trail, pushes, ghost and a guest from a clip."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import viser

from lactic.body import Body
from lactic.picture.stage import encoded, tinted
from lactic.studio.camera import Retreat, middle, together
from lactic.studio.character import Character
from lactic.studio.engine import Engine
from lactic.studio.guest import Guest
from lactic.studio.guide import straight
from lactic.studio.limbs import limbs
from lactic.studio.ways import Ways

LANE = 1.5
"""Metres between characters side by side."""
FOLLOW = 0.3
"""Half-life, s, of the distance between the characters and where the stage is centred, and of how fast that moves."""
JUMP = 4.0
"""Metres beyond which the stage is centred at once: after a reset or a cut."""
VISIBLE = 2.0
"""Change of a colour channel, of 255, that is worth sending."""
GHOST, GUEST, ARROW, LEADER = (86, 132, 190), (150, 196, 186), (232, 120, 16), (0, 158, 115)
IDENTITY = ((0, 114, 178), (230, 159, 0), (0, 158, 115))
VIEW, WIDE_VIEW, LOOK, FOV = (3.1, -4.3, 1.75), (7.8, -3.6, 2.5), (0.0, 0.0, 0.88), np.radians(36)
FOG, CLEAR = (9.0, 22.0), 9.0
"""Metres between which the fog thickens, and from a camera up to which it may begin there."""
TRAIL_SECONDS, TRAIL_POINTS = 8.0, 80
SKY, FLOOR = (250, 249, 247), (232, 230, 226)


class Lead(NamedTuple):
    """What a steered character is led by at a frame: the ways on the ground, and the pose of a kinematic one."""

    ways: np.ndarray
    xpos: np.ndarray | None = None
    xquat: np.ndarray | None = None


class Pose(NamedTuple):
    """What is shown of a character at a frame."""

    xpos: np.ndarray
    xquat: np.ndarray
    tint: np.ndarray
    push: np.ndarray
    pushed: int
    lead: "Lead | None" = None


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


class Stage:
    """Keeps the scene as the engine says, whenever `update` is called."""

    def __init__(self, server: viser.ViserServer, engine: Engine):
        self.server, self.engine = server, engine
        self.follow, self.trail = True, False
        self.ways, self.leader = True, False
        """Whether the ways of steered characters are drawn, and the kinematic ones they follow."""
        self.watched = 0
        """The character that is followed."""
        self.titles: list[str] = []
        """What characters side by side are called."""
        scene, camera = server.scene, server.initial_camera
        scene.world_axes.visible = False
        scene.set_up_direction("+z")
        # warmer and dimmer than the default lights, which bleach the tints
        scene.configure_environment_map(None)
        scene.configure_default_lights(False)
        scene.add_light_hemisphere("/sky", sky_color=(255, 252, 248), ground_color=(214, 196, 180), intensity=1.25)
        scene.add_light_directional(
            "/key", color=(255, 246, 234), intensity=1.75, cast_shadow=True, position=(1.6, -1.2, 4.0)
        )
        scene.add_light_directional("/fill", color=(226, 236, 255), intensity=0.45, position=(-3.0, 3.0, 1.5))
        scene.configure_fog(*FOG, color=SKY)
        self._fog, self._retreat = 1.0, Retreat()
        scene.set_background_image(_backdrop(), format="png")
        camera.fov = FOV
        self._aim(1)
        self.world = scene.add_frame("/world", show_axes=False)
        scene.add_grid(
            "/world/ground",
            infinite_grid=True,
            cell_size=0.5,
            section_size=2.0,
            cell_color=(206, 203, 198),
            section_color=(176, 173, 168),
            plane_color=FLOOR,
            plane_opacity=1.0,
            shadow_opacity=0.4,
            fade_distance=24.0,
            fade_strength=1.6,
        )
        self.centre = np.zeros(2)
        self._target, self._drift = np.zeros(2), np.zeros(2)
        self.dolls: list[Doll] = []
        self._nodes: list[Any] = []
        self._arrows: list[Any] = []
        self._trails: list[Any] = []
        self._labels: list[Any] = []
        self.drawn: list[Ways] = []
        self._leaders: list[Doll] = []
        self._ghost: Doll | None = None
        self._guest: Doll | None = None
        self._shown: tuple[list[Character], Character | None, Guest | None] = ([], None, None)

    def update(self, seconds: float) -> None:
        """Show the engine's frame; `seconds` have passed since the last time."""
        engine = self.engine
        with engine.lock:
            if engine.frame == 0:
                engine.advance()  # a first frame to show
            frame, cast, ghost, guest = engine.shown, list(engine.cast), engine.ghost, engine.guest
            poses = [_pose(actor, frame) for actor in cast]
            ghost_pose = _pose(ghost, frame) if ghost and ghost.tape.count > ghost.tape.begin else None
            paths = [_path(actor, frame) for actor in cast] if self.trail else []
        with self.server.atomic():
            if (cast, ghost, guest) != self._shown:
                self._dress(cast, ghost, guest)
            for doll, pose in zip(self.dolls, poses, strict=True):
                doll.pose(pose.xpos, pose.xquat)
                doll.redden(pose.tint)
            if self._ghost and ghost_pose:
                self._ghost.pose(ghost_pose.xpos, ghost_pose.xquat)
            if self._guest and guest:
                at = guest.frame(frame * engine.dt)
                # it keeps step with the others: only its height and its way to and fro are its own
                self._guest.pose(guest.xpos[at], guest.xquat[at])
                off = self.centre - guest.xpos[at, 0, :2]
                self._guest.root.position = (off[0], off[1] + self.lane(-1), 0.0)
            self._show_pushes(poses)
            self._show_trails(paths)
            self._show_titles(poses)
            self._show_leads(poses)
            if self.follow:
                self._centre(poses, seconds)
        self.server.flush()

    def _aim(self, count: int) -> None:
        """Point every camera so that so many characters fit in; whoever looks may then go where they like."""
        position, target = (VIEW, LOOK) if count == 1 else (WIDE_VIEW, LOOK)
        self.server.initial_camera.position, self.server.initial_camera.look_at = position, target
        for client in self.server.get_clients().values():
            client.camera.position, client.camera.look_at = position, target

    def lane(self, k: int) -> float:
        """How far to the left character number `k` stands; −1 is the guest's place beside them."""
        return LANE * ((len(self.dolls) - 1) / 2 - k)

    def _dress(self, cast: list[Character], ghost: Character | None, guest: Guest | None) -> None:
        """New limbs for a new cast."""
        for node in self._nodes:
            node.remove()
        scene = self.server.scene
        if self.dolls and (len(cast) > 1) != (len(self.dolls) > 1):
            self._aim(len(cast))
        self.dolls = [Doll(self.server, f"/world/character{k}", a.body, None, 1.0) for k, a in enumerate(cast)]
        self._arrows, self._trails, self._labels, self.drawn, self._leaders = [], [], [], [], []
        for k, doll in enumerate(self.dolls):
            name = f"/world/character{k}"
            doll.root.position = (0.0, self.lane(k), 0.0)
            self._arrows.append(
                scene.add_arrows(
                    f"{name}/push",
                    np.zeros((1, 2, 3)),
                    ARROW,
                    shaft_radius=0.03,
                    head_radius=0.075,
                    head_length=0.16,
                    visible=False,
                )
            )
            colour = IDENTITY[k] if len(cast) > 1 else (150, 120, 112)
            self._trails.append(
                scene.add_line_segments(
                    f"{name}/trail",
                    np.zeros((1, 2, 3), np.float32),
                    colour,
                    thickness=4.0,
                    thickness_units="screen",
                    visible=False,
                )
            )
            if cast[k].skill.led:
                self.drawn.append(Ways(self.server, name, matched=cast[k].steered is not None))
            if cast[k].steered is not None:
                self._leaders.append(Doll(self.server, f"{name}/leader", cast[k].body, LEADER, 0.3))
            if len(cast) > 1:
                self._labels.append(scene.add_label(f"{name}/label", "", anchor="bottom-center", font_screen_scale=1.1))
        first = cast[0].body
        self._ghost = Doll(self.server, "/world/ghost", first, GHOST, 0.38) if ghost else None
        if self._ghost:
            self._ghost.root.position = (0.0, self.lane(0), 0.0)
        self._guest = Doll(self.server, "/world/guest", first, GUEST, 1.0) if guest else None
        extra = [doll.root for doll in (self._ghost, self._guest) if doll]
        self._nodes = [*(doll.root for doll in self.dolls), *extra]
        self._shown = (cast, ghost, guest)

    def _show_pushes(self, poses: list[Pose]) -> None:
        for arrow, pose in zip(self._arrows, poses, strict=True):
            force = float(np.linalg.norm(pose.push))
            if force:
                way = pose.push / force
                tip = pose.xpos[pose.pushed] + [0, 0, 0.08] - 0.13 * way
                arrow.points = np.stack([tip - way * (0.25 + force / 1000.0), tip])[None].astype(np.float32)
            if arrow.visible != bool(force):
                arrow.visible = bool(force)

    def _show_trails(self, paths: list[np.ndarray]) -> None:
        for k, line in enumerate(self._trails):
            on = bool(paths) and len(paths[k]) > 1
            if on:
                line.points = np.stack([paths[k][:-1], paths[k][1:]], 1).astype(np.float32)
            if line.visible != on:
                line.visible = on

    def _show_titles(self, poses: list[Pose]) -> None:
        for k, (label, pose) in enumerate(zip(self._labels, poses, strict=False)):
            text = self.titles[k] if k < len(self.titles) else ""
            if label.text != text:
                label.text = text
            label.position = (pose.xpos[0, 0], pose.xpos[0, 1], max(1.95, float(pose.xpos[:, 2].max()) + 0.3))

    def _show_leads(self, poses: list[Pose]) -> None:
        for drawn, pose in zip(self.drawn, poses, strict=False):
            drawn.set_visible(self.ways)
            if self.ways and pose.lead is not None:
                drawn.show(pose.lead.ways)
        for leader, pose in zip(self._leaders, poses, strict=False):
            if leader.root.visible != self.leader:
                leader.root.visible = self.leader
            if self.leader and pose.lead is not None and pose.lead.xpos is not None and pose.lead.xquat is not None:
                leader.pose(pose.lead.xpos, pose.lead.xquat)

    def _centre(self, poses: list[Pose], seconds: float) -> None:
        """Move the world under the camera, so that everybody's own orbit goes on; step back where several part."""
        feet = np.array([pose.xpos[0, :2] + [0.0, self.lane(k)] for k, pose in enumerate(poses)])
        feet = feet[together(feet, min(self.watched, len(feet) - 1))]
        target = middle(feet)
        gap, share = target - self.centre, 1 - 0.5 ** (seconds / FOLLOW)
        speed = (target - self._target) / max(seconds, 1e-3)
        if max(np.linalg.norm(gap), np.linalg.norm(target - self._target)) > JUMP:
            share, speed, self._drift = 1.0, np.zeros(2), np.zeros(2)
        # it moves along with them, or whoever runs would run out of the middle
        self._target, self._drift = target, self._drift + share * (speed - self._drift)
        self.centre = self.centre + (gap if share == 1.0 else gap * share + self._drift * seconds)
        self.world.position = (-self.centre[0], -self.centre[1], 0.0)
        clients = self.server.get_clients() if len(poses) > 1 else {}
        self._retreat.forget(set(clients))
        offsets = np.concatenate([feet - self.centre, np.zeros((len(feet), 1))], axis=1)
        away = [self._retreat.step(number, client.camera, offsets, seconds) for number, client in clients.items()]
        self._clear(max(away, default=0.0))

    def _clear(self, distance: float) -> None:
        """Let the fog begin behind characters so far from a camera."""
        times = max(1.0, distance / CLEAR)
        if abs(times / self._fog - 1) > 0.1:
            self._fog = times
            self.server.scene.configure_fog(*(times * at for at in FOG), color=SKY)


def _pose(actor: Character, frame: int) -> Pose:
    tape, at = actor.tape, actor.tape.slot(frame)
    guide, lead = actor.guide, None
    if guide is not None:
        lead = Lead(guide.ways[at].copy(), guide.xpos[at].copy(), guide.xquat[at].copy())
    elif actor.skill.goes:
        lead = Lead(straight(tape.xpos[at, 0, :2], tape.command[at])[None])
    return Pose(
        tape.xpos[at].copy(), tape.xquat[at].copy(), tape.tint(frame), tape.push[at].copy(), tape.pushed[at], lead
    )


def _path(actor: Character, frame: int) -> np.ndarray:
    """Where the root was in the last seconds, on the floor; only since the last jump."""
    tape = actor.tape
    span = round(TRAIL_SECONDS / actor.player.dt)
    slots = tape.slots(frame - span, frame)
    path = tape.xpos[slots, 0] * [1, 1, 0] + [0, 0, 0.012]
    leaps = np.flatnonzero(np.linalg.norm(np.diff(path, axis=0), axis=1) > 0.5)
    path = path[leaps[-1] + 1 :] if len(leaps) else path
    return path[:: -max(1, len(path) // TRAIL_POINTS)][::-1]  # the newest is always there


def _backdrop() -> np.ndarray:
    """A sky that is lightest at the horizon."""
    rows = np.linspace(0, 1, 64)[:, None, None]
    sky = np.array((214, 222, 230)) * (1 - np.minimum(1, rows * 2.2)) + np.array(SKY) * np.minimum(1, rows * 2.2)
    return np.repeat(sky, 8, axis=1).astype(np.uint8)


def _colour(rgb: np.ndarray) -> tuple[int, int, int]:
    r, g, b = (round(float(x)) for x in rgb)
    return r, g, b
