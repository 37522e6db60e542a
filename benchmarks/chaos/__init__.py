"""The chaos driver: many jobs under a seeded plan of faults, a history of every call
and effect, and checks that read the history afterwards. Start with `rounds`."""
