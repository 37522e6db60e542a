"""Composes roles, into one process or each alone, and says how they are reached.

Start with `settings` and `roles`; `installation` runs or finds them, `laboratories`
runs them for experiments.
"""
