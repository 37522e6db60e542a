"""Goodput beyond capacity; start with `__main__`."""
