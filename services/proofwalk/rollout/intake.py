"""Takes a request for a verification in: what can be wrong with it is found before a
row exists.

A request that comes here is valid by itself (`orders.order`). The document is fetched
(with the SSRF guard) or taken as given, parsed in a process of its own, and its
procedure chosen; META and rule are checked by the roles that will use them; the site,
if one is named, must be that of an account of the target; target and policy must be
known, and so must the role that is asked for (`role_choice`); where none is, the first
episode chooses, so that no pool is needed to take a request in. A request without META
gets the record that is kept for the procedure of this very document, if one is proven
and its keeper answers, and the row says which. Only then the source goes into the blob
store and the row into SQL. A refused request leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

import structlog

from proofwalk.agent.choosing import MODEL_POLICIES, no_model
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid, not_found
from proofwalk.kernel.jobs import JobState
from proofwalk.orders.order import SCRIPTED, DocumentSource, Order, VerificationRequest, refuse_nul
from proofwalk.orders.stored import request_digest
from proofwalk.procedures.confined import ChosenProcedure, DocumentReader
from proofwalk.procedures.model import Procedure
from proofwalk.rollout import usecases
from proofwalk.rollout.desktop_tasks import chosen_of, read_desktop_task, refuse_console_options
from proofwalk.rollout.pools import Pools
from proofwalk.rollout.ports import KeptMeta, Provisioner, RewardService
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.role_choice import RoleChoice, choose_role
from proofwalk.rollout.targets import TargetInfo

_log: structlog.stdlib.BoundLogger = structlog.get_logger()
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_AWAY = (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)
"""How a role answers that is not there now."""


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A document's bytes, as they came."""

    name: str
    content: bytes
    media_type: str


