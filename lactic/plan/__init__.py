"""Trajectory optimisation: how a body with muscles would jump or swing (jiang2019, Sec. 4.1)."""
