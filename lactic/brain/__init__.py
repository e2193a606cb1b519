"""The brain: one module from state to targets, gains, limits and the next fatigue state, shipped as one ONNX file.

`module` and `export` need torch; `file` runs an exported brain and does not.
"""
