"""Services that own no resources: ActionTrail's LookupEvents and STS's
GetCallerIdentity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.devcloud.engine.audit import Entry, request_id
from proofwalk.devcloud.engine.calls import Caller, Outcome
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.geography import DEFAULT_REGION

ACTIONTRAIL_VERSION = "2020-07-06"
STS_VERSION = "2015-04-01"


def _lookup_events(cloud: Cloud, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
    return cloud.audit.lookup(caller.account, params, cloud.clock.now())


def _caller_identity(cloud: Cloud, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
    return {
        "AccountId": caller.account,
        "Arn": f"acs:ram::{caller.account}:user/{caller.user_name}",
        "IdentityType": "RAMUser",
        "PrincipalId": caller.principal_id,
        "UserId": caller.principal_id,
    }


_OPERATIONS: Mapping[
    tuple[str, str], tuple[str, Callable[[Cloud, Caller, Mapping[str, str]], dict[str, Any]]]
] = {
    (ACTIONTRAIL_VERSION, "LookupEvents"): ("Actiontrail", _lookup_events),
    (STS_VERSION, "GetCallerIdentity"): ("Sts", _caller_identity),
}
VERSIONS = frozenset(version for version, _ in _OPERATIONS)


def call(
    cloud: Cloud, caller: Caller, version: str, action: str, params: Mapping[str, str]
) -> Outcome | None:
    """Execute and record, or None if the operation is not one of these."""
    found = _OPERATIONS.get((version, action))
    if found is None:
        return None
    service, handler = found
    name, now = request_id(cloud.ids), cloud.clock.now()
    error: CloudError | None = None
    answer: dict[str, Any] = {}
    try:
        answer = handler(cloud, caller, params)
    except CloudError as refused:
        error = refused
        error.request_id = name
    entry = Entry(
        caller=caller,
        name=action,
        service=service,
        version=version,
        reads=True,
        region=params.get("RegionId") or DEFAULT_REGION,
        request_id=name,
        params=params,
        error=error,
    )
    with cloud.store.transaction():
        cloud.audit.record(entry, now)
    if error is not None:
        raise error
    return Outcome(answer={**answer, "RequestId": name}, request_id=name)
