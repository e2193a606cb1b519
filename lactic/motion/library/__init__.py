"""Motion libraries: many clips of one body in one file, and making such a file of folders of motion files."""

from lactic.motion.library.library import Library, collect, concatenate, movement, rows

__all__ = ["Library", "collect", "concatenate", "movement", "rows"]
