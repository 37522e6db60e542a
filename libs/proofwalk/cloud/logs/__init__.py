"""Audit logs that a target file declares: where they are, and how they are read."""
