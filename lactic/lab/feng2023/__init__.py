"""MuscleVAE (feng2023): a body of 284 muscles. fig9 and fig10 need no trained controller, the others do."""
