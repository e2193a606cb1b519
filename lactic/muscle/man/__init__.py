"""The muscle man's 284 muscles: paths, Hill's law, muscle-space PD and 3CC-r (feng2023)."""
