"""What attacks find: one module a hole, each with a `measure`."""
