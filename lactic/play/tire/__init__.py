"""`lactic tire`: a clip of one's own, followed by a body that tires, and put back on the clip's skeleton."""
