"""Training: PPO, AMP as its difference from PPO, checkpoints, and the run that ties them together."""
