"""Takes a request for a verification in: everything that can be wrong with it is found here, before a row exists.

The document is fetched (with the SSRF guard) or taken as given, parsed in a process of its own, and its procedure chosen; META and rule are
checked by the roles that will use them; target and policy must be known. Only then the source goes into the blob store and the row into SQL. A
refused request leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from proofwalk.agent.choosing import MODEL_POLICIES, no_model
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid, not_found
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import ACCEPTABLE, Evidence
from proofwalk.procedures.confined import DocumentReader
from proofwalk.procedures.model import Procedure
from proofwalk.rollout import usecases
from proofwalk.rollout.ports import Provisioner, RewardService
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.targets import TargetInfo

MAX_ATTEMPTS = 10
_MAX_REGION = 64
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SCENARIO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_SCRIPTED = "scripted"


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
class Request:
    """What was asked for."""

    verification_id: str
    url: str = ""
    content: bytes = b""
    name: str = ""
    media_type: str = ""
    procedure_id: str = ""
    target: str
    policy: str = "literal"
    attempts: int = 1
    meta_yaml: str = ""
    meta_id: str = ""
    rule_yaml: str = ""
    script_yaml: str = ""
    scenario: str = ""
    region: str = ""
    principal: str = ""
    trace: bool = False
    accept: Evidence | None = None
    """The lowest rung of evidence that counts as proof: audit, judges or page; None: the target's."""
    max_unfinished: int = 0
    """Verifications of the principal that may be unfinished, this one included; 0: any number. No part of what the request is."""

    @property
    def digest(self) -> str:
        """SHA-256 over everything but the id: two requests with one digest are the same request."""
        fields = [*self.texts, str(self.attempts), hashlib.sha256(self.content).hexdigest(), *(["trace"] if self.trace else [])]
        fields += [f"accept {self.accept}"] if self.accept else []
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every field that is text, but the id."""
        source = (self.url, self.name, self.media_type, self.procedure_id, self.target, self.policy)
        records = (self.meta_yaml, self.meta_id, self.rule_yaml, self.script_yaml)
        return (*source, *records, self.scenario, self.region, self.principal)


class Intake:
    """Accepts verifications."""

    def __init__(
        self,
        *,
        db: Database,
        blobs: Blobs,
        clock: Clock,
        fetch: Fetch,
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
        self._provisioner = provisioner
        self._rewards = rewards
        self._targets = targets
        self._policies = policies
        self._documents = documents
        self._has_model = has_model
        self._max_document_bytes = max_document_bytes
        self._rung = rung

    async def accept(self, request: Request) -> VerificationRow:
        """The queued verification. Idempotent by id; raises what is wrong with the request."""
        if not _ID.fullmatch(request.verification_id):
            raise invalid("verification.bad_id", "the verification_id is not 1 to 64 letters, digits, '-' and '_'")
        self._check(request)
        known = await usecases.known_verification(self._db, request.verification_id, request_digest=request.digest)
        if known is not None:
            # Neither the address nor the other roles are asked again: what they say now changes nothing about it.
            await self._rung(known.id)
            return known
        # Asked before the work as well: a principal that has enough makes nobody fetch or parse.
        await usecases.check_room(self._db, request.principal, max_unfinished=request.max_unfinished)
        stored = await usecases.create_verification(
            self._db, await self._prepared(request), max_unfinished=request.max_unfinished
        )
        await self._rung(stored.id)
        return stored

    async def prepare(self, request: Request) -> VerificationRow:
        """What would be stored for a request; its document is kept, and nothing else. The id is the caller's to check. Raises as `accept` does."""
        self._check(request)
        return await self._prepared(request)

    async def _prepared(self, request: Request) -> VerificationRow:
        if request.rule_yaml:
            await self._rewards.validate(request.rule_yaml)
        if request.meta_yaml:
            await self._provisioner.validate(request.meta_yaml)
        fetched = await self._source(request)
        chosen = await self._documents.procedure(
            fetched.name,
            fetched.content,
            fetched.media_type or None,
            procedure_id=request.procedure_id or None,
            max_bytes=self._max_document_bytes,
        )
        procedure = chosen.procedure
        _check_script(request, procedure)
        digest = await self._blobs.put(fetched.content)
        return VerificationRow(
            id=request.verification_id,
            state=JobState.QUEUED,
            request_digest=request.digest,
            document_name=fetched.name,
            document_digest=digest,
            document_title=chosen.title,
            media_type=chosen.media_type,
            procedure_id=procedure.id,
            target=request.target,
            policy=request.policy,
            attempts=request.attempts,
            meta_yaml=request.meta_yaml,
            meta_id=request.meta_id,
            rule_yaml=request.rule_yaml,
            script_yaml=request.script_yaml,
            scenario=request.scenario,
            region=request.region,
            principal=request.principal,
            trace=request.trace,
            accept=request.accept or self._targets()[request.target].accept,
            created_at=self._clock.now(),
            total=len(procedure.substeps),
            message="queued",
        )

    def _check(self, request: Request) -> None:
        if len(request.region) > _MAX_REGION:
            raise invalid("verification.bad_region", f"the region is longer than {_MAX_REGION} characters")
        if any("\0" in text for text in request.texts):
            raise invalid("verification.bad_text", "a field of the request contains a NUL character")
        if bool(request.url) == bool(request.content):
            raise invalid(
                "document.no_source",
                "give either a URL or the document's content",
                hint="set `document.url` or `document.content`",
            )
        if not 1 <= request.attempts <= MAX_ATTEMPTS:
            raise invalid("verification.bad_attempts", f"attempts must be 1 to {MAX_ATTEMPTS}, got {request.attempts}")
        if request.accept not in (None, *ACCEPTABLE):
            raise invalid(
                "verification.bad_accept",
                f"{str(request.accept)!r} is no rung of evidence that can be accepted as proof",
                hint=f"one of {', '.join(rung.value for rung in ACCEPTABLE)}",
            )
        if request.meta_yaml and request.meta_id:
            raise invalid("meta.two_sources", "give META as a record or by the id of a stored one, not both")
        if request.target not in self._targets():
            known = ", ".join(sorted(self._targets()))
            raise not_found("target.unknown", f"there is no target {request.target!r}", hint=f"known targets: {known}")
        if request.policy not in self._policies:
            raise invalid(
                "policy.unknown",
                f"there is no policy {request.policy!r}",
                hint=f"known policies: {', '.join(sorted(self._policies))}",
            )
        if request.policy in MODEL_POLICIES and not self._has_model:
            raise no_model(request.policy)
        if request.scenario and not _SCENARIO.fullmatch(request.scenario):
            raise invalid("verification.bad_scenario", "a scenario's name is 1 to 128 letters, digits, '.', '_' and '-'")
        if request.scenario and not self._targets()[request.target].has_scenarios:
            raise invalid(
                "target.no_scenarios",
                f"the console of target {request.target!r} has no scenarios",
                hint="leave the scenario out, or name the URL parameter as `console.scenario_parameter` in the target file",
            )

    async def _source(self, request: Request) -> Fetched:
        if request.url:
            fetched = await self._fetch(request.url)
            return Fetched(
                name=request.name or fetched.name, content=fetched.content, media_type=request.media_type or fetched.media_type
            )
        return Fetched(name=request.name or "document", content=request.content, media_type=request.media_type)


def _check_script(request: Request, procedure: Procedure) -> None:
    """A script goes with the policy that plays it, and has an entry for each sub-step. Raises `script.invalid`."""
    if request.policy != _SCRIPTED:
        if request.script_yaml:
            raise invalid(
                "script.invalid",
                f"the policy {request.policy!r} plays no script",
                hint=f"leave the script out, or ask for the policy {_SCRIPTED!r}",
            )
        return
    if not request.script_yaml:
        raise invalid(
            "script.invalid",
            f"the policy {_SCRIPTED!r} plays a script, and none was given",
            hint="give the script, or ask for another policy",
        )
    entries, substeps = len(parse_script(request.script_yaml).entries), len(procedure.substeps)
    if entries != substeps:
        raise invalid(
            "script.invalid",
            f"the script has {entries} entries and the procedure {procedure.id!r} has {substeps} sub-steps",
            hint="write one entry for each sub-step; an empty list for a sub-step that asks for nothing",
        )
