"""Lactic: physically simulated characters with a finite body."""

__version__ = "0.1.0"
