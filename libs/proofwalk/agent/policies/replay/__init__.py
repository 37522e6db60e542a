"""Replay of a verified walk without a model: `recording` → `compilation` → `script` →
`policy`; `export` writes it for Playwright."""
