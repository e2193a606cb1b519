"""The controls of characters that are steered: who steers, what is drawn, and how to hold the gamepad."""

from lactic.steer.matching import TAGS
from lactic.studio.desk import Desk
from lactic.studio.guide import ASKED, MATCHED
from lactic.studio.readings import FAINT
from lactic.studio.ways import COLOURS

KEYS = (
    ("W A S D, arrows", "left stick", "go there, as you see it"), ("", "right stick", "look there"),
    ("shift", "right trigger", "run"), ("C", "B or circle", "crouch"))  # fmt: skip


class SteerPanel:
    """A folder in the World panel, there only while somebody can be steered."""

    def __init__(self, desk: Desk):
        self.desk, gui, stage, engine = desk, desk.gui, desk.stage, desk.engine
        with gui.add_folder("Steering") as self.folder:
            gui.add_html(_legend())
            self.missing = gui.add_markdown("", visible=False)
            self.user = gui.add_checkbox("Artificial user", False, hint="Lets the computer move the sticks at random")
            self.user.on_update(desk.guarded(lambda event: engine.hand_over(bool(self.user.value))))
            feels = gui.add_checkbox("Feels the body", engine.feels, hint="Tired legs are asked for less speed")
            feels.on_update(desk.guarded(lambda event: engine.feel(bool(feels.value))))
            ways = gui.add_checkbox("Ways on the ground", stage.ways, hint="Asked for, and that of the matched clip")
            ways.on_update(desk.guarded(lambda event: setattr(stage, "ways", bool(ways.value))))
            leader = gui.add_checkbox("Leader", stage.leader, hint="The kinematic character that it follows")
            leader.on_update(desk.guarded(lambda event: setattr(stage, "leader", bool(leader.value))))
        desk.on_change(self._sync)

    def _sync(self) -> None:
        database = self.desk.engine.skill.database
        self.folder.visible = database is not None
        missing = [tag for tag in TAGS if database is not None and tag not in database.tags_present]
        self.missing.visible = bool(missing)
        self.missing.content = f"Its motion has no {' and no '.join(missing)}: it walks instead."
        self.user.value = self.desk.engine.user is not None


def _legend() -> str:
    rows = "".join(
        f'<tr><td style="font-weight:600">{key}</td><td>{stick}</td><td style="color:{FAINT}">{what}</td></tr>'
        for key, stick, what in KEYS)
    dots = "".join(
        f'<span style="color:rgb{COLOURS[kind]};margin-right:14px">● <span style="color:{FAINT}">{what}</span></span>'
        for kind, what in ((ASKED, "way asked for"), (MATCHED, "way of the clip")))
    return (
        '<div style="padding:2px 6px;font-size:12px"><table style="width:100%;border-spacing:4px 2px">'
        f'{rows}</table><div style="margin:4px">{dots}</div></div>')
