"""The muscle man, played: a player around worlds of muscle men, and what drives it."""

from lactic.play.man.drivers import FollowingMan, Sampling, library_of
from lactic.play.man.player import MusclePlayer

__all__ = ["FollowingMan", "MusclePlayer", "Sampling", "library_of"]
