"""What is asked for: one type from REST and the command line to the walk, its converters beside it."""
