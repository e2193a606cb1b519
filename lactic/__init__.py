"""Lactic: physically simulated characters with a finite body."""

import os

__version__ = "0.1.0"

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # onnxruntime tells its makers of each session unless told before
