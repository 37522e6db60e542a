"""What every process needs, and nothing that knows what a role does.

Start with `role`, the life of a process; then `settings`, `database` (SQL is the
truth), `streams` (Redis only rings), `rpc` (how roles talk) and `processes` (children
that cannot outlive us). Nothing here acts at import time; everything is handed a
`RoleContext` or its own arguments.
"""
