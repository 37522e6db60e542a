"""Releases side by side, forth and back, while verifications are under way; start with
`__main__`."""
