"""The panels beside the stage: every control a person has, each acting on the engine at once."""

import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import viser

from lactic.picture.muscles import LEGENDS, has_muscles
from lactic.picture.stage import LEGEND
from lactic.studio import readings
from lactic.studio.body_panel import BodyPanel
from lactic.studio.compare_panel import ComparePanel
from lactic.studio.controls import LETTERS, Controls, offer, show_html
from lactic.studio.engine import Engine
from lactic.studio.realtime import FASTEST, SLOWEST
from lactic.studio.record_panel import RecordPanel
from lactic.studio.stage import Stage
from lactic.studio.steer_panel import SteerPanel, hint

TURN = 15.0
"""Degrees by which a key steers."""
PUSHED = ("pelvis", "torso", "head", "left_hand", "right_hand")
BRAND = (184, 33, 84)


class Panels:
    """Builds the page's controls; `update` reads the engine out a few times a second."""

    def __init__(self, server: viser.ViserServer, engine: Engine, stage: Stage):
        self.engine, self.stage = engine, stage
        self.controls = controls = Controls(server, engine, stage)
        self._busy = threading.Lock()
        self.gui = gui = controls.gui
        self._theme(False)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(372)
        self._transport()
        tabs = gui.add_tab_group()
        with tabs.add_tab("Body"):
            self.body = BodyPanel(controls)
        with tabs.add_tab("World"):
            self._world()
        with tabs.add_tab("Compare"):
            self.compare = ComparePanel(controls)
        with tabs.add_tab("Record"):
            self.record = RecordPanel(controls)
        with tabs.add_tab("Yours"):
            self._yours()
        panel = gui.add_panel()
        with panel.add_tab("Strength left", "heartbeat"):
            self.state = gui.add_html("")
        panel.float(x=16, y=-16, width=300)
        controls.on_change(self._sync)
        controls.changed()

    def _theme(self, dark: bool) -> None:
        self.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND, dark_mode=dark)
        self.stage.set_dark(dark)

    # --- always in sight

    def _transport(self) -> None:
        gui, engine, when = self.gui, self.engine, self.controls.when
        self.pause = gui.add_button("Pause", icon="player-pause", hint="Space")
        self.controls.when_pressed(self.pause, self._toggle)
        self.transport = when(
            gui.add_button_group("Simulation", ("Step", "Reset")),
            lambda pressed: engine.single_step() if pressed == "Step" else engine.reset(),
        )
        marks = ((0.25, "¼"), (1.0, "1"), (2.0, "2"), (4.0, "4"))
        self.speed = when(
            gui.add_slider("Playback", SLOWEST, FASTEST, 0.25, 1.0, hint="Times as fast as real time", marks=marks),
            engine.set_speed,
        )
        self.choice = when(gui.add_dropdown("Character", (LETTERS[0],), visible=False), self._pick)
        keys: tuple[tuple[str, str, str, Callable[[], None]], ...] = (
            ("Pause or go on", "space", "player-pause", self._toggle),
            ("One step", "N", "player-track-next", engine.single_step),
            ("Reset", "R", "refresh", engine.reset),
            ("Push", "P", "hand-finger", self._push),
            ("Steer left", "J", "arrow-left", partial(self._turn, TURN)),
            ("Steer right", "L", "arrow-right", partial(self._turn, -TURN)),
        )
        for label, key, icon, action in keys:
            command = gui.add_command(label, hotkey=key, icon=icon)
            self.controls.when_pressed(command, action)

    def _toggle(self) -> None:
        self.engine.pause(not self.engine.paused)

    def _pick(self, letter: str) -> None:
        self.controls.chosen = LETTERS.index(letter)
        self.controls.changed()

    # --- World

    def _world(self) -> None:
        gui, engine, stage, when = self.gui, self.engine, self.stage, self.controls.when
        self.steer = SteerPanel(self.controls)
        with gui.add_folder("Heading") as self.steering:
            self.heading = when(
                gui.add_slider("Heading °", -180, 180, 5, 0, hint="J and L turn it too"),
                lambda degrees: engine.set_heading(math.radians(degrees)),
            )
        with gui.add_folder("Push"):
            self.newtons = gui.add_slider("Force N", 10, 1500, 10, 400)
            self.seconds = gui.add_slider("Duration s", 0.1, 3.0, 0.1, 1.0)
            marks: Any = ((-90, "right"), (0, "forward"), (90, "left"))
            self.way = gui.add_slider("Direction °", -180, 180, 15, 90, marks=marks, hint="Seen from the character")
            self.where = gui.add_dropdown("Body part", PUSHED)
            self.controls.when_pressed(gui.add_button("Push", icon="hand-finger", hint="P"), self._push)
        with gui.add_folder("Pose") as self.asked:
            self.own = when(gui.add_checkbox("Its own programme", True), lambda _: self._ask())
            self.phase = when(gui.add_slider("Pose", 0.0, 1.0, 0.01, 0.0), lambda _: self._ask(by_hand=True))
        marks = ((1.62, "Moon"), (3.7, "Mars"), (9.81, "Earth"))
        self.gravity = when(gui.add_slider("Gravity m/s²", 0.0, 20.0, 0.01, 9.81, marks=marks), engine.set_gravity)
        boxes: tuple[tuple[str, bool, str, Callable[[bool], None]], ...] = (
            (
                "Auto-restart",
                engine.restarts,
                "Start again when everybody lies on the ground",
                partial(setattr, engine, "restarts"),
            ),
            ("Follow", stage.follow, "Keep the characters in the middle", partial(setattr, stage, "follow")),
            ("Trail", stage.trail, "Where the pelvis has been", partial(setattr, stage, "trail")),
            ("Ghost", False, "The same character without fatigue, from where it is now", engine.show_ghost),
            ("Dark", False, "A dark page and a stage by night", self._theme),
        )
        for label, on, what, action in boxes:
            when(gui.add_checkbox(label, on, hint=what), action)

    def _push(self) -> None:
        self.engine.push(self.newtons.value, self.way.value, self.seconds.value, self.where.value)

    def _ask(self, by_hand: bool = False) -> None:
        if by_hand and self.own.value:
            self.own.value = False
        self.engine.ask(None if self.own.value else float(self.phase.value))

    def _turn(self, degrees: float) -> None:
        if self.engine.cast[0].heading is not None:
            turned = (float(self.heading.value) + degrees + 180) % 360 - 180
            self.heading.value = round(turned / 5) * 5
            self.engine.set_heading(math.radians(turned))

    # --- Yours

    def _yours(self) -> None:
        gui, controls = self.gui, self.controls
        with gui.add_folder("Brain"):
            self.path = gui.add_text("Folder", "", hint="On the machine the studio runs on: brain.onnx, params.yaml")
            controls.when_by(gui.add_button("Load", icon="brain"), self._load)
        with gui.add_folder("Clip"):
            gui.add_markdown("BVH, AMASS npz, DeepMimic text or poselib npy, retargeted beside the simulation.")
            controls.when_by(gui.add_upload_button("Open a clip", icon="upload"), self._invite)
            self.about = gui.add_markdown("", visible=False)
            hint = "A body follows the clip again and again, and tires"
            self.tire = gui.add_button("Tire it", icon="heartbeat", visible=False, hint=hint)
            controls.when_by(self.tire, self._tire)
            self.dismiss = gui.add_button("Remove the clip", visible=False, color="gray")
            controls.when_pressed(self.dismiss, self._dismiss)

    def _load(self, event: Any) -> None:
        self.body.load(str(self.path.value).strip() or "?")
        self.controls.tell(event.client, f"{self.engine.skill.name} is on stage", good=True)

    def _invite(self, event: Any) -> None:
        waiting = event.client.add_notification("Studio", "Retargeting the clip", loading=True)
        try:
            guest = self.engine.invite(event.target.value.name, event.target.value.content)
        finally:
            waiting.remove()
        self.about.content = readings.plain(guest.about)
        self.controls.changed()

    def _tire(self, event: Any) -> None:
        self.engine.tire()
        self.controls.changed()
        motion = self.engine.skill.motion
        self.controls.tell(event.client, f"{self.engine.skill.name} follows {motion and motion.name}", good=True)

    def _dismiss(self) -> None:
        self.engine.dismiss()
        self.controls.changed()

    # --- what is now the case

    def _sync(self) -> None:
        engine, heading = self.engine, self.engine.cast[0].heading
        letters = tuple(LETTERS[: len(engine.cast)])
        offer(self.choice, letters)
        self.choice.value, self.choice.visible = LETTERS[self.controls.chosen], len(letters) > 1
        self.steering.visible, self.asked.visible = heading is not None, engine.skill.brain.info.command == 1
        if heading is not None:
            self.heading.value = 5 * round(math.degrees(math.remainder(heading, 2 * math.pi)) / 5)
        if self.asked.visible:
            self.phase.max = float(max(1.0, engine.skill.programme.commands.max()))
        offer(self.where, tuple(part for part in PUSHED if part in engine.body.bodies) or engine.body.bodies[:1])
        for handle in (self.about, self.dismiss, self.tire):
            handle.visible = engine.guest is not None
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
            going = readings.going(self.controls.actor.tape, frame) if engine.skill.goes else ""
            motion = engine.skill.motion
            if motion is not None:
                going = readings.following(self.controls.actor.tape, frame, motion.name)
            keys = hint(engine.skill)
        colours = readings.IDENTITY if len(left) > 1 else ("",)
        rows = list(zip(self.compare.titles(), colours, left, strict=False))
        speed = f"{pace:.2f} × real time" if pace is not None else ""
        room = f" · up to {1 / effort:.0f} × possible" if effort > 0 and speed else ""
        clock, real = (
            f"<span data-mode>{mode} {frame * engine.dt:.1f} s</span>",
            f"<span data-pace>{speed}{room}</span>",
        )
        parts = (
            readings.health(rows),
            readings.legend(LEGENDS[self.stage.look[0]] if has_muscles(engine.body) else LEGEND),
            going,
            f'<div data-keys style="font-size:12px;margin-top:7px">{keys}</div>',
            readings.apart(clock, real, f"font-size:11px;color:{readings.FAINT};margin-top:7px"),
        )
        show_html(self.state, f'<div style="padding:2px 6px 6px">{"".join(parts)}</div>')
        label = "Go on" if engine.paused else "Pause"
        if self.pause.label != label:
            self.pause.label, self.pause.icon = label, "player-play" if engine.paused else "player-pause"
        if self.speed.value != engine.speed:
            self.speed.value = engine.speed
