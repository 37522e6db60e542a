"""For whom a call is made, and what of what is stored that one may see.

Rows name the principal that made them. Whoever asks sees the rows of its own principal;
an operator sees all, also those of before rows had one (their principal is empty). What
a caller may not see does not exist for it: the answer is the same. Next:
`rollout.selections`, which holds every query to this.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A principal (an API key's name, or a role's, such as `trainer:run_1`), and
    whether it is an operator."""

    principal: str
    is_operator: bool = False

    def sees(self, owner: str) -> bool:
        """Whether what belongs to `owner` is there for this caller. An empty owner is
        nobody's: operators see it."""
        return self.is_operator or (bool(owner) and owner == self.principal)


ITSELF = Caller(principal="", is_operator=True)
"""A role that reads its own rows for its own work, such as a worker that claimed
one."""
