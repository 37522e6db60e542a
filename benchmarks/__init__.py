"""Benchmarks: each module is a `make bench-NAME` that leaves `results/NAME.json`,
written by `record`."""
