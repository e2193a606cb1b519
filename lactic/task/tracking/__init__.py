"""Following any motion of a library: what is seen, asked and paid."""
