"""The one way to do anything: find the operation, execute it, record it, answer.

`Cloud.call` is what a console action and an API request both come to. In order: apply
transitions that are due, replay a known client token, execute by kind, write changes
and event in one transaction, answer. A refusal undoes every change and is recorded with
its code. The whole of it is synchronous, hence atomic in the event loop.

Kinds: `list get catalog list_tags` (reads.py), `create update tag untag` (writes.py),
`hook` (a function of `oddities`, where the real API is too odd to declare). The engine
knows no product by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from proofwalk.devcloud.engine import reads, soundness, tagging, writes
from proofwalk.devcloud.engine.audit import AuditLog, Entry, request_id, zulu
from proofwalk.devcloud.engine.billing import balance, forget, refund
from proofwalk.devcloud.engine.calls import Call, Caller, Outcome
from proofwalk.devcloud.engine.fault_injection import FaultInjection
from proofwalk.devcloud.engine.identity import chosen, fresh
from proofwalk.devcloud.engine.lifecycle import Lifecycle
from proofwalk.devcloud.engine.metering import Meters
from proofwalk.devcloud.engine.oddities import ALL_DERIVATIONS, HOOKS
from proofwalk.devcloud.engine.state.faults import CloudError, invalid_action
from proofwalk.devcloud.engine.state.geography import DEFAULT_REGION, GLOBAL, REGIONS
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.devcloud.engine.state.world import Resource, World
from proofwalk.devcloud.engine.values.parameters import named
from proofwalk.devcloud.engine.values.templates import Scope, render
from proofwalk.devcloud.products.catalogue import Catalogue, Operation
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import not_found
from proofwalk.kernel.ids import IdSource

MASK = "******"

_KINDS: Mapping[str, Callable[[Call], Outcome]] = {
    "list": reads.list_resources,
    "get": reads.get_resource,
    "catalog": reads.read_catalog,
    "list_tags": reads.list_tags,
    "create": writes.create_resource,
    "update": writes.update_resource,
    "tag": tagging.tag_resources,
    "untag": tagging.untag_resources,
}


class Cloud:
    """All accounts' resources behind one dispatch."""

    def __init__(
        self,
        catalogue: Catalogue,
        store: Store,
        *,
        clock: Clock,
        ids: IdSource,
        audit_lag: float,
        speed: float,
    ) -> None:
        soundness.check(catalogue)
        self.catalogue = catalogue
        self.store = store
        self.clock = clock
        self.ids = ids
        self.world = World()
        self.world.load(store.resources())
        self.faults = FaultInjection(store)
        self.lifecycle = Lifecycle(catalogue, self.world, speed=speed)
        self.lifecycle.slowness = self.faults.slowness
        self.meters = Meters(catalogue, self.world, store)
        self._furnished: set[str] = set()
        self.audit = AuditLog(store, ids, lag=audit_lag)

    def scope(self, account: str, now: datetime | None = None) -> Scope:
        """What templates see in this account."""
        return Scope(
            world=self.world,
            account=account,
            now=zulu(now or self.clock.now()),
            derivations=ALL_DERIVATIONS,
            references=self.catalogue.references,
        )

    def settle(self) -> None:
        """Apply transitions and payments that are due and make them durable."""
        now = self.clock.now()
        self.lifecycle.settle(now.timestamp(), lambda account: self.scope(account, now))
        changes = self.world.pending()
        if changes.written or changes.erased or self.meters.due(now.timestamp()):
            self._keep()

    def furnish(self, account: str) -> None:
        """Give an account, once, what every account has from the beginning."""
        if account in self._furnished:
            return
        key = f"furnished/{account}"
        held = list(self.store.get_meta(key) or [])
        missing = [
            kind
            for kind, spec in self.catalogue.resources.items()
            if spec.api.given and kind not in held
        ]
        now = self.clock.now()
        for kind in missing:
            for region in (GLOBAL,) if kind in self.catalogue.global_kinds else REGIONS:
                self._give(account, kind, region, now)
        if missing:
            with self.store.transaction():
                self.store.apply(self.world.pending())
                self.store.set_meta(key, [*held, *missing])
            self.world.accept()
        self._furnished.add(account)

    def _give(self, account: str, kind: str, region: str, now: datetime) -> None:
        spec = self.catalogue.resources[kind]
        for given in spec.api.given:
            made = Resource(
                account=account,
                kind=kind,
                id="",
                region=region,
                status=given.status or spec.lifecycle.initial,
                created=zulu(now),
                given=True,
            )
            scope = self.scope(account, now)
            made.fields = {
                name: render(value, scope.at(made)) for name, value in given.fields.items()
            }
            for field in spec.fields:
                if field.default is not None and not field.api.console_only:
                    made.fields.setdefault(field.id, field.default)
            named_so = chosen(spec, made.fields) if spec.api.id_from else ""
            made.id = named_so or fresh(spec, self.world, account, region, self.ids)
            self.world.add(made)

    def set_balance(self, account: str, amount: float | None) -> float:
        """Set the account's balance in CNY if an amount is given; answers what it
        is."""
        self.furnish(account)
        if "balance" not in self.catalogue.records:
            raise not_found(
                "devcloud.no_balance",
                "no product keeps balances",
                hint="add a product with `record: balance`",
            )
        purse = balance(self.world, self.catalogue, account)
        if amount is not None:
            self.world.touch(purse)
            purse.fields["available"] = round(amount, 2)
            self._keep()
        return float(purse.fields["available"])

    def forget_orders(self, account: str) -> None:
        """Begin the account's books again."""
        self.furnish(account)
        forget(self.world, self.catalogue, account)
        self._keep(forgotten=True)

    def _keep(self, *, forgotten: bool = False) -> None:
        with self.store.transaction():
            self.meters.observe(self.clock.now().timestamp(), forgotten=forgotten)
            self.store.apply(self.world.pending())
        self._accept(self.clock.now())

    def _accept(self, now: datetime) -> None:
        """End the unit of work, whose changes are durable."""
        self.faults.note(self.world.former(), now.timestamp())
        self.world.accept()

    def remove(self, resource: Resource) -> None:
        """Take a resource away regardless of its state and dependants (they lose it, or
        go with it), and refund it."""
        self.furnish(resource.account)
        now = self.clock.now()
        refund(self.world, self.catalogue, resource)
        self.lifecycle.remove(resource, now.timestamp(), self.scope(resource.account, now))
        self._keep()

    def tune(self, *, audit_lag: float | None = None, speed: float | None = None) -> None:
        """Change lag and speed from now on; kept over a restart."""
        self.audit.lag = self.audit.lag if audit_lag is None else audit_lag
        self.lifecycle.speed = self.lifecycle.speed if speed is None else speed
        with self.store.transaction():
            self.store.set_meta(
                "tuning", {"audit_lag": self.audit.lag, "speed": self.lifecycle.speed}
            )

    def call(self, caller: Caller, version: str, action: str, params: Mapping[str, str]) -> Outcome:
        """Execute one operation for a caller who has been authenticated."""
        now = self.clock.now()
        name = request_id(self.ids)
        operation = self.catalogue.operations.get((version, action))
        if operation is None:
            raise with_request(invalid_action(action), name)
        self.furnish(caller.account)
        self.settle()
        passing = self.faults.passing(caller, operation.spec.op)
        if passing is not None:
            raise with_request(passing, name)
        region = params.get("RegionId") or DEFAULT_REGION if operation.regional else GLOBAL
        secret = operation.secret_params()
        shown = {key: MASK if key in secret else _as_logged(value) for key, value in params.items()}
        try:
            if operation.regional and region not in REGIONS:
                raise CloudError(
                    "InvalidRegionId.NotFound",
                    "The RegionId provided does not exist in our records.",
                    404,
                )
            if caller.shortage is not None:
                raise caller.shortage
            call = self._call(operation, caller, params, region, now)
            outcome, replayed = self._execute(call)
        except CloudError as error:
            self.world.rollback()
            failed = self._entry(caller, operation, region, name, shown, error=error)
            self._write(failed, now, caller)
            raise with_request(error, name) from None
        except BaseException:
            self.world.rollback()
            raise
        outcome.request_id = name
        outcome.answer = {**outcome.answer, "RequestId": name}
        entry = self._entry(caller, operation, region, name, shown, outcome=outcome)
        token = params.get("ClientToken") if operation.kind == "create" and not replayed else None
        try:
            self._write(entry, now, caller, token=token, params=params, outcome=outcome)
        except BaseException:
            self.world.rollback()
            raise
        self._accept(now)
        lost = self.faults.lost_answer(caller, operation.spec.op, reads=operation.reads)
        if lost is not None:
            raise with_request(lost, name)
        return outcome

    def _call(
        self,
        operation: Operation,
        caller: Caller,
        params: Mapping[str, str],
        region: str,
        now: datetime,
    ) -> Call:
        scope, world = self.scope(caller.account, now), self.world
        if operation.reads:
            world = self.faults.seen(world, caller.account, now.timestamp())
        return Call(
            operation=operation,
            params=params,
            account=caller.account,
            region=region,
            regional=operation.regional and "RegionId" in params,
            now=now.timestamp(),
            scope=Scope(**{**vars(scope), "params": params, "world": world}),
            catalogue=self.catalogue,
            world=world,
            lifecycle=self.lifecycle,
            ids=self.ids,
            check_supply=self.faults.check_supply,
            bill=partial(self.meters.lines, caller.account),
        )

    def _execute(self, call: Call) -> tuple[Outcome, bool]:
        operation = call.operation
        token = call.params.get("ClientToken")
        if operation.kind == "create" and token:
            known = self.store.reply(call.account, operation.spec.op, token)
            if known is not None:
                if known[0] != _fingerprint(call.params):
                    message = (
                        "The specified parameters are not the same as those of the earlier request"
                        " with this ClientToken."
                    )
                    raise CloudError("IdempotentParameterMismatch", message)
                kept = [
                    self.world.find(call.account, one, operation.resource_kind)
                    for one in known[1]["resources"]
                ]
                return (
                    Outcome(
                        answer=known[1]["answer"], resources=[r for r in kept if r is not None]
                    ),
                    True,
                )
        if operation.kind == "hook":
            return HOOKS[str(operation.spec.hook)](call), False
        return _KINDS[operation.kind](call), False

    def _write(
        self,
        entry: Entry,
        now: datetime,
        caller: Caller,
        *,
        token: str | None = None,
        params: Mapping[str, str] | None = None,
        outcome: Outcome | None = None,
    ) -> None:
        changes = self.world.pending()
        if caller.silent and not changes.written and not changes.erased:
            return
        with self.store.transaction():
            self.meters.observe(now.timestamp())
            self.store.apply(self.world.pending())
            if not caller.silent:
                self.audit.record(entry, now)
            if token and params is not None and outcome is not None:
                body = {"answer": outcome.answer, "resources": [r.id for r in outcome.resources]}
                self.store.put_reply(caller.account, entry.name, token, _fingerprint(params), body)

    def _entry(
        self,
        caller: Caller,
        operation: Operation,
        region: str,
        name: str,
        shown: Mapping[str, str],
        *,
        outcome: Outcome | None = None,
        error: CloudError | None = None,
    ) -> Entry:
        touched = outcome.resources if outcome is not None else []
        return Entry(
            caller=caller,
            name=operation.spec.op,
            service=operation.product.service,
            version=operation.product.api.version,
            reads=operation.reads,
            region=(touched[0].region if touched else region) or region or DEFAULT_REGION,
            is_global=not operation.regional,
            request_id=name,
            params=shown,
            answer=outcome.answer if outcome is not None else None,
            referenced=self._referenced(operation, touched, shown),
            error=error,
        )

    def _referenced(
        self, operation: Operation, touched: list[Resource], params: Mapping[str, str]
    ) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}

        def note(kind: str, resource_id: str) -> None:
            names = found.setdefault(self.catalogue.resources[kind].api.type, [])
            if resource_id not in names:
                names.append(resource_id)

        if operation.kind == "list":
            return found
        for resource in touched:
            note(resource.kind, resource.id)
            for field in self.catalogue.resources[resource.kind].fields:
                value = resource.fields.get(field.id)
                if field.api.ref is not None and value and not operation.reads:
                    for one in value if isinstance(value, list) else [value]:
                        note(field.api.ref.resource, one)
        if not touched and operation.resource is not None and operation.resource_kind is not None:
            for one in named(operation.resource, operation.spec, params):
                note(operation.resource_kind, one)
        return found


def with_request(error: CloudError, name: str) -> CloudError:
    """Return the refusal with the id of the request that it answers."""
    error.request_id = name
    return error


def _as_logged(value: str) -> str:
    """Clients differ in how they write booleans; the log does not."""
    return value.lower() if value in ("True", "False") else value


def _fingerprint(params: Mapping[str, str]) -> str:
    return json.dumps(sorted(params.items()))
