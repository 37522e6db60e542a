"""Documents in, procedures out: fetching, the three formats, and the sub-steps with the
lines they stand on. See `model`."""
