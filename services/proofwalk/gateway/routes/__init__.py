"""The REST API's routes, one module for each resource. What they have in common is in `asking`."""
