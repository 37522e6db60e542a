"""Object Storage Service: rules without a name, and what follows from the content of an
object."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.values.templates import Derivation, Scope
from proofwalk.devcloud.engine.writes import create_resource, update_resource


def put_cors_rule(call: Call) -> Outcome:
    """PutBucketCors: the rule that the request names is changed, one without a name is
    added."""
    return update_resource(call) if call.params.get("RuleId") else create_resource(call)


def _text_size(scope: Scope, arguments: Mapping[str, Any]) -> int:
    """Bytes of a text."""
    return len(str(arguments.get("of") or "").encode())


def _etag(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The ETag of an object that was uploaded at once: its MD5, in quotes."""
    digest = hashlib.md5(str(arguments.get("of") or "").encode(), usedforsecurity=False).hexdigest()
    return f'"{digest.upper()}"'


def _rule_scope(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """What a lifecycle rule applies to, as the form asks it."""
    return "prefix" if arguments.get("prefix") else "bucket"


def _rule_expiry(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """When a lifecycle rule deletes, as the form asks it."""
    if arguments.get("days") is not None:
        return "days"
    return "date" if arguments.get("date") else "never"


def _readable(scope: Scope, arguments: Mapping[str, Any]) -> bool:
    """Whether an object can be read: one in an archive must have been restored."""
    return (
        arguments.get("storage_class") in ("Standard", "IA")
        or arguments.get("status") == "Restored"
    )


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {"put_cors_rule": put_cors_rule}

DERIVATIONS: Mapping[str, Derivation] = {
    "etag": _etag,
    "readable": _readable,
    "rule_expiry": _rule_expiry,
    "rule_scope": _rule_scope,
    "text_size": _text_size,
}
