"""Muscles: OpenSim legs, Hill's law, and the torques and effort they allow, exact and learned."""
