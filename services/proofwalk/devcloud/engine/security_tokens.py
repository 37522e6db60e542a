"""Security Token Service: AssumeRole and GetCallerIdentity.

Who may assume a role is what its trust policy says of accounts and RAM users; in a
member of the resource directory there is besides the role that the management account
may assume. What a session may do is everything: no policy allows or forbids anything
here, so the parameter Policy is checked for its form and has no effect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from proofwalk.devcloud.engine.audit import zulu
from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.state.directory import MEMBER_ROLE, Directory
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.role_sessions import AssumedRole, RoleSessions
from proofwalk.devcloud.engine.state.world import Resource, World

SHORTEST_S = 900
DEFAULT_S = 3600
_ROLE = "ram.role"
_ARN = re.compile(r"acs:ram::(\d+):role/([A-Za-z0-9._-]+)")
_SESSION_NAME = re.compile(r"[A-Za-z0-9.@_-]{2,64}")
_LONGEST_POLICY = 2048


class SecurityTokens:
    """The service's operations."""

    def __init__(self, world: World, sessions: RoleSessions, directory: Directory) -> None:
        self._world = world
        self._sessions = sessions
        self._directory = directory

    def caller_identity(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """GetCallerIdentity."""
        if caller.identity_type == "assumed-role":
            role, _, session = caller.user_name.partition(":")
            return {
                "AccountId": caller.account,
                "Arn": f"acs:ram::{caller.account}:role/{role}/{session}",
                "IdentityType": "AssumedRoleUser",
                "PrincipalId": caller.principal_id,
                "RoleId": caller.principal_id.partition(":")[0],
            }
        return {
            "AccountId": caller.account,
            "Arn": f"acs:ram::{caller.account}:user/{caller.user_name}",
            "IdentityType": "RAMUser",
            "PrincipalId": caller.principal_id,
            "UserId": caller.principal_id,
        }

    def assume_role(self, caller: Caller, params: Mapping[str, str]) -> dict[str, Any]:
        """AssumeRole."""
        for name in ("RoleArn", "RoleSessionName"):
            if not params.get(name):
                raise missing_parameter(name)
        arn, name = params["RoleArn"], params["RoleSessionName"]
        named = _ARN.fullmatch(arn)
        if named is None:
            raise CloudError("InvalidParameter.RoleArn", f"The parameter RoleArn is wrong: {arn}.")
        if _SESSION_NAME.fullmatch(name) is None:
            message = "The parameter RoleSessionName is wrongly formed."
            raise CloudError("InvalidParameter.RoleSessionName", message)
        _check_policy(params.get("Policy", ""))
        role, longest = self._role(caller, account=named[1], name=named[2])
        seconds = _duration(params.get("DurationSeconds"), longest)
        session, token = self._sessions.open(role, name, seconds=seconds)
        expires = datetime.fromtimestamp(session.expires, tz=UTC)
        return {
            "AssumedRoleUser": {"Arn": session.arn, "AssumedRoleId": session.principal_id},
            "Credentials": {
                "AccessKeyId": session.key_id,
                "AccessKeySecret": session.secret,
                "SecurityToken": token,
                "Expiration": zulu(expires),
            },
        }

    def _role(self, caller: Caller, *, account: str, name: str) -> tuple[AssumedRole, int]:
        """The role, and the most seconds of its sessions."""
        resource: Resource | None = self._world.find(account, name, _ROLE)
        # A role that somebody makes under the name is not before the directory's.
        if name == MEMBER_ROLE and self._directory.manages(caller.account, account):
            trusted, number, longest = True, f"3{account}", DEFAULT_S
        elif resource is not None:
            trusted = _trusts(str(resource.fields.get("trust_policy") or ""), caller)
            number = str(resource.fields.get("role_number") or "")
            longest = int(resource.fields.get("session") or DEFAULT_S)
        else:
            message = f"The role not exists: acs:ram::{account}:role/{name}."
            raise CloudError("EntityNotExist.Role", message, 404)
        if not trusted:
            message = "You are not authorized to do this action. You should be authorized by RAM."
            raise CloudError("NoPermission", message, 403)
        return AssumedRole(account=account, name=name, number=number), longest


def _duration(given: str | None, longest: int) -> int:
    if not given:
        return min(DEFAULT_S, longest)
    seconds = int(given) if given.isdigit() else -1
    if not SHORTEST_S <= seconds <= longest:
        message = f"DurationSeconds must be from {SHORTEST_S} to {longest} seconds."
        raise CloudError("InvalidParameter.DurationSeconds", message)
    return seconds


def _check_policy(text: str) -> None:
    if not text:
        return
    if len(text) > _LONGEST_POLICY:
        raise CloudError("InvalidParameter.PolicyGrammar", "The parameter Policy is too long.")
    try:
        statements = json.loads(text)["Statement"]
    except (ValueError, KeyError, TypeError):
        statements = None
    if not isinstance(statements, list) or not statements:
        message = "The parameter Policy has not passed grammar check."
        raise CloudError("InvalidParameter.PolicyGrammar", message)


def _trusts(policy: str, caller: Caller) -> bool:
    """Whether a trust policy lets the caller in: one statement allows and none denies.
    A statement with conditions, which are not evaluated here, allows nobody."""
    try:
        statements = json.loads(policy)["Statement"]
    except (ValueError, KeyError, TypeError):
        return False
    effects = {
        statement.get("Effect")
        for statement in statements
        if isinstance(statement, Mapping)
        and {"sts:AssumeRole", "sts:*", "*"} & set(_listed(statement.get("Action")))
        and _is_named(statement.get("Principal"), caller)
        and not (statement.get("Effect") == "Allow" and statement.get("Condition"))
    }
    return effects == {"Allow"}


def _is_named(principal: object, caller: Caller) -> bool:
    if not isinstance(principal, Mapping):
        return False
    names = {
        f"acs:ram::{caller.account}:root",
        f"acs:ram::{caller.account}:user/{caller.user_name}",
    }
    if caller.identity_type == "assumed-role":
        role = caller.user_name.partition(":")[0]
        names = {f"acs:ram::{caller.account}:root", f"acs:ram::{caller.account}:role/{role}"}
    return bool(names & set(_listed(principal.get("RAM"))))


def _listed(value: object) -> Iterable[str]:
    return [value] if isinstance(value, str) else value if isinstance(value, list) else []
