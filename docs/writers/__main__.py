"""`python -m docs.writers`: write every generated file of the documentation."""

from __future__ import annotations

from docs.writers.pages import written

for path, text in written().items():
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
