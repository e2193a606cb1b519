"""Motion clips."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lactic.cli.terminal import AsJson, Flat, Map, Name, facts_of, say, table

app = tyro.extras.SubcommandApp()


@app.command
def inspect(file: Name, body: str | None = None, roles: Map = None, as_json: AsJson = False) -> None:
    """Say what is in a motion file (BVH, AMASS npz, DeepMimic txt, poselib npy) or a fetched clip.

    Args:
        file: a file, or the name of a fetched clip.
        body: also say how well it fits this body.
    """
    from lactic.motion import commands
    from lactic.motion.roles import read_map

    facts_of(commands.inspect(file, body, roles=read_map(roles)), as_json)


@dataclass(frozen=True)
class ConvertOptions:
    """How a motion is converted."""

    body: str | None = None
    """retarget to this body, such as humanoid."""
    fps: float | None = None
    """frames a second of the result."""
    mirror: bool = False
    """exchange left and right."""
    loop: int = 1
    """repeat so many times, carrying the motion on."""
    start: float | None = None
    """first second to keep."""
    end: float | None = None
    """last second to keep."""
    unit: str = "m"
    """of the BVH: m, cm or inch."""


@app.command
def convert(source: Name, target: Name, options: Annotated[ConvertOptions, Flat], roles: Map = None) -> None:
    """Convert a motion file to BVH or to Lactic's npz, retargeted where a body is named.

    Args:
        source: a file, or the name of a fetched clip.
        target: what to write: .bvh, or .npz for training (needs --body).
    """
    from lactic.motion import commands
    from lactic.motion.roles import read_map

    facts_of(commands.convert(source, target, roles=read_map(roles), **vars(options)))


@app.command
def map(clip: Name, out: Path | None = None, as_json: AsJson = False) -> None:
    """Write which joint of a motion file plays which part, to edit and to give back with --map.

    Args:
        clip: a file, or the name of a fetched clip.
        out: the YAML file to write; by default CLIP.map.yaml in this folder.
    """
    from lactic.motion import commands

    facts_of(commands.propose_map(clip, out), as_json)


@app.command
def fetch(source: Name, as_json: AsJson = False) -> None:
    """Fetch public clips into the cache folder: `lactic clips fetch deepmimic`.

    Args:
        source: deepmimic, 15 clips out of the pybullet package of your own package index.
    """
    from lactic.motion import commands

    table(commands.fetch(source, say=say), as_json)


@app.command
def prepare(
    data: Name,
    out: Path = Path("clips"),
    names: Annotated[tuple[str, ...], tyro.conf.arg(name="clip")] = (),
    as_json: AsJson = False,
) -> None:
    """Retarget the clips that Lactic's own characters are trained from, wherever they lie below a folder.

    Args:
        data: folder with the original files (DeepMimic, IsaacGymEnvs, CMU, ReActIdle), archives unpacked.
        out: folder for the retargeted clips, for `lactic train --clips`.
        names: only these.
    """
    from lactic.motion.skills import prepare as make

    table(make(data, out, names), as_json)
