"""Bergamin 2020, "High-Performance Data-Driven Control of Physically-Based Human Characters" (DReCon)."""
