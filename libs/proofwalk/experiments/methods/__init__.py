"""The bench of methods: one checkpoint, one budget of steps, many ways to use it."""
