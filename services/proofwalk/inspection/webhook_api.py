"""The contract of webhooks (`proto/proofwalk/api/inspection/v1/webhooks.proto`) over
the use cases: mapping only."""

from __future__ import annotations

from collections.abc import Callable

from proofwalk.api.inspection.v1 import webhooks_pb2 as pb
from proofwalk.api.inspection.v1 import webhooks_pb2_grpc as pb_grpc
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.inspection.grpc_api import Context, caller_of
from proofwalk.inspection.webhook_life import Delivery, DeliveryState, Subscription
from proofwalk.inspection.webhook_usecases import Webhooks, Wish


class WebhooksApi(pb_grpc.WebhooksServicer):
    """Serves the contract."""

    def __init__(self, webhooks: Webhooks, *, wake: Callable[[], None]) -> None:
        """`wake` has the worker look now."""
        self._webhooks = webhooks
        self._wake = wake

    async def CreateWebhook(
        self, request: pb.CreateWebhookRequest, context: Context
    ) -> pb.CreateWebhookResponse:
        wish = Wish(url=request.url, events=list(request.events), description=request.description)
        caller = caller_of(request.caller, owns=True)
        subscription, secret = await self._webhooks.subscribe(wish, caller=caller)
        return pb.CreateWebhookResponse(webhook=_webhook(subscription), secret=secret)

    async def ListWebhooks(
        self, request: pb.ListWebhooksRequest, context: Context
    ) -> pb.ListWebhooksResponse:
        rows = await self._webhooks.all(caller=caller_of(request.caller))
        return pb.ListWebhooksResponse(webhooks=[_webhook(row) for row in rows])

    async def EnableWebhook(
        self, request: pb.EnableWebhookRequest, context: Context
    ) -> pb.EnableWebhookResponse:
        caller = caller_of(request.caller)
        subscription = await self._webhooks.enable(request.webhook_id, caller=caller)
        self._wake()
        return pb.EnableWebhookResponse(webhook=_webhook(subscription))

    async def DeleteWebhook(
        self, request: pb.DeleteWebhookRequest, context: Context
    ) -> pb.DeleteWebhookResponse:
        await self._webhooks.delete(request.webhook_id, caller=caller_of(request.caller))
        return pb.DeleteWebhookResponse()

    async def ListDeliveries(
        self, request: pb.ListDeliveriesRequest, context: Context
    ) -> pb.ListDeliveriesResponse:
        caller = caller_of(request.caller)
        rows = await self._webhooks.deliveries(request.webhook_id, caller=caller)
        return pb.ListDeliveriesResponse(deliveries=[_delivery(row) for row in rows])

    async def ReplayDelivery(
        self, request: pb.ReplayDeliveryRequest, context: Context
    ) -> pb.ReplayDeliveryResponse:
        caller = caller_of(request.caller)
        delivery = await self._webhooks.replay(request.delivery_id, caller=caller)
        self._wake()
        return pb.ReplayDeliveryResponse(delivery=_delivery(delivery))


def webhooks_service(api: WebhooksApi) -> RpcService:
    """The service of webhooks."""
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Webhooks"],
        register=pb_grpc.add_WebhooksServicer_to_server,
        servicer=api,
    )


def _webhook(subscription: Subscription) -> pb.Webhook:
    disabled = subscription.disabled_at
    return pb.Webhook(
        webhook_id=subscription.webhook_id,
        principal=subscription.principal,
        url=subscription.url,
        events=[event.value for event in subscription.events],
        description=subscription.description,
        created_at=moment_to_pb(subscription.created_at),
        disabled_at=None if disabled is None else moment_to_pb(disabled),
        disabled_reason=subscription.disabled_reason,
    )


def _delivery(delivery: Delivery) -> pb.Delivery:
    pending = delivery.state is DeliveryState.PENDING
    return pb.Delivery(
        delivery_id=delivery.delivery_id,
        webhook_id=delivery.webhook_id,
        event=delivery.event.value,
        state=delivery.state.value,
        tries=delivery.tries,
        created_at=moment_to_pb(delivery.created_at),
        due_at=moment_to_pb(delivery.due_at) if pending else None,
        ended_at=None if delivery.ended_at is None else moment_to_pb(delivery.ended_at),
        status=delivery.status,
        reason=delivery.reason,
        body=delivery.body,
    )
