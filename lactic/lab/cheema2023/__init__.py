"""Cheema et al. 2023, "Discovering Fatigued Movements for Virtual Character Animation": its table and figures."""
