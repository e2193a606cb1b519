"""The muscle man on the stage."""
