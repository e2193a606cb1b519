"""What a body can still give: intent, load and the limits fatigue leaves."""

from lactic.strength.intent import fatigued_limit, load, pd_torque

__all__ = ["fatigued_limit", "load", "pd_torque"]
