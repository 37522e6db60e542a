"""META records: which there are, how far each is trusted, and what showed it.

A record has no owner, and one that was written for a walk's need tells of the document
that was walked: these pages are for operators. Secrets in a record are masked
(`masking`). An operator may have a version tried; the page then shows how far the
trial is, and how it ended.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import RedirectResponse, Response
from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2 as rollouts
from proofwalk.chassis.rpc.vocabulary import moment_from_pb
from proofwalk.gateway import changes
from proofwalk.gateway.neighbours import Neighbours
from proofwalk.gateway.roles import Act
from proofwalk.gateway.routes.asking import App
from proofwalk.gateway.web.guard import Pages, SignedIn
from proofwalk.gateway.web.masking import masked
from proofwalk.gateway.web.page_parts import PagePart
from proofwalk.gateway.web.trial_rows import trial_rows
from proofwalk.gateway.web.visit import read_form, text_of
from proofwalk.kernel.errors import invalid, not_found

router = APIRouter()
PATH = "/console/records"
_VERSIONS = 20
"""Versions of a record that its page looks back on."""
_TRIALS = 10
_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
_VERIFY = re.compile(r"^verify:.*\n(?:[ \t-].*\n|\n|#.*\n)*", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One version of a record."""

    id: str
    version: int
    state: str
    origin: str
    digest: str
    target_kind: str
    product: str
    document_digest: str
    intent: str
    writer: str
    """Who wrote it; empty for a person."""
    run: str
    provider_version: str
    created_at: datetime | None
    state_at: datetime | None
    checked_at: datetime | None
    state_run: str
    """The run that showed its state; empty where a person says it."""
    state_reason: str
    yaml: str
    """With secrets masked."""

    @property
    def verify(self) -> str:
        """The part of the YAML that says what is looked for once it is made."""
        part = _VERIFY.search(self.yaml + "\n")
        return "" if part is None else part[0].rstrip()


RecordId = Annotated[str, Path(max_length=128)]


@router.get(PATH)
async def records(visit: SignedIn, pages: Pages, parts: App) -> Response:
    parts.keys.permit(visit.caller, Act.OPERATE)
    listed = await _newest(parts.neighbours)
    return pages.page(
        visit, "records", records=listed.mapped(lambda metas: [_record(one) for one in metas])
    )


@router.get(PATH + "/{record_id}")
async def record(
    visit: SignedIn,
    pages: Pages,
    parts: App,
    record_id: RecordId,
    version: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Raises `meta.not_found`."""
    parts.keys.permit(visit.caller, Act.OPERATE)
    roles = parts.neighbours
    listed: PagePart[Sequence[pb.Meta]]
    trials: PagePart[pb.ListTrialsResponse]
    targets: PagePart[rollouts.ListTargetsResponse]
    listed, trials, targets = await asyncio.gather(
        _newest(roles),
        roles.ask(roles.provisioner.ListTrials, pb.ListTrialsRequest(id=record_id, limit=_TRIALS)),
        roles.ask(parts.rollout.ListTargets, rollouts.ListTargetsRequest()),
    )
    newest = next((one for one in listed.content or () if one.id == record_id), None)
    if listed.content is not None and newest is None:
        raise _unknown(record_id)
    history = (
        PagePart[Sequence[Record]](error=listed.error)
        if newest is None
        else await _history(roles, newest, asked=version)
    )
    wanted = version or (newest.version if newest else 0)
    chosen = next((one for one in history.content or () if one.version == wanted), None)
    if history.content is not None and chosen is None:
        raise _unknown(f"{record_id}@{version}")
    rows = trials.mapped(trial_rows)
    return pages.page(
        visit,
        "record",
        record_id=record_id,
        record=chosen,
        history=history,
        most=_VERSIONS,
        trials=rows,
        is_tried=any(one.is_open for one in rows.content or ()),
        targets=[one.id for one in targets.content.targets if one.has_provisioning]
        if targets.content
        else [],
    )


@router.post(PATH + "/{record_id}/test")
async def try_record(
    request: Request, visit: SignedIn, parts: App, record_id: RecordId
) -> Response:
    """Have a version tried. Raises what `changes.try_record` does, and
    `meta.bad_version`."""
    form = await read_form(request, parts)
    # Whoever may not is told that, whatever else is wrong with the form.
    parts.keys.permit(visit.caller, Act.OPERATE)
    version = text_of(form, "version")
    if not _NUMBER.fullmatch(version):
        raise invalid("meta.bad_version", "the form names no version", hint="load the page anew")
    await changes.try_record(
        parts, visit.caller, record_id, version=int(version), target=text_of(form, "target")
    )
    return RedirectResponse(
        f"{PATH}/{quote(record_id, safe='')}?version={version}#trials", status_code=303
    )


async def _newest(roles: Neighbours) -> PagePart[Sequence[pb.Meta]]:
    """The newest version of each record."""
    listed: PagePart[pb.ListMetasResponse] = await roles.ask(
        roles.provisioner.ListMetas, pb.ListMetasRequest()
    )
    return listed.mapped(lambda reply: list(reply.metas))


async def _history(roles: Neighbours, newest: pb.Meta, *, asked: int) -> PagePart[Sequence[Record]]:
    """The newest versions, and the one that was asked for, the newest first."""
    numbers = set(range(max(1, newest.version - _VERSIONS + 1), newest.version))
    if 0 < asked < newest.version:
        numbers.add(asked)
    earlier: Sequence[PagePart[pb.GetMetaResponse]] = await asyncio.gather(
        *(
            roles.ask(roles.provisioner.GetMeta, pb.GetMetaRequest(id=newest.id, version=number))
            for number in sorted(numbers, reverse=True)
        )
    )
    failed = [one.error for one in earlier if one.error is not None]
    if failed:
        return PagePart(error=failed[0])
    metas = [newest, *(one.content.meta for one in earlier if one.content is not None)]
    return PagePart(content=[_record(one) for one in metas])


def _unknown(name: str) -> Exception:
    return not_found(
        "meta.not_found", f"there is no META record {name[:80]!r}", hint=f"{PATH} lists them"
    )


def _record(meta: pb.Meta) -> Record:
    return Record(
        id=meta.id,
        version=meta.version,
        state=meta.state,
        origin=meta.origin,
        digest=meta.digest,
        target_kind=meta.target_kind,
        product=meta.product,
        document_digest=meta.document_digest,
        intent=meta.intent,
        writer=meta.lineage.writer,
        run=meta.lineage.run,
        provider_version=meta.lineage.provider_version,
        created_at=_moment(meta.created_at),
        state_at=_moment(meta.state_at),
        checked_at=_moment(meta.checked_at),
        state_run=meta.state_run,
        state_reason=meta.state_reason,
        yaml=masked(meta.yaml),
    )


def _moment(stamp: Timestamp) -> datetime | None:
    """None where the role said none."""
    return moment_from_pb(stamp) if stamp.seconds else None
