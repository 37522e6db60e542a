"""`python -m docs.writers`: write every generated file of the documentation."""

from __future__ import annotations

from docs.writers.pages import GENERATED, text_of

for path in GENERATED:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(path), encoding="utf-8")
