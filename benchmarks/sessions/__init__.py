"""`make bench-sessions`: what many sessions cost; see `__main__`."""
