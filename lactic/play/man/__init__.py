"""The muscle man, played: a player around worlds of muscle men, and what drives it."""

from lactic.play.man.drivers import AskedMan, FollowingMan, Sampling, Velocities, library_of
from lactic.play.man.player import MusclePlayer

__all__ = ["AskedMan", "FollowingMan", "MusclePlayer", "Sampling", "Velocities", "library_of"]
