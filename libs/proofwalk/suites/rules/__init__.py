"""What holds a task's rule: recorded episodes, near misses, constants, and tasks known from another."""
