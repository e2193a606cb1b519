"""MuscleVAE (feng2023): a body of 284 muscles. What is here needs no trained controller."""
