"""Attacks on the platform, counted: each module measures one kind, `measure()` gives its figures."""
