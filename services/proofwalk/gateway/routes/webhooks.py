"""Webhooks: where a key's events go, and each delivery of one."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from proofwalk.api.inspection.v1 import webhooks_pb2 as pb
from proofwalk.gateway import schemas
from proofwalk.gateway.bodies import NO_NUL, Body, described, read_body
from proofwalk.gateway.message_schemas import spelled
from proofwalk.gateway.routes.asking import App, Asking, DeliveryId, Submitting, WebhookId
from proofwalk.gateway.streams import caller_message

router = APIRouter()
_Event = Literal["finding.opened", "finding.reopened", "finding.fixed", "inspection.finished"]


class WebhookIn(Body):
    """Where which events go."""

    url: str = Field(min_length=1, max_length=2048, pattern=NO_NUL)
    events: list[_Event] = Field(min_length=1, max_length=10)
    description: str = Field(default="", max_length=200, pattern=NO_NUL)


@router.post(
    "/v1/webhooks",
    status_code=201,
    operation_id="createWebhook",
    openapi_extra=described(WebhookIn),
    responses=spelled(pb.CreateWebhookResponse, 201),
)
async def create(request: Request, caller: Submitting, parts: App) -> Response:
    asked = await read_body(request, WebhookIn)
    message = pb.CreateWebhookRequest(
        caller=caller_message(caller),
        url=asked.url,
        events=asked.events,
        description=asked.description,
    )
    reply = await parts.webhooks.CreateWebhook(message, timeout=10)
    headers = {"Cache-Control": "no-store"}
    return JSONResponse(schemas.to_json(reply), status_code=201, headers=headers)


@router.get(
    "/v1/webhooks",
    operation_id="listWebhooks",
    responses=spelled(pb.ListWebhooksResponse),
)
async def list_all(caller: Asking, parts: App) -> Response:
    request = pb.ListWebhooksRequest(caller=caller_message(caller))
    return JSONResponse(schemas.to_json(await parts.webhooks.ListWebhooks(request, timeout=10)))


@router.delete("/v1/webhooks/{webhook_id}", status_code=204, operation_id="deleteWebhook")
async def delete(caller: Submitting, parts: App, webhook_id: WebhookId) -> Response:
    request = pb.DeleteWebhookRequest(caller=caller_message(caller), webhook_id=webhook_id)
    await parts.webhooks.DeleteWebhook(request, timeout=10)
    return Response(status_code=204)


@router.post(
    "/v1/webhooks/{webhook_id}:enable",
    operation_id="enableWebhook",
    responses=spelled(pb.Webhook),
)
async def enable(caller: Submitting, parts: App, webhook_id: WebhookId) -> Response:
    request = pb.EnableWebhookRequest(caller=caller_message(caller), webhook_id=webhook_id)
    return JSONResponse(
        schemas.to_json((await parts.webhooks.EnableWebhook(request, timeout=10)).webhook)
    )


@router.get(
    "/v1/webhooks/{webhook_id}/deliveries",
    operation_id="listDeliveries",
    responses=spelled(pb.ListDeliveriesResponse),
)
async def deliveries(caller: Asking, parts: App, webhook_id: WebhookId) -> Response:
    request = pb.ListDeliveriesRequest(caller=caller_message(caller), webhook_id=webhook_id)
    return JSONResponse(schemas.to_json(await parts.webhooks.ListDeliveries(request, timeout=10)))


@router.post(
    "/v1/deliveries/{delivery_id}:replay",
    operation_id="replayDelivery",
    responses=spelled(pb.Delivery),
)
async def replay(caller: Submitting, parts: App, delivery_id: DeliveryId) -> Response:
    request = pb.ReplayDeliveryRequest(caller=caller_message(caller), delivery_id=delivery_id)
    return JSONResponse(
        schemas.to_json((await parts.webhooks.ReplayDelivery(request, timeout=10)).delivery)
    )
