"""The policies, one module or package each. They do not import each other, but for what
the import contracts name."""
