"""What an API key, or a person, may do besides seeing what is its own.

A key has one role. `operators`, `reviewers` and `viewers` of the settings name the keys
of three of them; every other key is a member. A person who signed in by an identity
provider has a role of its own (`Person`, made by `oidc.people`). Whose verifications
one sees is another matter, and rollout's (`docs/adr/0008-owners.md`): an operator's are
everybody's, in any other role its own.

The rule is `MAY`, and `keys.Keyring.permit` is its one question. What changes something
asks it itself (`changes`), so that REST and the web console hold to it alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.kernel.callers import Caller


class Act(StrEnum):
    """What not every key may do."""

    SUBMIT = "submit"
    """Ask for a verification."""
    CANCEL = "cancel"
    """End a verification that the key sees."""
    REVIEW = "review"
    """Decide on what a verification that the key sees has found."""
    OPERATE = "operate"
    """Look at what belongs to the installation: accounts, sandboxes, META records,
    training. Have a META record tried."""


class KeyRole(StrEnum):
    """The role of a key or a person; the one that may least first."""

    VIEWER = "viewer"
    MEMBER = "member"
    """Of a key that the settings give no role."""
    REVIEWER = "reviewer"
    OPERATOR = "operator"


@dataclass(frozen=True, kw_only=True)
class Person(Caller):
    """Somebody who signed in by an identity provider. The role is the person's, also
    where the principal is an API key's."""

    role: KeyRole
    shown_as: str
    """What pages call the person."""


MAY: Mapping[KeyRole, frozenset[Act]] = {
    KeyRole.VIEWER: frozenset(),
    KeyRole.MEMBER: frozenset({Act.SUBMIT, Act.CANCEL, Act.REVIEW}),
    KeyRole.REVIEWER: frozenset({Act.SUBMIT, Act.CANCEL, Act.REVIEW}),
    KeyRole.OPERATOR: frozenset(Act),
}
