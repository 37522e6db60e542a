"""What a need is for, in the one line that records are found by. Pure.

`instance:stopped;name=web-1` is what is to be there; with the product and the document
it is a record's purpose (`lineage`). The same need of the same document always has the
same line, whatever the order in which it says things.
"""

from __future__ import annotations

import hashlib

from proofwalk.kernel.needs import Need
from proofwalk.resource_provisioner.lineage import LONGEST, Purpose
from proofwalk.resource_provisioner.meta import dump, read_kept

_DIGEST = 12


def intent_of(need: Need) -> str:
    """The line; empty where the need says no kind of thing. One that is too long ends
    in a digest of itself."""
    if not need.resource:
        return ""
    states = ",".join(sorted(map(_plain, need.states)))
    values = sorted(f"{_plain(name)}={value}" for name, value in need.values.items())
    line = ";".join([_plain(need.resource) + (f":{states}" if states else ""), *values])
    longest = LONGEST["intent"]
    if len(line) <= longest:
        return line
    return f"{line[: longest - _DIGEST - 1]}~{_digest(line)}"


def purpose_of(need: Need, target_kind: str) -> Purpose:
    """What a record for the need is found by on a target of a kind. Raises
    `meta.invalid`."""
    return Purpose(
        target_kind=target_kind,
        product=_plain(need.product),
        document_digest=need.document_digest,
        intent=intent_of(need),
    )


def is_told_apart(purpose: Purpose) -> bool:
    """Whether a record is found by it that is for the same need of the same
    document."""
    return bool(purpose.document_digest and purpose.intent)


def as_for(yaml: str, purpose: Purpose) -> str:
    """A record under an id of the purpose's own, so that two documents, or two kinds of
    cloud, that need the same keep a record each, whose trust is their own."""
    if not is_told_apart(purpose):
        return yaml
    meta = read_kept(yaml)
    told = (purpose.target_kind, purpose.product, purpose.document_digest, purpose.intent)
    mark = _digest("\n".join(told))
    return dump(meta.model_copy(update={"id": f"{meta.id[:100]}-{mark}"}))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
