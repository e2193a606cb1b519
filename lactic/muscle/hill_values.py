"""Numbers of the Hill curves, shared by `hill` (torch), which says where they come from, and `swift` (compiled)."""

GAUSSIANS = (  # height, centre, width, growth of the width with length
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
VELOCITY = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)  # the first and the last are OpenSim's
PASSIVE_SHAPE, PASSIVE_STRAIN = 4.0, 0.6
PASSIVE_CAP = 1.0
"""Largest passive force as a share of the maximal isometric one. With a rigid tendon fibres reach twice their optimal
length at the ends of the joints' ranges, where the exponential gives up to 27 times what the muscle can pull."""
