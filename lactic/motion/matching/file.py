"""Databases as files: npz of named arrays. Only poses, clips and settings are kept; all else follows from them."""

from pathlib import Path

from lactic.errors import InputError
from lactic.motion.matching.database import Database


def save(database: Database, path: str | Path) -> None:
    """Write a database."""
    raise InputError(f"{path}: cannot be written yet")


def load(path: str | Path) -> Database:
    """Read a database."""
    raise InputError(f"{path}: cannot be read yet")
