"""Jiang et al. 2019, "Synthesis of Biologically Realistic Human Motion Using Joint Torque Actuation"."""
