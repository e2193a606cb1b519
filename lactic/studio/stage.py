"""The stage as the browser shows it: ground, light, actors, a ghost, a guest from a clip, and where it is centred."""

from typing import Any

import numpy as np
import viser

from lactic.picture.muscles import By
from lactic.studio.actor import StageActor
from lactic.studio.camera import Retreat, middle, together
from lactic.studio.engine import Engine
from lactic.studio.guest import Guest
from lactic.studio.views import ActorView, Doll, Moment, moment

LANE = 1.5
"""Metres between actors side by side."""
FOLLOW = 0.3
"""Half-life, s, of the distance between the actors and where the stage is centred, and of how fast that moves."""
JUMP = 4.0
"""Metres beyond which the stage is centred at once: after a reset or a cut."""
GHOST, GUEST = (86, 132, 190), (150, 196, 186)
IDENTITY = ((0, 114, 178), (230, 159, 0), (0, 158, 115))
VIEW, WIDE_VIEW, LOOK, FOV = (3.1, -4.3, 1.75), (7.8, -3.6, 2.5), (0.0, 0.0, 0.88), np.radians(36)
FOG, CLEAR = (9.0, 22.0), 9.0
"""Metres between which the fog thickens, and from a camera up to which it may begin there."""
BY_DAY = ((214, 222, 230), (250, 249, 247), (232, 230, 226), (206, 203, 198), (176, 173, 168))
BY_NIGHT = ((16, 18, 24), (34, 36, 42), (46, 47, 51), (62, 63, 67), (84, 84, 88))
"""Colours of the zenith, the horizon with its fog, the ground, its cells and its sections."""


class Stage:
    """Keeps the scene as the engine says, whenever `update` is called."""

    def __init__(self, server: viser.ViserServer, engine: Engine):
        self.server, self.engine = server, engine
        self.follow, self.trail = True, False
        self.paths, self.leader = True, False
        """Whether the paths of actors that are steered are drawn, and their leaders."""
        self.look: tuple[By, By] = ("fatigue", "activation")
        """What colour and width of muscles show."""
        self.watched = 0
        """The actor that is followed."""
        self.titles: list[str] = []
        """What actors side by side are called."""
        scene = server.scene
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
        self._fog, self._retreat = 1.0, Retreat()
        server.initial_camera.fov = FOV
        self._aim(1)
        self.world = scene.add_frame("/world", show_axes=False)
        self.ground = scene.add_grid(
            "/world/ground",
            infinite_grid=True,
            cell_size=0.5,
            section_size=2.0,
            plane_opacity=1.0,
            shadow_opacity=0.4,
            fade_distance=24.0,
            fade_strength=1.6,
        )
        self.set_dark(False)
        self.centre = np.zeros(2)
        self._target, self._drift = np.zeros(2), np.zeros(2)
        self.views: list[ActorView] = []
        self._ghost: Doll | None = None
        self.guest: Doll | None = None
        self._shown: tuple[list[StageActor], StageActor | None, Guest | None] = ([], None, None)

    def set_dark(self, dark: bool) -> None:
        """The stage by night or by day."""
        zenith, self._horizon, ground, cells, sections = BY_NIGHT if dark else BY_DAY
        self.ground.plane_color, self.ground.cell_color, self.ground.section_color = ground, cells, sections
        rows = np.minimum(1, np.linspace(0, 2.2, 64))[:, None, None]  # the horizon lies at the rows' middle
        sky = np.array(zenith) * (1 - rows) + np.array(self._horizon) * rows
        self.server.scene.set_background_image(np.repeat(sky, 8, axis=1).astype(np.uint8), format="png")
        self._set_fog()

    def _set_fog(self) -> None:
        near, far = (self._fog * at for at in FOG)
        self.server.scene.configure_fog(near, far, color=self._horizon)

    def update(self, seconds: float) -> None:
        """Show the engine's frame; `seconds` have passed since the last time."""
        engine = self.engine
        with engine.lock:
            if engine.frame == 0:
                engine.advance()  # a first frame to show
            frame, cast, ghost, guest = engine.shown, list(engine.cast), engine.ghost, engine.guest
            moments = [moment(actor, frame) for actor in cast]
            ghostly = moment(ghost, frame) if ghost and ghost.tape.count > ghost.tape.begin else None
        with self.server.atomic():
            if (cast, ghost, guest) != self._shown:
                self._dress(cast, ghost, guest)
            titles = [*self.titles, *[""] * len(cast)]
            for view, now, title in zip(self.views, moments, titles, strict=False):
                view.show(now, title, self.trail, self.paths, self.leader, self.look)
            if self._ghost and ghostly:
                self._ghost.pose(ghostly.xpos, ghostly.xquat)
            followed = moments[min(self.watched, len(moments) - 1)].clip
            if self.guest and followed:
                self.guest.pose(*followed)
                self.guest.root.position = (0.0, self.lane(-1), 0.0)
            elif self.guest and guest:
                at = guest.frame(frame * engine.dt)
                # it keeps step with the others: only its height and its way to and fro are its own
                self.guest.pose(guest.xpos[at], guest.xquat[at])
                off = self.centre - guest.xpos[at, 0, :2]
                self.guest.root.position = (off[0], off[1] + self.lane(-1), 0.0)
            if self.follow:
                self._centre(moments, seconds)
        self.server.flush()

    def _aim(self, count: int) -> None:
        """Point every camera so that so many actors fit in; whoever looks may then go where they like."""
        cameras: list[Any] = [
            self.server.initial_camera,
            *(client.camera for client in self.server.get_clients().values()),
        ]
        for camera in cameras:
            camera.position, camera.look_at = VIEW if count == 1 else WIDE_VIEW, LOOK

    def lane(self, k: int) -> float:
        """How far to the left actor number `k` stands; −1 is the guest's place beside them."""
        return LANE * ((len(self._shown[0]) - 1) / 2 - k)

    def _dress(self, cast: list[StageActor], ghost: StageActor | None, guest: Guest | None) -> None:
        """New limbs for a new cast."""
        for doll in (*(view.doll for view in self.views), self._ghost, self.guest):
            if doll is not None:
                doll.root.remove()
        several = len(cast) > 1
        if self.views and several != (len(self.views) > 1):
            self._aim(len(cast))
        self._shown = (cast, ghost, guest)
        self.views = [
            ActorView(self.server, f"/world/actor{k}", actor, self.lane(k), IDENTITY[k] if several else None)
            for k, actor in enumerate(cast)
        ]
        body = cast[0].body
        self._ghost = Doll(self.server, "/world/ghost", body, GHOST, 0.38) if ghost else None
        if self._ghost:
            self._ghost.root.position = (0.0, self.lane(0), 0.0)
        self.guest = Doll(self.server, "/world/guest", body, GUEST, 1.0) if guest or cast[0].tracked else None

    def _centre(self, moments: list[Moment], seconds: float) -> None:
        """Move the world under the camera, so that everybody's own orbit goes on; step back where several part."""
        feet = np.array([now.xpos[0, :2] + [0.0, self.lane(k)] for k, now in enumerate(moments)])
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
        clients = self.server.get_clients() if len(moments) > 1 else {}
        self._retreat.forget(set(clients))
        offsets = np.concatenate([feet - self.centre, np.zeros((len(feet), 1))], axis=1)
        away = [self._retreat.step(number, client.camera, offsets, seconds) for number, client in clients.items()]
        times = max(1.0, max(away, default=0.0) / CLEAR)  # the fog begins behind actors so far from a camera
        if abs(times / self._fog - 1) > 0.1:
            self._fog = times
            self._set_fog()
