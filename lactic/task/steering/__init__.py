"""Following a kinematic character: what is seen, asked and paid."""
