"""Suites of tasks: what a task is, how units and families become tasks, and what is
measured on them. See suites/README.md."""
