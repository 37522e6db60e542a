"""Readings held against labels: `make bench-readings` (see
`benchmarks.readings.__main__`)."""
