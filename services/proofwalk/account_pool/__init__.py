"""The account pool: isolated cloud accounts, leased one at a time, proven clean before
they are free again.

Read `domain` (records, the proof, orders and pauses; pure) over the kernel's lease
machine, `usecases` (one function, one transaction), then `pool`, which puts the calls
to the cloud between transactions; `worker` reaps, sweeps and syncs; `main` wires.
"""
