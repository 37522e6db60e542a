"""Writes the references and diagrams of `docs/` from the code: `make reference`.

Each module of this package reads one kind of source and returns a page as text; none of
them keeps a list of its own. `pages.text_of` gives the text of each generated file,
`__main__` writes them, and tests/docs/test_reference.py compares them with what is
committed. `picture` is apart: it needs a browser and a walk of two minutes.
"""
