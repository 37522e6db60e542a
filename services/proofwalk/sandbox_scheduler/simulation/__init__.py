"""A cluster that exists in memory and obeys a clock, so that the scheduler's own code
can be run against a hundred thousand sandboxes."""
