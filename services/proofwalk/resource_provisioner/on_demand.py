"""Meets needs while a walk waits: a record is found, or written, and made.

Coders are asked in turn, each until it has nothing more: first what is *kept* for the
document and the intent, then who composes for the target's console, then the catalogue.
A record runs as any other does (guard, Terraform, verification); one that fails has
left nothing, and its coder is told why; at most `rounds` records are run. What was
written and worked is kept as a proposal for the document and the intent, so that the
next walk begins with it. A kept record for the target's kind that the cloud refused
where it made another one is stale; trouble that passes (`kernel.staleness`) ends the
call, and marks nothing.

What belongs with what earlier records of the same lease made (the walk's own META, or
an earlier need's) is placed in that network (`placing`), whoever wrote the record. It
is kept in its general form, in which it makes a network of its own, so that no other
walk meets the ids of this one. A round that fails placed says nothing against the
record: the next one is placed less.

A request that is repeated gives what the first one made: its rounds have rows of their
own (`REQUEST:1`, `REQUEST:2`, …), and what a row holds is not written again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from proofwalk.chassis.database import Database
from proofwalk.cloud.ports import ResourceRef
from proofwalk.cloud.sweeping import dependents_first
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.needs import MadeResource, Need, Report, report_of
from proofwalk.kernel.staleness import blames_the_record
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.coder import NO_TEMPLATE, CatalogCoder, Coder, Failure
from proofwalk.resource_provisioner.domain import ProvisioningState
from proofwalk.resource_provisioner.intents import as_for, is_told_apart, purpose_of
from proofwalk.resource_provisioner.limits import NO_LIMITS, Limits
from proofwalk.resource_provisioner.lineage import Lineage, Mark, MetaState, Purpose
from proofwalk.resource_provisioner.meta import Meta, read_kept
from proofwalk.resource_provisioner.networks import Network, network_of
from proofwalk.resource_provisioner.placing import forms_of
from proofwalk.resource_provisioner.provisioning import Provisioner
from proofwalk.resource_provisioner.repository import MetaRow, ProvisioningRow

log = structlog.get_logger()
KEPT = "kept"
CoderMakers = Mapping[str, Callable[[], Coder]]
"""Adapter -> what makes the coder for its consoles. It is called once, at the first
need, in a thread: it may read much."""


class Coders:
    """Who is asked for the needs of a target."""

    def __init__(self, targets: TargetCatalog, makers: CoderMakers) -> None:
        self._targets = targets
        self._makers = makers
        self._catalog = CatalogCoder()
        self._made: dict[str, Coder] = {}
        self._making = asyncio.Lock()

    async def of(self, target: str) -> Sequence[Coder]:
        """In the order in which they are asked. Raises `target.*`."""
        adapter = self._targets.get(target).adapter
        async with self._making:
            if adapter in self._makers and adapter not in self._made:
                self._made[adapter] = await asyncio.to_thread(self._makers[adapter])
        composing = self._made.get(adapter)
        return (self._catalog,) if composing is None else (composing, self._catalog)


class KeptCoder:
    """Answers with the best record that is kept for a purpose, once."""

    name = KEPT

    def __init__(self, db: Database, purpose: Purpose) -> None:
        self._db = db
        self._purpose = purpose

    async def write(self, need: Need, failures: Sequence[Failure]) -> str:
        rows: Sequence[MetaRow] = ()
        if is_told_apart(self._purpose) and all(one.placed for one in failures):
            rows = await usecases.find_metas(self._db, self._purpose)
        if not rows:
            raise conflict(NO_TEMPLATE, "no further record is kept for the document and the need")
        return rows[0].yaml


@dataclass(frozen=True, kw_only=True)
class MetNeed:
    """A need that was met."""

    row: ProvisioningRow
    rounds: int
    """Records that were run."""
    record: MetaRow | None
    """That which was used, as it is kept. None where it was placed: a walk that leaves
    nothing behind then says nothing of the form that is kept."""

    @property
    def report(self) -> Report:
        """What goes back into the agent's context."""
        made = [
            ResourceRef(
                product=item["product"],
                type=item["type"],
                id=item["id"],
                name=item["name"],
                state=item["state"],
            )
            for item in self.row.resources
        ]
        resources = [
            MadeResource(
                product=one.product, type=one.type, id=one.id, name=one.name, state=one.state
            )
            for one in dependents_first(made)
        ]
        meta = read_kept(self.row.meta_yaml)
        footings = [
            MadeResource(product=one.product, type=one.type, id=one.id, name=one.name)
            for one in self.row.footings
        ]
        parts = parts_of(meta, self.row.outputs, [*resources, *footings])
        return report_of([*parts, *resources, *footings], meta.description)


def parts_of(
    meta: Meta, outputs: Mapping[str, str], resources: Sequence[MadeResource]
) -> list[MadeResource]:
    """What K says is made and no inventory lists: a part of another thing, such as an
    account of a database instance. A composed record calls its outputs by the type
    (`account_id`, `account_name`)."""
    listed = {f"{one.product}.{one.type}" for one in resources}
    parts = []
    kinds = meta.attributes.get("resources", ())
    for kind in kinds if isinstance(kinds, Sequence) else ():
        product, _, type_name = kind.partition(".") if isinstance(kind, str) else ("", "", "")
        if type_name and kind not in listed and f"{type_name}_id" in outputs:
            parts.append(
                MadeResource(
                    product=product,
                    type=type_name,
                    id=outputs[f"{type_name}_id"],
                    name=outputs.get(f"{type_name}_name", ""),
                )
            )
    return parts


@dataclass(frozen=True, kw_only=True)
class _Proposal:
    coder: str
    yaml: str


