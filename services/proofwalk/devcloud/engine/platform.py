"""Services that own no resources: ActionTrail's LookupEvents, the Security Token
Service, ResourceManager, Resource Center, and RAM for the users that sign in.

Each operation is recorded like any other. Those besides LookupEvents and
GetCallerIdentity meet what the plan of faults has for the caller's account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from proofwalk.devcloud.engine.audit import Entry, request_id
from proofwalk.devcloud.engine.calls import Caller, Outcome
from proofwalk.devcloud.engine.directory_api import DirectoryApi
from proofwalk.devcloud.engine.operations import MASK, Cloud, with_request
from proofwalk.devcloud.engine.resource_center import ResourceCenter
from proofwalk.devcloud.engine.security_tokens import SecurityTokens
from proofwalk.devcloud.engine.signing_users import SigningUsers
from proofwalk.devcloud.engine.state.accounts import Accounts
from proofwalk.devcloud.engine.state.directory import Directory
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.geography import DEFAULT_REGION
from proofwalk.devcloud.engine.state.role_sessions import RoleSessions

ACTIONTRAIL_VERSION = "2020-07-06"
STS_VERSION = "2015-04-01"
DIRECTORY_VERSION = "2020-03-31"
RESOURCE_CENTER_VERSION = "2022-12-01"
RAM_VERSION = "2015-05-01"
_SECRET = frozenset({"Password"})
Params = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class _Served:
    """One operation."""

    service: str
    answer: Callable[[Caller, Params], dict[str, Any]]
    reads: bool = True
    has_faults: bool = True
    is_global: bool = False
    concerned: Callable[[Caller, Params], bool] = lambda caller, params: True
    """Whether a request is this operation's; else it is a product's."""


class Platform:
    """The operations, by version and name."""

    def __init__(
        self, cloud: Cloud, accounts: Accounts, sessions: RoleSessions, directory: Directory
    ) -> None:
        self._cloud = cloud
        tokens = SecurityTokens(cloud.world, sessions, directory)
        members = DirectoryApi(accounts, directory)
        resources = ResourceCenter(cloud)
        users = SigningUsers(accounts)
        self._served: Mapping[tuple[str, str], _Served] = {
            (ACTIONTRAIL_VERSION, "LookupEvents"): _Served(
                service="Actiontrail", answer=self._lookup_events, has_faults=False
            ),
            (STS_VERSION, "GetCallerIdentity"): _Served(
                service="Sts", answer=tokens.caller_identity, has_faults=False
            ),
            (STS_VERSION, "AssumeRole"): _Served(service="Sts", answer=tokens.assume_role),
            (DIRECTORY_VERSION, "GetResourceDirectory"): _Served(
                service="ResourceManager", answer=members.resource_directory, is_global=True
            ),
            (DIRECTORY_VERSION, "ListAccounts"): _Served(
                service="ResourceManager", answer=members.list_accounts, is_global=True
            ),
            (RESOURCE_CENTER_VERSION, "SearchResources"): _Served(
                service="ResourceCenter", answer=resources.search, is_global=True
            ),
            **{
                (RAM_VERSION, name): _Served(
                    service="Ram",
                    answer=answer,
                    reads=name.startswith("List"),
                    is_global=True,
                    concerned=users.concerned,
                )
                for name, answer in (
                    ("ListAccessKeys", users.list_access_keys),
                    ("CreateAccessKey", users.create_access_key),
                    ("DeleteAccessKey", users.delete_access_key),
                    ("UpdateLoginProfile", users.update_login_profile),
                )
            },
        }
        self.versions = frozenset(version for version, _ in self._served)

    def call(self, caller: Caller, version: str, action: str, params: Params) -> Outcome | None:
        """Execute and record, or None if the operation is not one of these."""
        served = self._served.get((version, action))
        if served is None or not served.concerned(caller, params):
            return None
        cloud = self._cloud
        name, now = request_id(cloud.ids), cloud.clock.now()
        passing = cloud.faults.passing(caller, action) if served.has_faults else None
        if passing is not None:
            raise with_request(passing, name)
        answer: dict[str, Any] = {}
        error: CloudError | None = None
        with cloud.store.transaction():
            # What is refused is so before anything is written.
            try:
                answer = served.answer(caller, params)
            except CloudError as refused:
                error = refused
            shown = {key: MASK if key in _SECRET else value for key, value in params.items()}
            entry = Entry(
                caller=caller,
                name=action,
                service=served.service,
                version=version,
                reads=served.reads,
                region=params.get("RegionId") or DEFAULT_REGION,
                request_id=name,
                params=shown,
                error=error,
                is_global=served.is_global,
            )
            cloud.audit.record(entry, now)
        if error is not None:
            raise with_request(error, name)
        if served.has_faults:
            lost = cloud.faults.lost_answer(caller, action, reads=served.reads)
            if lost is not None:
                raise with_request(lost, name)
        return Outcome(answer={**answer, "RequestId": name}, request_id=name)

    def _lookup_events(self, caller: Caller, params: Params) -> dict[str, Any]:
        return self._cloud.audit.lookup(caller.account, params, self._cloud.clock.now())
