"""The host's side door under `/admin`: accounts, credentials, inventories, sweeps, and
the knobs of the emulation.

Every call needs the bearer token. Nothing here is an operation of the cloud, so nothing
here is in its audit log.
"""

from __future__ import annotations

import hmac
import json
import math
from dataclasses import asdict
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from proofwalk.devcloud.console.console_schema import ConsoleSchema
from proofwalk.devcloud.console.scenarios import Scenario, Scenarios
from proofwalk.devcloud.engine.fault_injection import FaultPlan
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.resource_center import stands_alone
from proofwalk.devcloud.engine.state.accounts import Account, Accounts
from proofwalk.devcloud.engine.state.directory import Directory, ResourceDirectory
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.kernel.clock import parse_moment
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status, invalid, not_found
from proofwalk.kernel.ids import SeededIds

LONGEST_FACT = 256
"""Characters. What is longer, a script or a certificate, is no fact to look for."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CreateAccounts(_Body):
    """How many; with a seed the same identifiers and secrets come out each time."""

    count: int = Field(default=1, ge=1, le=1000)
    seed: int | None = None


class Rotate(_Body):
    """Which user's credentials; the first user by default."""

    user: str | None = None


class AddUser(_Body):
    """The name of a further user who signs in."""

    user: str = Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")


class SetKey(_Body):
    """Enable or disable an access key."""

    enabled: bool


class SetBalance(_Body):
    """What an account has to spend, in CNY."""

    available: float = Field(ge=0, le=1e9)


class DeclareDirectory(_Body):
    """The account that manages the others, and those."""

    management: str
    members: list[str] = Field(min_length=1, max_length=1000)


class Tune(_Body):
    """Members that are there are set."""

    audit_lag_s: float | None = Field(default=None, ge=0)
    speed: float | None = Field(default=None, gt=0)


class Revision(_Body):
    """A UI revision: its name and its patches over the shipped files."""

    revision: str = Field(min_length=1)
    patches: list[dict[str, Any]] = []