class OnDemand:
    """Meets needs."""

    def __init__(
        self,
        provisioner: Provisioner,
        coders: Coders,
        *,
        db: Database,
        clock: Clock,
        rounds: int,
    ) -> None:
        self._provisioner = provisioner
        self._coders = coders
        self._db = db
        self._clock = clock
        self._rounds = rounds

    async def meet(
        self,
        need: Need,
        *,
        request_id: str,
        lease: LeaseRef,
        region: str,
        limits: Limits = NO_LIMITS,
    ) -> MetNeed:
        """Make what is missing.

        Raises `provision.no_template`, `provision.quota`, `lease.*`, `target.*`, or the
        last round's failure.
        """
        earlier = await self._earlier(request_id)
        if earlier is not None:
            return earlier
        purpose = purpose_of(need, self._provisioner.target_kind(lease.target))
        coders = [KeptCoder(self._db, purpose), *await self._coders.of(lease.target)]
        region = await self._provisioner.region(lease.target, region)
        network = await self._network(request_id, lease, region)
        failures: list[Failure] = []
        for number in range(1, self._rounds + 1):
            proposal = await _proposal(coders, need, purpose, failures)
            forms = forms_of(proposal.yaml, need, network, region=region)
            form = forms[min(sum(one.placed for one in failures), len(forms) - 1)]
            try:
                row = await self._provisioner.provision(
                    request_id=f"{request_id}:{number}",
                    lease=lease,
                    form=form,
                    region=region,
                    limits=limits,
                )
            except ProofwalkError as error:
                if not _is_of_the_record(error):
                    raise
                log.info("record_failed", coder=proposal.coder, code=error.code)
                failures.append(
                    Failure(
                        coder=proposal.coder,
                        yaml=proposal.yaml,
                        error=error,
                        placed=bool(form.footings),
                    )
                )
                continue
            record = await self._keep(proposal, row, purpose, request_id)
            for failure in failures:
                await self._distrust(failure, row, purpose.target_kind)
            log.info("need_met", coder=proposal.coder, rounds=number, intent=purpose.intent)
            return _need_met(row, number, record)
        raise failures[-1].error

    async def _network(self, request_id: str, lease: LeaseRef, region: str) -> Network | None:
        """The network of the lease, but for what this request itself has made."""
        rows = await usecases.ready(self._db, lease, region=region)
        return network_of([row for row in rows if row.request_id.rpartition(":")[0] != request_id])

    async def _earlier(self, request_id: str) -> MetNeed | None:
        """What the request has made already."""
        for number in range(1, self._rounds + 1):
            row = await usecases.of_request(self._db, f"{request_id}:{number}")
            if row is not None and row.state is ProvisioningState.READY:
                record = await usecases.kept_as(self._db, row.record_yaml)
                return None if record is None else _need_met(row, number, record)
        return None

    async def _keep(
        self, proposal: _Proposal, row: ProvisioningRow, purpose: Purpose, request_id: str
    ) -> MetaRow | None:
        """The record that was made, kept as a proposal if it was written now. None for
        one that an earlier call wrote and did not come to keep: nobody can say who
        did."""
        if proposal.coder == KEPT or proposal.yaml != row.record_yaml:
            return await usecases.kept_as(self._db, row.record_yaml)
        meta, now = read_kept(row.record_yaml), self._clock.now()
        lineage = Lineage(
            writer=proposal.coder,
            run=request_id,
            provider_version=await self._provisioner.provider_version(row.target),
        )
        written = MetaRow(
            id=meta.id,
            digest=meta.digest,
            yaml=row.record_yaml,
            origin="runtime",
            created_at=now,
            state=MetaState.PROPOSED,
            state_at=now,
            checked_at=now,
            **purpose.__dict__,
            **lineage.__dict__,
        )
        return await usecases.put_meta(self._db, written)

    async def _distrust(self, failure: Failure, row: ProvisioningRow, kind: str) -> None:
        """Mark a kept record as stale: the cloud made another one for the same need,
        and refused this one. A record that is not for the very kind of cloud may still
        be right for its own."""
        if failure.coder != KEPT or failure.placed or not blames_the_record(failure.error):
            return
        record = await usecases.kept_as(self._db, failure.yaml)
        if record is not None and record.target_kind == kind:
            mark = Mark(state=MetaState.STALE, run=row.id, target_kind=kind)
            await usecases.mark_meta(self._db, record.id, record.version, mark, clock=self._clock)


def _need_met(row: ProvisioningRow, rounds: int, record: MetaRow | None) -> MetNeed:
    return MetNeed(row=row, rounds=rounds, record=None if row.footings else record)


async def _proposal(
    coders: Sequence[Coder], need: Need, purpose: Purpose, failures: Sequence[Failure]
) -> _Proposal:
    """The next record to run. Raises the last failure, or `provision.no_template` with
    what each coder said."""
    reasons: list[str] = []
    for coder in coders:
        own = [one for one in failures if one.coder == coder.name]
        try:
            yaml = await coder.write(need, own)
        except ProofwalkError as error:
            if error.status is not Status.FAILED_PRECONDITION:
                raise
            reasons.append(error.message)
            continue
        return _Proposal(
            coder=coder.name, yaml=yaml if coder.name == KEPT else as_for(yaml, purpose)
        )
    if failures:
        raise failures[-1].error
    raise conflict(
        NO_TEMPLATE,
        f"nothing meets the need {need.text[:200]!r}: {'; '.join(reasons)}",
        hint="write a META record for the document",
    )


def _is_of_the_record(error: ProofwalkError) -> bool:
    """Whether another record may do where this one did not. A request whose making has
    ended is not made again."""
    if error.code in ("provision.ended", usecases.EXPIRED):
        return False
    return error.status is Status.FAILED_PRECONDITION or blames_the_record(error)
