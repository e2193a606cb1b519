"""People: whether characters tire, slow down, rest, recover and move as people do; each number beside its target."""
