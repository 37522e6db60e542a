"""Orders as rows keep them, and what tells one request from another.

A stored order has the options that were asked for and no others, so that a row is read
whichever options were added since. One that this release does not know is refused and
never guessed.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from proofwalk.kernel.errors import conflict
from proofwalk.kernel.json_values import JsonObject
from proofwalk.orders.order import Order, VerificationRequest

_TEXTS = [
    "procedure_id",
    "target",
    "policy",
    "meta",
    "meta_id",
    "rule",
    "script",
    "scenario",
    "region",
]
"""Options in the order in which digests have had them from the first release on."""


def to_stored(order: Order) -> dict[str, Any]:
    """What a row keeps of an order."""
    return {name: value for name in Order.model_fields if (value := getattr(order, name))}


def from_stored(stored: JsonObject) -> Order:
    """The order, valid by the bounds that held when it was asked for. Raises
    `order.unknown_option`."""
    unknown = sorted(set(stored) - set(Order.model_fields))
    if unknown:
        raise conflict(
            "order.unknown_option",
            f"a stored order has the option {unknown[0]!r}, which this release does not know",
            hint="compare the versions of the roles",
        )
    values: dict[str, Any] = dict(stored)
    return Order.model_construct(**values)


def request_digest(request: VerificationRequest, *, principal: str) -> str:
    """SHA-256 over everything: two requests with one digest are the same request.

    It stays what it was from release to release: a request is repeated, and a group
    enlarged, over an upgrade."""
    source = request.document
    fields = [source.url, source.name, source.media_type]
    fields += [str(getattr(request, name)) for name in _TEXTS]
    content = hashlib.sha256(source.text.encode()).hexdigest()
    fields += [principal, str(request.attempts), content]
    later = [name for name in Order.model_fields if name not in (*_TEXTS, "attempts")]
    # `trace` is the older one of the first two.
    for name in sorted(later, key=lambda name: name != "trace"):
        value = getattr(request, name)
        if value:
            fields.append(name if value is True else f"{name} {value}")
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()
