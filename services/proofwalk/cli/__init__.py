"""The command line, and the one place that knows every role: `main` has the commands,
`roles` the registry, `settings` the whole."""
