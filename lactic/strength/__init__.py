"""What a body can still give: intent, load and the limits fatigue leaves."""

from lactic.strength.intent import LoadKind, Spent, load, pd_torque, spend

__all__ = ["LoadKind", "Spent", "load", "pd_torque", "spend"]
