"""What is asked for: one type from flags and REST to the walk, with its converters."""
