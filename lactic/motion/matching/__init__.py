"""Motion matching: a database of frames, and the search for the one that continues best (bergamin2020 Ch. 3)."""

from lactic.motion.matching.build import build
from lactic.motion.matching.database import Database
from lactic.motion.matching.labels import TAGS, Standing, Tagging
from lactic.motion.matching.search import search

__all__ = ["TAGS", "Database", "Standing", "Tagging", "build", "search"]
