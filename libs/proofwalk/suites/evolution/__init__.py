"""New tasks from tasks that a policy failed at: WebRL's self-evolving curriculum
(§2.1), with the means that units give.

`failures` tells what was failed at, `ways` how a chain of units can change,
`succession` which units may follow each other on one resource, `feasibility` what can
be told of a task without walking it, `values` which difficulty is wanted; `evolving`
draws.
"""
