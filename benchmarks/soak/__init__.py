"""A long time of ordinary work; start with `__main__`."""
