"""The laboratory: what trained characters do, measured, and the published tables and figures that Lactic reproduces."""
