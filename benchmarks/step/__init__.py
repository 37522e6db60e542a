"""`make bench-step`: what acting costs; see `__main__`."""
