"""The one exception a person at the keyboard is meant to read."""


class InputError(ValueError):
    """Something the user gave is wrong: one line that says what, where and what to do (exit code 2)."""
