"""`read_substep` under its former name; it lives in
`agent.policies.literal.substeps`."""

from proofwalk.agent.policies.literal.substeps import read_substep

__all__ = ["read_substep"]
