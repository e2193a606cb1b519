"""The panels beside the stage: every control a person has, each acting on the engine at once."""

import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import viser

from lactic.studio import readings
from lactic.studio.body_panel import BodyPanel
from lactic.studio.compare_panel import ComparePanel
from lactic.studio.desk import LETTERS, Desk
from lactic.studio.engine import FASTEST, SLOWEST, Engine
from lactic.studio.record_panel import RecordPanel
from lactic.studio.stage import Stage
from lactic.studio.steer_panel import SteerPanel, hint

TURN = 15.0
"""Degrees by which a key steers."""
PUSHED = ("pelvis", "torso", "head", "left_hand", "right_hand")


class Panels:
    """Builds the page's controls; `update` reads the engine out a few times a second."""

    def __init__(self, server: viser.ViserServer, engine: Engine, stage: Stage):
        self.engine, self.stage = engine, stage
        self.desk = desk = Desk(server, engine, stage)
        self._busy = threading.Lock()
        self.gui = gui = desk.gui
        gui.main_panel.dock_right()
        gui.main_panel.set_width(372)
        self._transport()
        tabs = gui.add_tab_group()
        with tabs.add_tab("Body"):
            self.body = BodyPanel(desk)
        with tabs.add_tab("World"):
            self._world()
        with tabs.add_tab("Compare"):
            self.compare = ComparePanel(desk)
        with tabs.add_tab("Record"):
            self.record = RecordPanel(desk)
        with tabs.add_tab("Yours"):
            self._yours()
        self._readout()
        desk.on_change(self._sync)
        desk.changed()

    # --- always in sight

    def _transport(self) -> None:
        desk, engine = self.desk, self.engine
        self.pause = desk.button("Pause", lambda event: self._toggle(), icon="player-pause", hint="Space")
        self.transport = desk.gui.add_button_group("Take", ("Step", "Reset"))
        self.transport.on_click(
            desk.guarded(lambda event: engine.single_step() if event.target.value == "Step" else engine.reset())
        )
        self.speed = desk.gui.add_slider(
            "Playback",
            SLOWEST,
            FASTEST,
            0.25,
            1.0,
            hint="Times as fast as real time",
            marks=((0.25, "¼"), (1.0, "1"), (2.0, "2"), (4.0, "4")),
        )
        self.speed.on_update(desk.guarded(lambda event: engine.set_speed(float(self.speed.value))))
        self.who = desk.gui.add_dropdown("Character", (LETTERS[0],), visible=False)
        self.who.on_update(desk.guarded(lambda event: self._pick()))
        keys: tuple[tuple[str, Any, str], ...] = (
            ("Pause or go on", "space", "player-pause"),
            ("One step", "N", "player-track-next"),
            ("Reset", "R", "refresh"),
            ("Push", "P", "hand-finger"),
            ("Steer left", "J", "arrow-left"),
            ("Steer right", "L", "arrow-right"),
        )
        actions = (
            self._toggle,
            engine.single_step,
            engine.reset,
            self._push,
            lambda: self._turn(TURN),
            lambda: self._turn(-TURN),
        )
        for (label, key, icon), action in zip(keys, actions, strict=True):
            command = desk.gui.add_command(label, hotkey=key, icon=icon)
            command.on_trigger(desk.guarded(partial(self._do, action)))

    def _do(self, action: Callable[[], None], event: Any) -> None:
        action()

    def _toggle(self) -> None:
        self.engine.pause(not self.engine.paused)

    def _pick(self) -> None:
        self.desk.chosen = LETTERS.index(self.who.value)
        self.desk.changed()

    # --- World

    def _world(self) -> None:
        desk, gui, engine, stage = self.desk, self.gui, self.engine, self.stage
        self.steer = SteerPanel(desk)
        with gui.add_folder("Heading") as self.steering:
            self.heading = gui.add_slider("Heading °", -180, 180, 5, 0, hint="J and L turn it too")
            self.heading.on_update(desk.guarded(lambda event: engine.steer(math.radians(self.heading.value))))
        with gui.add_folder("Push"):
            self.newtons = gui.add_slider("Force N", 10, 1500, 10, 400)
            self.seconds = gui.add_slider("For s", 0.1, 3.0, 0.1, 1.0)
            self.way = gui.add_slider(
                "Direction °",
                -180,
                180,
                15,
                90,
                marks=((-90, "right"), (0, "forward"), (90, "left")),
                hint="Seen from the character",
            )
            self.where = gui.add_dropdown("At", PUSHED)
            self.push_button = desk.button("Push", lambda event: self._push(), icon="hand-finger", hint="P")
        with gui.add_folder("Asked of it") as self.asked:
            self.own = gui.add_checkbox("Its own programme", True)
            self.phase = gui.add_slider("Pose", 0.0, 1.0, 0.01, 0.0)
            self.own.on_update(desk.guarded(lambda event: self._ask()))
            self.phase.on_update(desk.guarded(lambda event: self._ask(by_hand=True)))
        self.gravity = gui.add_slider(
            "Gravity", 0.0, 20.0, 0.01, 9.81, marks=((1.62, "Moon"), (3.7, "Mars"), (9.81, "Earth")), hint="m/s²"
        )
        self.gravity.on_update(desk.guarded(lambda event: engine.set_gravity(float(self.gravity.value))))
        again = gui.add_checkbox("Auto-restart", engine.restarts, hint="Start again when everybody lies on the ground")
        again.on_update(desk.guarded(lambda event: setattr(engine, "restarts", bool(again.value))))
        follow = gui.add_checkbox("Follow", stage.follow, hint="Keep the characters in the middle")
        follow.on_update(desk.guarded(lambda event: setattr(stage, "follow", bool(follow.value))))
        trail = gui.add_checkbox("Trail", stage.trail, hint="Where the pelvis has been")
        trail.on_update(desk.guarded(lambda event: setattr(stage, "trail", bool(trail.value))))
        ghost = gui.add_checkbox("Ghost", False, hint="The same character without fatigue, from where it is now")
        ghost.on_update(desk.guarded(lambda event: engine.show_ghost(bool(ghost.value))))

    def _push(self) -> None:
        self.engine.push(
            float(self.newtons.value), float(self.way.value), float(self.seconds.value), str(self.where.value)
        )

    def _ask(self, by_hand: bool = False) -> None:
        if by_hand and self.own.value:
            self.own.value = False
        self.engine.ask(None if self.own.value else float(self.phase.value))

    def _turn(self, degrees: float) -> None:
        if self.engine.cast[0].heading is not None:
            turned = (float(self.heading.value) + degrees + 180) % 360 - 180
            self.heading.value = round(turned / 5) * 5
            self.engine.steer(math.radians(turned))

    # --- Yours

    def _yours(self) -> None:
        desk, gui = self.desk, self.gui
        with gui.add_folder("Brain"):
            self.path = gui.add_text("Folder", "", hint="On the machine the studio runs on: brain.onnx, params.yaml")
            desk.button("Load", lambda event: self._load(event), icon="brain")
        with gui.add_folder("Clip"):
            gui.add_markdown("BVH, AMASS npz, DeepMimic text or poselib npy, retargeted beside the simulation.")
            upload = gui.add_upload_button("Open a clip", icon="upload")
            upload.on_upload(desk.guarded(lambda event: self._invite(event, upload)))
            self.about = gui.add_markdown("", visible=False)
            self.dismiss = desk.button("Take it away", lambda event: self._dismiss(), visible=False, color="gray")

    def _load(self, event: Any) -> None:
        self.body.load(str(self.path.value).strip() or "?")
        self.desk.tell(event.client, f"{self.engine.skill.name} is on stage", good=True)

    def _invite(self, event: Any, upload: Any) -> None:
        name, content = upload.value.name, upload.value.content
        waiting = event.client.add_notification("Studio", "Retargeting the clip", loading=True)
        try:
            guest = self.engine.invite(name, content)
        finally:
            waiting.remove()
        self.about.content = readings.plain(guest.about)
        self.about.visible = self.dismiss.visible = True

    def _dismiss(self) -> None:
        self.engine.dismiss()
        self.about.visible = self.dismiss.visible = False

    # --- the readout over the stage

    def _readout(self) -> None:
        panel = self.gui.add_panel()
        with panel.add_tab("Strength left", "heartbeat"):
            self.state = self.gui.add_html("")
        panel.float(x=16, y=-16, width=300)

    def _sync(self) -> None:
        engine = self.engine
        letters = tuple(LETTERS[: len(engine.cast)])
        if tuple(self.who.options) != letters:
            self.who.options = letters
        self.who.value, self.who.visible = LETTERS[self.desk.chosen], len(letters) > 1
        size = engine.skill.brain.info.command
        heading = engine.cast[0].heading
        self.steering.visible, self.asked.visible = heading is not None, size == 1
        if heading is not None:
            self.heading.value = 5 * round(math.degrees(math.remainder(heading, 2 * math.pi)) / 5)
        if size == 1:
            top = float(max(1.0, np.max(engine.skill.programme.commands)))
            self.phase.max = top
        parts = tuple(part for part in PUSHED if part in engine.body.bodies) or engine.body.bodies[:1]
        if tuple(self.where.options) != parts:
            self.where.options = parts
        self.stage.titles = self.compare.titles()

    def update(self) -> None:
        """Read out the frame on show."""
        if not self._busy.acquire(blocking=False):
            return
        try:
            self._show_state()
            self.body.update()
            self.compare.update()
            self.record.update()
        finally:
            self._busy.release()

    def _show_state(self) -> None:
        engine = self.engine
        with engine.lock:
            frame, pace, effort = engine.shown, engine.pace, engine.effort
            left = [1.0 - float(a.tape.fatigue[a.tape.slot(frame), :, 2].mean()) for a in engine.cast]
            mode = "replay" if engine.replaying else "paused" if engine.paused else "live"
            going = readings.going(self.desk.character.tape, frame) if engine.skill.goes else ""
            keys = hint(engine.skill)
        colours = readings.IDENTITY if len(left) > 1 else ("",)
        rows = list(zip(self.compare.titles(), colours, left, strict=False))
        speed = f"{pace:.2f} × real time" if pace is not None else ""
        room = f" · up to {1 / effort:.0f} × possible" if effort > 0 and speed else ""
        html = (
            '<div style="padding:2px 6px 6px">'
            + readings.health(rows)
            + readings.legend()
            + going
            + f'<div data-keys style="font-size:12px;margin-top:7px">{keys}</div>'
            f'<div style="display:flex;justify-content:space-between;font-size:11px;color:{readings.FAINT};'
            'margin-top:7px;font-variant-numeric:tabular-nums">'
            f"<span data-mode>{mode} {frame * engine.dt:.1f} s</span><span data-pace>{speed}{room}</span></div></div>"
        )
        if html != self.state.content:
            self.state.content = html
        label = "Go on" if engine.paused else "Pause"
        if self.pause.label != label:
            self.pause.label, self.pause.icon = label, "player-play" if engine.paused else "player-pause"
        if self.speed.value != engine.speed:
            self.speed.value = engine.speed
