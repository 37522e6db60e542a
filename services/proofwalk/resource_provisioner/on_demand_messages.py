"""Needs as messages, and what met them as an answer."""

from __future__ import annotations

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.needs import (
    LONGEST_LABEL,
    LONGEST_RESOURCE,
    LONGEST_STATE,
    LONGEST_VALUE,
    MOST_STATES,
    MOST_VALUES,
    Need,
)
from proofwalk.resource_provisioner.lineage import LONGEST

_MEMBERS = {
    "product": LONGEST_LABEL,
    "resource": LONGEST_RESOURCE,
    "document_digest": LONGEST["document_digest"],
}
_TEXT = 2000


def need_of(request: pb.ProvisionOnDemandRequest) -> Need:
    """The need of a request. Raises `provision.bad_need`."""
    intent = request.intent
    for name, longest in _MEMBERS.items():
        _check(name, getattr(intent, name), longest)
    if len(intent.states) > MOST_STATES or len(intent.values) > MOST_VALUES:
        raise _bad(f"more than {MOST_STATES} states or {MOST_VALUES} values")
    for state in intent.states:
        _check("states", state, LONGEST_STATE)
    for label, value in intent.values.items():
        _check("values", label, LONGEST_LABEL)
        _check("values", value, LONGEST_VALUE)
    return Need(
        text=request.need[:_TEXT],
        product=intent.product,
        resource=intent.resource,
        states=tuple(intent.states),
        values=dict(intent.values),
        document_digest=intent.document_digest,
        procedure=request.document_context[:_TEXT],
    )


def _check(name: str, text: str, longest: int) -> None:
    if len(text) > longest or not text.isprintable():
        raise _bad(f"{name} longer than {longest} characters, or with what cannot be printed")


def _bad(what: str) -> ProofwalkError:
    return invalid(
        "provision.bad_need",
        f"the intent of a need has {what}",
        hint="say in typed members what is missing, and the rest in `need`",
    )