class Fetch(Protocol):
    """Gets a document by its address; raises `fetch.*`."""

    def __call__(self, url: str) -> Awaitable[Fetched]: ...


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A request, with whose it is and under which id."""

    verification_id: str
    request: VerificationRequest
    principal: str
    max_unfinished: int = 0
    """Verifications of the principal that may be unfinished, this one included; 0: any
    number. No part of what the request is."""

    @property
    def digest(self) -> str:
        """Over everything but the id: two submissions with one digest are the same."""
        return request_digest(self.request, principal=self.principal)


class Intake:
    """Accepts verifications."""

    def __init__(
        self,
        *,
        db: Database,
        blobs: Blobs,
        clock: Clock,
        fetch: Fetch,
        accounts: Pools,
        provisioner: Provisioner,
        rewards: RewardService,
        targets: Callable[[], Mapping[str, TargetInfo]],
        policies: Collection[str],
        documents: DocumentReader,
        has_model: bool = False,
        max_document_bytes: int,
        rung: Callable[[str], Awaitable[None]],
    ) -> None:
        self._db = db
        self._blobs = blobs
        self._clock = clock
        self._fetch = fetch
        self._accounts = accounts
        self._provisioner = provisioner
        self._rewards = rewards
        self._targets = targets
        self._policies = policies
        self._documents = documents
        self._has_model = has_model
        self._max_document_bytes = max_document_bytes
        self._rung = rung

    async def accept(self, submission: Submission) -> VerificationRow:
        """The queued verification. Idempotent by id; raises what is wrong with the
        request."""
        if not _ID.fullmatch(submission.verification_id):
            raise invalid(
                "verification.bad_id",
                "the verification_id is not 1 to 64 letters, digits, '-' and '_'",
            )
        self._check(submission)
        known = await usecases.known_verification(
            self._db, submission.verification_id, request_digest=submission.digest
        )
        if known is not None:
            # Neither the address nor the other roles are asked again: what they say now
            # changes nothing about it.
            await self._rung(known.id)
            return known
        most = submission.max_unfinished
        # Asked before the work as well: a principal that has enough makes nobody fetch
        # or parse.
        await usecases.check_room(self._db, submission.principal, max_unfinished=most)
        prepared = await self._prepared(submission, looks_up=True)
        stored = await usecases.create_verification(self._db, prepared, max_unfinished=most)
        await self._rung(stored.id)
        return stored

    async def prepare(self, submission: Submission) -> VerificationRow:
        """What would be stored for a request; its document is kept, and nothing else.
        The id is the caller's to check. Raises as `accept` does."""
        self._check(submission)
        return await self._prepared(submission, looks_up=False)

    async def _check_site(self, order: Order) -> None:
        """Raise `account.no_site` where no account of the target is of the order's
        site. The pool is asked each time; while it is away, or has no accounts yet, the
        order is taken in, and the lease says the same."""
        if not order.site:
            return
        try:
            dedications = await self._accounts.dedications(order.target)
        except ProofwalkError as error:
            if error.status not in _AWAY:
                raise
            _log.warning("sites_not_looked_up", reason=str(error))
            return
        sites = {one.site for one in dedications}
        if sites and not sites & {"", order.site}:
            raise not_found(
                "account.no_site",
                f"no account of {order.target!r} is of the site {order.site!r}",
                hint=(
                    f"its accounts are of: {', '.join(sorted(sites))}; name one of these, leave"
                    " the site out, or add an account of the site"
                ),
            )

    async def _prepared(self, submission: Submission, *, looks_up: bool) -> VerificationRow:
        """`looks_up`: whether a request without META gets what is kept for its
        procedure. A group's task is what it says, whenever it is asked for."""
        request = submission.request
        await self._check_site(request.order)
        if request.rule:
            await self._rewards.validate(request.rule)
        role_of_meta = ""
        if request.meta or request.meta_id:
            role_of_meta = await self._provisioner.validate(
                meta_yaml=request.meta, meta_id=request.meta_id, target=request.target
            )
        fetched = await self._source(request.document)
        on_desktop = self._targets()[request.target].tool == "desktop"
        chosen = (
            self._desktop_task(fetched) if on_desktop else await self._procedure(request, fetched)
        )
        procedure = chosen.procedure
        _check_script(request, procedure)
        record: KeptMeta | None = None
        if looks_up and not on_desktop and not request.meta and not request.meta_id:
            record = await self._kept(fetched, procedure.id, request.target)
            role_of_meta = record.role if record is not None else ""
        signed_in_as: RoleChoice | None = None
        if request.role or role_of_meta:
            signed_in_as = choose_role(
                procedure,
                await self._accounts.roles(request.target),
                order=request.role,
                meta=role_of_meta,
                target=request.target,
            )
        digest = await self._blobs.put(fetched.content)
        accept = request.accept or self._targets()[request.target].accept.value
        return VerificationRow(
            id=submission.verification_id,
            state=JobState.QUEUED,
            request_digest=submission.digest,
            document_name=fetched.name,
            document_digest=digest,
            document_title=chosen.title,
            media_type=chosen.media_type,
            procedure_id=procedure.id,
            order=request.order.model_copy(
                update={"accept": accept} | ({"meta": record.yaml} if record is not None else {})
            ),
            kept_meta=record.name if record is not None else "",
            signed_in_as=signed_in_as,
            principal=submission.principal,
            created_at=self._clock.now(),
            total=len(procedure.substeps),
            message="queued",
        )

    def _check(self, submission: Submission) -> None:
        """What the request alone does not show: whether there is what it names."""
        refuse_nul([submission.principal])
        request = submission.request
        if request.target not in self._targets():
            known = ", ".join(sorted(self._targets()))
            raise not_found(
                "target.unknown",
                f"there is no target {request.target!r}",
                hint=f"known targets: {known}",
            )
        if self._targets()[request.target].tool == "desktop":
            refuse_console_options(request.order)
        if request.policy not in self._policies:
            raise invalid(
                "policy.unknown",
                f"there is no policy {request.policy!r}",
                hint=f"known policies: {', '.join(sorted(self._policies))}",
            )
        if request.policy in MODEL_POLICIES and not self._has_model:
            raise no_model(request.policy)
        if request.scenario and not self._targets()[request.target].has_scenarios:
            raise invalid(
                "target.no_scenarios",
                f"the console of target {request.target!r} has no scenarios",
                hint=(
                    "leave the scenario out, or name the URL parameter as"
                    " `console.scenario_parameter` in the target file"
                ),
            )

    async def _procedure(self, request: VerificationRequest, fetched: Fetched) -> ChosenProcedure:
        return await self._documents.procedure(
            fetched.name,
            fetched.content,
            fetched.media_type or None,
            procedure_id=request.procedure_id or None,
            max_bytes=self._max_document_bytes,
        )

    def _desktop_task(self, fetched: Fetched) -> ChosenProcedure:
        if len(fetched.content) > self._max_document_bytes:
            raise invalid(
                "osworld.task_invalid",
                f"{fetched.name} is larger than {self._max_document_bytes} bytes",
            )
        return chosen_of(read_desktop_task(fetched.name, fetched.content), fetched.name)

    async def _kept(self, fetched: Fetched, procedure_id: str, target: str) -> KeptMeta | None:
        """The record that is kept for the document; none while its keeper is away: most
        documents have none, and a request is not lost for that."""
        try:
            return await self._provisioner.kept_record(
                document_digest=hashlib.sha256(fetched.content).hexdigest(),
                procedure_id=procedure_id,
                target=target,
            )
        except ProofwalkError as error:
            if error.status not in _AWAY:
                raise
            _log.warning("kept_meta_not_looked_up", reason=str(error))
            return None

    async def _source(self, document: DocumentSource) -> Fetched:
        if document.url:
            fetched = await self._fetch(document.url)
            name, media_type = (
                document.name or fetched.name,
                document.media_type or fetched.media_type,
            )
            return Fetched(name=name, content=fetched.content, media_type=media_type)
        content = document.text.encode()
        return Fetched(
            name=document.name or "document", content=content, media_type=document.media_type
        )


def _check_script(request: Order, procedure: Procedure) -> None:
    """A script goes with the policy that plays it, and has an entry for each sub-step.
    Raises `script.invalid`."""
    if request.policy != SCRIPTED:
        if request.script:
            raise invalid(
                "script.invalid",
                f"the policy {request.policy!r} plays no script",
                hint=f"leave the script out, or ask for the policy {SCRIPTED!r}",
            )
        return
    if not request.script:
        raise invalid(
            "script.invalid",
            f"the policy {SCRIPTED!r} plays a script, and none was given",
            hint="give the script, or ask for another policy",
        )
    entries, substeps = len(parse_script(request.script).entries), len(procedure.substeps)
    if entries != substeps:
        raise invalid(
            "script.invalid",
            f"the script has {entries} entries and the procedure {procedure.id!r} has {substeps}"
            " sub-steps",
            hint=(
                "write one entry for each sub-step; an empty list for a sub-step that asks for"
                " nothing"
            ),
        )
