"""Steering: motion matching and the kinematic character that a gamepad leads."""
