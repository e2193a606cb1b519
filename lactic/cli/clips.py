"""The verbs of `lactic clips`."""

import sys
from pathlib import Path
from typing import Annotated

import tyro

from lactic.listing import facts_of, table

app = tyro.extras.SubcommandApp()
Name = tyro.conf.Positional[str]
AsJson = Annotated[bool, tyro.conf.FlagCreatePairsOff]


@app.command
def inspect(
    file: Name,
    body: str | None = None,
    map: Path | None = None,
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Say what is in a motion file (BVH, AMASS npz, DeepMimic txt, poselib npy) or a fetched clip.

    Args:
        file: a file, or the name of a fetched clip.
        body: also say how well it fits this body.
        map: YAML file that says which joint plays which part (see `lactic clips map`).
        as_json: print JSON.
    """
    from lactic.motion import commands
    from lactic.motion.roles import read_map

    facts_of(commands.inspect(file, body, roles=read_map(map)), as_json)


@app.command
def convert(
    source: Name,
    target: Name,
    body: str | None = None,
    fps: float | None = None,
    mirror: bool = False,
    loop: int = 1,
    start: float | None = None,
    end: float | None = None,
    unit: str = "m",
    map: Path | None = None,
) -> None:
    """Convert a motion file to BVH or to Lactic's npz, retargeted where a body is named.

    Args:
        source: a file, or the name of a fetched clip.
        target: what to write: .bvh, or .npz for training (needs --body).
        body: retarget to this body, such as humanoid.
        fps: frames a second of the result.
        mirror: exchange left and right.
        loop: repeat so many times, carrying the motion on.
        start: first second to keep.
        end: last second to keep.
        unit: of the BVH: m, cm or inch.
        map: YAML file that says which joint plays which part (see `lactic clips map`).
    """
    from lactic.motion import commands
    from lactic.motion.roles import read_map

    facts = commands.convert(
        source,
        target,
        body=body,
        fps=fps,
        mirror=mirror,
        loop=loop,
        start=start,
        end=end,
        unit=unit,
        roles=read_map(map),
    )
    facts_of(facts, False)


@app.command
def map(clip: Name, out: Path | None = None, as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False) -> None:
    """Write which joint of a motion file plays which part, to edit and to give back with --map.

    Args:
        clip: a file, or the name of a fetched clip.
        out: the YAML file to write; by default CLIP.map.yaml in this folder.
        as_json: print JSON.
    """
    from lactic.motion import commands

    facts_of(commands.propose_map(clip, out), as_json)


@app.command
def fetch(source: Name, as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False) -> None:
    """Fetch public clips into the cache folder: `lactic clips fetch deepmimic`.

    Args:
        source: deepmimic, 15 clips out of the pybullet package of your own package index.
        as_json: print JSON.
    """
    from lactic.motion import commands

    table(commands.fetch(source, say=lambda line: print(line, file=sys.stderr)), as_json)


@app.command
def prepare(
    data: Name,
    out: Path = Path("clips"),
    names: Annotated[tuple[str, ...], tyro.conf.arg(name="clip")] = (),
    as_json: Annotated[AsJson, tyro.conf.arg(name="json")] = False,
) -> None:
    """Retarget the clips that Lactic's own characters are trained from, wherever they lie below a folder.

    Args:
        data: folder with the original files (DeepMimic, IsaacGymEnvs, CMU, ReActIdle), archives unpacked.
        out: folder for the retargeted clips, for `lactic train --clips`.
        names: only these.
        as_json: print JSON.
    """
    from lactic.motion.skills import prepare as make

    table(make(data, out, names), as_json)
