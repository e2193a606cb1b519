"""What a body can still give: intent, load and the limits fatigue leaves."""

from lactic.strength.intent import LoadKind, Spent, fatigued_limit, load, pd_torque, spend

__all__ = ["LoadKind", "Spent", "fatigued_limit", "load", "pd_torque", "spend"]