class AdminApi:
    """Handlers under `/admin`."""

    def __init__(
        self,
        cloud: Cloud,
        accounts: Accounts,
        schema: ConsoleSchema,
        scenarios: Scenarios,
        directory: Directory,
        *,
        token: str,
    ) -> None:
        self._cloud = cloud
        self._accounts = accounts
        self._schema = schema
        self._scenarios = scenarios
        self._directory = directory
        self._token = token

    def routes(self) -> list[Route]:
        """All of them."""
        table = [
            ("/health", self._health, "GET"),
            ("/accounts", self._list, "GET"),
            ("/accounts", self._create, "POST"),
            ("/accounts/{account}/rotate", self._rotate, "POST"),
            ("/accounts/{account}/users", self._add_user, "POST"),
            ("/accounts/{account}/keys", self._add_key, "POST"),
            ("/accounts/{account}/keys/{key}", self._set_key, "POST"),
            ("/accounts/{account}/inventory", self._inventory, "GET"),
            ("/accounts/{account}/resources/{id:path}", self._delete, "DELETE"),
            ("/accounts/{account}/balance", self._balance, "GET"),
            ("/accounts/{account}/balance", self._set_balance, "POST"),
            ("/accounts/{account}/faults", self._faults, "GET"),
            ("/accounts/{account}/faults", self._set_faults, "POST"),
            ("/accounts/{account}/bill", self._bill, "GET"),
            ("/directory", self._get_directory, "GET"),
            ("/directory", self._set_directory, "POST"),
            ("/settings", self._settings, "GET"),
            ("/settings", self._tune, "POST"),
            ("/revision", self._get_revision, "GET"),
            ("/revision", self._set_revision, "POST"),
            ("/scenarios", self._list_scenarios, "GET"),
            ("/scenarios", self._add_scenario, "POST"),
            ("/scenarios/{id}", self._remove_scenario, "DELETE"),
        ]
        return [
            Route(f"/admin{path}", self._answering(handler), methods=[method])
            for path, handler, method in table
        ]

    def _answering(self, handler: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            try:
                given = request.headers.get("authorization", "").removeprefix("Bearer ")
                if not hmac.compare_digest(given.encode(), self._token.encode()):
                    raise ProofwalkError(
                        "devcloud.admin_token",
                        "the bearer token is missing or wrong",
                        status=Status.UNAUTHENTICATED,
                        hint=(
                            "Send Authorization: Bearer with the token that devcloud was started"
                            " with."
                        ),
                    )
                answer: Any = await handler(request)
                return JSONResponse(answer)
            except ProofwalkError as error:
                body = {
                    "code": error.code,
                    "message": error.message,
                    "hint": error.hint,
                    "details": error.details,
                }
                return JSONResponse(body, status_code=HTTP_STATUS[error.status])

        return endpoint

    async def _health(self, request: Request) -> Any:
        return {
            "status": "serving",
            "accounts": len(self._accounts.all()),
            "revision": self._schema.revision,
        }

    async def _list(self, request: Request) -> Any:
        return {"accounts": [_described(account) for account in self._accounts.all()]}

    async def _create(self, request: Request) -> Any:
        wanted = cast(CreateAccounts, await _read(request, CreateAccounts))
        source = SeededIds(wanted.seed) if wanted.seed is not None else None
        return {"accounts": [asdict(self._accounts.create(source)) for _ in range(wanted.count)]}

    async def _rotate(self, request: Request) -> Any:
        wanted = cast(Rotate, await _read(request, Rotate))
        made = self._accounts.rotate(request.path_params["account"], wanted.user)
        self._cloud.forget_orders(made.account_id)
        return asdict(made)

    async def _add_user(self, request: Request) -> Any:
        wanted = cast(AddUser, await _read(request, AddUser))
        return asdict(self._accounts.add_user(request.path_params["account"], wanted.user))

    async def _add_key(self, request: Request) -> Any:
        wanted = cast(Rotate, await _read(request, Rotate))
        key = self._accounts.add_key(request.path_params["account"], wanted.user)
        return {"access_key_id": key.id, "access_key_secret": key.secret, "user_name": key.user}

    async def _set_key(self, request: Request) -> Any:
        wanted = cast(SetKey, await _read(request, SetKey))
        self._accounts.set_key_enabled(
            request.path_params["account"], request.path_params["key"], enabled=wanted.enabled
        )
        return {}

    async def _inventory(self, request: Request) -> Any:
        account = self._accounts.get(request.path_params["account"])
        self._cloud.settle()
        inner = request.query_params.get("all") == "1"
        found = [
            r
            for r in self._cloud.world.inventory(account.id)
            if inner or stands_alone(self._cloud.catalogue, r)
        ]
        return {"account_id": account.id, "resources": [self._entry(r) for r in found]}

    def _entry(self, resource: Resource) -> dict[str, Any]:
        product, type_name = resource.kind.split(".", 1)
        spec = self._cloud.catalogue.resources[resource.kind]
        return {
            "product": product,
            "resource_type": type_name,
            "type": spec.api.type,
            "id": resource.id,
            "name": str(resource.fields.get(spec.name or "") or ""),
            "region": resource.region,
            "state": resource.status,
            "created": resource.created,
            "tags": resource.tags,
            "fields": _facts(spec, resource),
        }

    async def _delete(self, request: Request) -> Any:
        account = self._accounts.get(request.path_params["account"])
        self._cloud.settle()
        resource = self._cloud.world.find(account.id, request.path_params["id"])
        if resource is None:
            raise not_found(
                "devcloud.resource_not_found",
                f"account {account.id} has no resource {request.path_params['id']!r}",
            )
        self._cloud.remove(resource)
        return {}

    async def _balance(self, request: Request) -> Any:
        account = self._accounts.get(request.path_params["account"])
        return {"available": self._cloud.set_balance(account.id, None), "currency": "CNY"}

    async def _set_balance(self, request: Request) -> Any:
        account = self._accounts.get(request.path_params["account"])
        wanted = cast(SetBalance, await _read(request, SetBalance))
        return {
            "available": self._cloud.set_balance(account.id, wanted.available),
            "currency": "CNY",
        }

    async def _faults(self, request: Request) -> Any:
        account = self._accounts.get(request.path_params["account"])
        return self._cloud.faults.plan(account.id).model_dump(mode="json")

    async def _set_faults(self, request: Request) -> Any:
        account = self._accounts.get(request.path_params["account"])
        plan = cast(FaultPlan, await _read(request, FaultPlan))
        self._cloud.faults.set(account.id, plan)
        return await self._faults(request)

    async def _bill(self, request: Request) -> Any:
        account = self._accounts.get(request.path_params["account"])
        now = self._cloud.clock.now().timestamp()
        since = _moment(request, "since", 0.0)
        until = _moment(request, "until", math.inf)
        self._cloud.settle()
        lines = [
            {**asdict(line), "cost": line.cost(since, until, now)}
            for line in self._cloud.meters.lines(account.id, since, until)
        ]
        total = round(sum(line["cost"] for line in lines), 6)
        return {"account_id": account.id, "currency": "CNY", "total": total, "lines": lines}

    async def _get_directory(self, request: Request) -> Any:
        directory = self._directory.present
        return {"directory": None if directory is None else asdict(directory)}

    async def _set_directory(self, request: Request) -> Any:
        wanted = cast(DeclareDirectory, await _read(request, DeclareDirectory))
        for account in (wanted.management, *wanted.members):
            self._accounts.get(account)
        if wanted.management in wanted.members or len(set(wanted.members)) < len(wanted.members):
            raise invalid(
                "devcloud.bad_directory",
                "a member is named twice, or is the management account",
                hint="name each account once",
            )
        directory = ResourceDirectory(
            id=f"rd-{wanted.management[:6]}",
            management=wanted.management,
            members=tuple(wanted.members),
        )
        self._directory.set(directory)
        return await self._get_directory(request)

    async def _settings(self, request: Request) -> Any:
        return {"audit_lag_s": self._cloud.audit.lag, "speed": self._cloud.lifecycle.speed}

    async def _tune(self, request: Request) -> Any:
        wanted = cast(Tune, await _read(request, Tune))
        self._cloud.tune(audit_lag=wanted.audit_lag_s, speed=wanted.speed)
        return await self._settings(request)

    async def _get_revision(self, request: Request) -> Any:
        return {"revision": self._schema.revision}

    async def _set_revision(self, request: Request) -> Any:
        wanted = cast(Revision, await _read(request, Revision))
        self._schema.apply(wanted.revision, wanted.patches)
        return {"revision": self._schema.revision}

    async def _list_scenarios(self, request: Request) -> Any:
        return {"scenarios": [scenario.model_dump() for scenario in self._scenarios.all()]}

    async def _add_scenario(self, request: Request) -> Any:
        wanted = cast(Scenario, await _read(request, Scenario))
        self._schema.check(wanted)
        return {"id": wanted.id, "created": self._scenarios.add(wanted)}

    async def _remove_scenario(self, request: Request) -> Any:
        scenario_id = request.path_params["id"]
        self._scenarios.remove(scenario_id)
        self._accounts.end_sessions(scenario_id)
        return {}


def _facts(spec: ResourceSpec, resource: Resource) -> dict[str, str | int | float | bool]:
    """The plain values of the fields that a type declares and keeps: no password, no
    key, nothing that only hooks put there."""
    values = {
        field.id: resource.fields.get(field.id)
        for field in spec.fields
        if field.stored and field.type in ("str", "int", "bool")
    }
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, str | int | float | bool)
        and len(str(value)) <= LONGEST_FACT
        and value != ""
    }


def _described(account: Account) -> dict[str, Any]:
    return {
        "account_id": account.id,
        "created": account.created,
        "users": [user.name for user in account.users],
        "access_keys": [
            {"access_key_id": k.id, "user": k.user, "enabled": k.enabled} for k in account.keys
        ],
    }


def _moment(request: Request, name: str, default: float) -> float:
    given = request.query_params.get(name)
    try:
        return default if given is None else parse_moment(given).timestamp()
    except ValueError:
        raise invalid(
            "devcloud.bad_moment",
            f"{name} is not a moment: {given!r}",
            hint="write it as 2027-01-31T00:00:00Z",
        ) from None


async def _read(request: Request, model: type[BaseModel]) -> BaseModel:
    raw = await request.body()
    try:
        return model.model_validate(json.loads(raw or b"{}"))
    except (ValueError, ValidationError) as error:
        raise invalid("devcloud.admin_body", f"the request body is not valid: {error}") from None
