"""The pure core: ids, clocks, errors, outcome types, and the job and lease state
machines.

Nothing here performs I/O, reads the environment or looks at the wall clock; time,
randomness and ids are arguments. Every other package may import this one, and this one
imports none of them. Start with `outcomes`, the vocabulary of the system, then `leases`
and `jobs`, its two state machines.
"""
