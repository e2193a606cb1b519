"""Motion matching: a database of frames, and the search for the one that continues best (bergamin2020 Ch. 3)."""

from lactic.steer.matching.build import build
from lactic.steer.matching.database import Database
from lactic.steer.matching.labels import TAGS
from lactic.steer.matching.search import search

__all__ = ["TAGS", "Database", "build", "search"]
