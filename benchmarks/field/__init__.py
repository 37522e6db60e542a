"""Consoles that nobody here wrote: their own documentation is walked, and counted.

`suite` reads what `suites/field` says of a console, `tasks` finds its procedures in the
documents, `process` runs the console, `installation` the platform, `__main__` walks,
`counting` makes figures, `prove` holds each rule against a scripted walk.
"""
