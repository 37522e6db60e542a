"""What a META record is for, where it comes from, and how far it is trusted. Pure.

proposed -> proven -> stale
    `-----------------^  `-> proven (shown anew)

*Proven* is a record that a person vouches for, or one that was made, verified and
destroyed with nothing left behind. *Stale* is one that the cloud no longer makes so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.kernel.errors import ProofwalkError, conflict, invalid
from proofwalk.kernel.needs import LONGEST_INTENT
from proofwalk.kernel.staleness import LONGEST_REASON


class MetaState(StrEnum):
    """How far a record is trusted."""

    PROPOSED = "proposed"
    PROVEN = "proven"
    STALE = "stale"


S = MetaState
TRANSITIONS: Mapping[S, frozenset[S]] = {
    S.PROPOSED: frozenset({S.PROVEN, S.STALE}),
    S.PROVEN: frozenset({S.STALE}),
    S.STALE: frozenset({S.PROVEN}),
}
PERSON = "person"
"""Who wrote a record that names no writer."""


def judged(current: S, target: S) -> S:
    """`target`, if a record that is `current` may become it or is it; raises
    `meta.bad_transition`."""
    if target is not current and target not in TRANSITIONS[current]:
        raise conflict(
            "meta.bad_transition",
            f"a {current} record cannot become {target}",
            hint="store another version of it: what is written there begins anew",
        )
    return target


LONGEST: Mapping[str, int] = {
    "target_kind": 128,
    "product": 64,
    "document_digest": 64,
    "intent": LONGEST_INTENT,
    "writer": 64,
    "run": 255,
    "provider_version": 64,
    "reason": LONGEST_REASON,
    "asked_by": 255,
}
"""Characters of each member of those below."""


def check_printable(name: str, text: str) -> None:
    """Raises `meta.invalid` for a member that is too long or not printable."""
    if len(text) > LONGEST[name] or not text.isprintable():
        raise invalid(
            "meta.invalid",
            f"the META record is not valid: {name}: it is longer than {LONGEST[name]} characters,"
            " or holds what cannot be printed",
            details={"path": name},
        )


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """What a record is found by. An empty member says nothing. Raises `meta.invalid`
    for a text that is too long or not printable."""

    target_kind: str = ""
    """`Target.kind` of the targets that it is for; empty for a record that nobody has
    said it of, and where any will do."""
    product: str = ""
    """As the inventory calls it: `ecs`."""
    document_digest: str = ""
    """SHA-256 of the document that it was written for."""
    intent: str = ""
    """What is to be there, as whoever asks for it says it: `instance:stopped`."""

    def __post_init__(self) -> None:
        for name, text in self.__dict__.items():
            check_printable(name, text)


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """Where a record comes from. Raises `meta.invalid` as `Purpose` does."""

    writer: str = PERSON
    """`person`, or the coder that wrote it."""
    run: str = ""
    """The run that it was written in; empty for none."""
    provider_version: str = ""
    """Of the Terraform provider that it was last made with; empty where nobody said."""

    def __post_init__(self) -> None:
        for name, text in self.__dict__.items():
            check_printable(name, text)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """How far a record is trusted from now on, and what showed it. Raises
    `meta.invalid` as `Purpose` does."""

    state: MetaState
    run: str = ""
    """The provisioning, or the run of a bench, that showed it; empty where a person
    says it."""
    provider_version: str = ""
    """Of the Terraform provider that it was shown with; empty leaves what is known."""
    target_kind: str = ""
    """`Target.kind` of the target that it was seen on; empty where a person says it."""
    reason: str = ""
    """Why it is stale, in words; empty of any other."""

    def __post_init__(self) -> None:
        for name in ("run", "provider_version", "target_kind", "reason"):
            check_printable(name, getattr(self, name))

    def tied(self, current: str) -> str:
        """The kind of target that a record of the `current` kind is for, once it is
        marked. A proof ties a record that is for none in particular. Raises
        `meta.other_kind` for one of another kind, and where a failure alone would say
        for which it is."""
        kind = self.target_kind
        if kind in ("", current) or (not current and self.state is not S.STALE):
            return current or kind
        raise _other_kind(current, kind)


def refuse_other_kind(current: str, kind: str) -> None:
    """Raise `meta.other_kind` for a record that is for another kind of target than
    `kind`."""
    if current not in ("", kind):
        raise _other_kind(current, kind)


def _other_kind(current: str, kind: str) -> ProofwalkError:
    return conflict(
        "meta.other_kind",
        f"the record is for {current or 'no kind of target in particular'}, and a target of kind"
        f" {kind} does not say how far it is trusted",
        hint="have it proven on a target of that kind first, or mark it without one",
    )
