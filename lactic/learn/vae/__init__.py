"""MuscleVAE (feng2023): posterior, prior and policy of the muscle man, trained through a learned world model."""
