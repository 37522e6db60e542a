"""The REST API's routes, a module for each resource; `asking` has what they share."""
