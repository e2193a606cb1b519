"""The controls of characters that are steered: who steers, what is drawn, and how to hold the gamepad."""

from functools import partial

from lactic.play.velocity import FASTEST, RUN, WALK
from lactic.steer.matching import TAGS
from lactic.studio.controls import Controls
from lactic.studio.engine import HANDS_OFF
from lactic.studio.paths import ASKED, COLOURS, MATCHED
from lactic.studio.readings import FAINT
from lactic.studio.skill import LoadedSkill

GO, LOOK, CROUCH = (
    ("W A S D, arrows", "left stick", "go there, as you see it"),
    ("", "right stick", "look there"),
    ("C", "B or circle", "crouch"),
)
SHIFT = ("shift", "right trigger", "run")


class SteerPanel:
    """A folder in the World panel, there only while an actor can be steered."""

    def __init__(self, controls: Controls):
        self.controls, gui, when = controls, controls.gui, controls.when
        stage, engine = controls.stage, controls.engine
        with gui.add_folder("Steering") as self.folder:
            self.legend = gui.add_html("")
            self.missing = gui.add_markdown("", visible=False)
            self.own = gui.add_checkbox(
                "Its own programme", True, hint="Walks, runs, turns, stops and sets out again while nobody steers"
            )
            when(self.own, lambda _: self._ask())
            marks, hint = ((0.0, "stand"), (WALK, "walk"), (RUN, "run")), "Asked for instead of the programme"
            self.pace = gui.add_slider("Speed m/s", 0.0, FASTEST, 0.1, WALK, marks=marks, hint=hint)
            when(self.pace, lambda _: self._ask(by_hand=True))
            self.user = gui.add_checkbox("Artificial user", False, hint="Lets the computer move the sticks at random")
            when(self.user, engine.hand_over)
            self.feels = gui.add_checkbox("Feels the body", engine.feels, hint="Tired legs are asked for less speed")
            when(self.feels, engine.feel)
            paths = gui.add_checkbox("Paths on the ground", stage.paths, hint="Where it is asked to be within a second")
            when(paths, partial(setattr, stage, "paths"))
            self.leader = gui.add_checkbox("Leader", stage.leader, hint="The kinematic character that it follows")
            when(self.leader, partial(setattr, stage, "leader"))
        controls.on_change(self._sync)

    def _ask(self, by_hand: bool = False) -> None:
        if by_hand and self.own.value:
            self.own.value = False
        self.controls.engine.ask(None if self.own.value else float(self.pace.value))
        self.controls.changed()

    def _sync(self) -> None:
        skill, engine = self.controls.engine.skill, self.controls.engine
        self.folder.visible = skill.led
        if not skill.led:
            return
        self.legend.content = legend(skill)
        missing = [tag for tag in TAGS if skill.database is not None and tag not in skill.database.tags_present]
        self.missing.visible = bool(missing)
        self.missing.content = f"Its motion has no {' and no '.join(missing)}: it walks instead."
        self.user.value = engine.user is not None
        self.own.visible = self.pace.visible = skill.goes
        if skill.goes:
            self.own.value = engine.cast[0].phase is None
        self.user.visible = self.feels.visible = self.leader.visible = skill.database is not None


def legend(skill: LoadedSkill) -> str:
    """The keys and sticks that steer a skill, and what is drawn on the ground."""
    paths = [(ASKED, "path asked for")] + ([] if skill.goes else [(MATCHED, "path of the clip")])
    rows = "".join(
        f'<tr><td style="font-weight:600">{key}</td><td>{stick}</td><td style="color:{FAINT}">{what}</td></tr>'
        for key, stick, what in ((GO, SHIFT) if skill.goes else (GO, LOOK, SHIFT, CROUCH))
    )
    dots = "".join(
        f'<span style="color:rgb{COLOURS[kind]};margin-right:14px">● <span style="color:{FAINT}">{what}</span></span>'
        for kind, what in paths
    )
    back = f"Let go for {HANDS_OFF:g} s, and it goes on by itself." if skill.goes else ""
    return (
        '<div style="padding:2px 6px;font-size:12px"><table style="width:100%;border-spacing:4px 2px">'
        f'{rows}</table><div style="margin:4px;color:{FAINT}">{back}</div><div style="margin:4px">{dots}</div></div>'
    )


def hint(skill: LoadedSkill) -> str:
    """The keys that steer a skill, or what else makes it do something, in a line; nothing where nothing does."""
    if skill.motion is not None:
        return "It follows the clip that you open under <i>Yours</i>"
    if not skill.led:
        return ""
    return "Steer it: W A S D or arrows · shift runs" + ("" if skill.goes else " · C crouches")
