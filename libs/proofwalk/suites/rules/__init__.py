"""What holds a task's rule: near misses, constants, and tasks known from another."""
