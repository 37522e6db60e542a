"""Resource Access Management: versions of a policy, of which one is the default.

The product's users, keys and policies are resources like any other: such a user cannot
sign in, its key signs nothing, and a policy allows and forbids nothing. Who may sign in
and call are the users of `accounts.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.state.faults import missing_parameter
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.templates import Derivation, Scope
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.engine.writes import create_resource

_ROTATE = "DeleteOldestNonDefaultVersionWhenLimitExceeded"


def _versions(call: Call, policy: str) -> list[Resource]:
    """The versions of a policy, oldest first."""
    return call.world.select(
        call.account,
        str(call.operation.resource_kind),
        lambda r: r.fields.get("policy_name") == policy,
    )


def create_policy_version(call: Call) -> Outcome:
    """CreatePolicyVersion: a further version, perhaps the default one, perhaps in place
    of the oldest that is not."""
    policy = call.params.get("PolicyName", "")
    held = _versions(call, policy)
    most = min(quota.max for quota in call.operation.typed().api.quota)
    if call.params.get("RotateStrategy") == _ROTATE and len(held) >= most:
        call.world.remove(next(version for version in held if not version.fields.get("is_default")))
    outcome = create_resource(call)
    if call.params.get("SetAsDefault", "").lower() == "true":
        outcome.resources += _make_default(call, outcome.resources[0])
        outcome.answer["PolicyVersion"]["IsDefaultVersion"] = True
    return outcome


def set_default_policy_version(call: Call) -> Outcome:
    """SetDefaultPolicyVersion: another version takes effect."""
    policy, version = call.params.get("PolicyName"), call.params.get("VersionId")
    if not policy or not version:
        raise missing_parameter("VersionId" if policy else "PolicyName")
    found = next(
        (held for held in _versions(call, policy) if held.fields.get("version") == version), None
    )
    if found is None:
        raise refusal(call.operation.typed().api.not_found, id=version)
    return Outcome(resources=[found, *_make_default(call, found)])


def _make_default(call: Call, version: Resource) -> list[Resource]:
    """The policy, which from now on says what this version says."""
    name = version.fields["policy_name"]
    for other in _versions(call, name):
        call.world.touch(other)
        other.fields["is_default"] = other is version
    policy = call.world.find(call.account, name, f"{call.operation.product.id}.policy")
    if policy is None:
        return []
    call.world.touch(policy)
    policy.fields |= {
        "default_version": version.fields["version"],
        "document": version.fields["document"],
    }
    return [policy]


def _next_version(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """`v2` after `v1`."""
    versions = scope.world.select(
        scope.account,
        "ram.policy_version",
        lambda r: r.fields.get("policy_name") == arguments["policy"],
    )
    return f"v{1 + max((int(str(r.fields['version'])[1:]) for r in versions), default=0)}"


def _account_number(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The number by which the service itself knows a user, group or role: `prefix` and
    17 digits that follow from the name."""
    digest = hashlib.sha256(f"{scope.account}/{arguments['of']}".encode()).digest()
    return f"{arguments['prefix']}{int.from_bytes(digest[:8], 'big') % 10**17:017d}"


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "create_policy_version": create_policy_version,
    "set_default_policy_version": set_default_policy_version,
}
DERIVATIONS: Mapping[str, Derivation] = {
    "account_number": _account_number,
    "next_version": _next_version,
}
