"""What routes work with: the application's parts, who asks, which verification.

A route names its caller first: who has no key learns nothing about the rest of the
request. Until the route has its answer, the request counts as under way for its key.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from proofwalk.api.inspection.v1.findings_pb2_grpc import FindingsStub
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsStub
from proofwalk.api.inspection.v1.webhooks_pb2_grpc import WebhooksStub
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.database import Database
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.limits import Limits
from proofwalk.gateway.neighbours import Neighbours
from proofwalk.gateway.oidc.provider import Provider
from proofwalk.gateway.roles import Act
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.gateway.streams import caller_message
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, not_found
from proofwalk.kernel.ids import IdSource

_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What the application is made of; in `app.state.parts`."""

    rollout: RolloutStub
    inspections: InspectionsStub
    findings: FindingsStub
    webhooks: WebhooksStub
    neighbours: Neighbours
    db: Database
    keys: Keyring
    limits: Limits
    settings: GatewaySettings
    clock: Clock
    ids: IdSource
    ready: Callable[[], Awaitable[bool]]
    provider: Provider | None = None
    """By which people sign in to the console."""

    async def verification(self, verification_id: str, caller: Caller) -> pb.Verification:
        """Raises `verification.not_found`."""
        request = pb.GetVerificationRequest(
            caller=caller_message(caller), verification_id=verification_id
        )
        reply = await self.rollout.GetVerification(request, timeout=10)
        found: pb.Verification = reply.verification
        return found


def _parts(request: Request) -> Parts:
    found: Parts = request.app.state.parts
    return found


def address_of(request: Request) -> str:
    """The address that the request came from; behind a proxy, the proxy's."""
    return request.client.host if request.client else ""


async def _caller(
    request: Request, authorization: Annotated[str | None, Header(include_in_schema=False)] = None
) -> AsyncIterator[Caller]:
    """Who asks, admitted under the limits of its key."""
    parts = _parts(request)
    try:
        caller = parts.keys.caller(authorization)
    except ProofwalkError:
        parts.limits.unknown_key(address_of(request))
        raise
    parts.limits.admit(caller.principal)
    with parts.limits.under_way(caller.principal):
        yield caller


def _known(what: str, given: str, code: str) -> str:
    """An id that may be one; raises `code`."""
    if not _ID.fullmatch(given):
        raise not_found(code, f"there is no {what} {given[:64]!r}")
    return given


def _id(verification_id: str) -> str:
    return _known("verification", verification_id, "verification.not_found")


def _collection(collection_id: str) -> str:
    return _known("collection", collection_id, "collection.not_found")


def _inspection(inspection_id: str) -> str:
    return _known("inspection", inspection_id, "inspection.not_found")


def _webhook(webhook_id: str) -> str:
    return _known("webhook", webhook_id, "webhook.not_found")


def _delivery(delivery_id: str) -> str:
    return _known("delivery", delivery_id, "webhook.no_delivery")


def check_finding_id(finding_id: str) -> str:
    """An id that may be one; raises `finding.not_found`."""
    return _known("finding", finding_id, "finding.not_found")


App = Annotated[Parts, Depends(_parts)]
Asking = Annotated[Caller, Depends(_caller, scope="function")]


def _permitted(act: Act) -> Callable[[Caller, Parts], Caller]:
    """Who asks, if its role allows the act."""

    def permitted(caller: Asking, parts: App) -> Caller:
        parts.keys.permit(caller, act)
        return caller

    return permitted


Submitting = Annotated[Caller, Depends(_permitted(Act.SUBMIT))]
"""Who asks for walks, or for what comes of them. Raises `auth.role_forbids`."""
Cancelling = Annotated[Caller, Depends(_permitted(Act.CANCEL))]
Reviewing = Annotated[Caller, Depends(_permitted(Act.REVIEW))]
VerificationId = Annotated[str, Depends(_id)]
CollectionId = Annotated[str, Depends(_collection)]
InspectionId = Annotated[str, Depends(_inspection)]
FindingId = Annotated[str, Depends(check_finding_id)]
WebhookId = Annotated[str, Depends(_webhook)]
DeliveryId = Annotated[str, Depends(_delivery)]
EpisodeNumber = Annotated[
    int,
    Query(
        ge=0,
        le=10_000,
        description="Number of the episode; 0 for the one that the verdict rests on.",
    ),
]
