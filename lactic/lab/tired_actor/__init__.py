"""Tired Actor: one policy that follows a whole motion library while it tires. The library here is CMU's, not AMASS."""
