"""Webhooks over the REST API, from the client's side (`client`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from proofwalk.platform.client import Client

_NO_BODY = {"Content-Length": "0"}


class WebhookBody(TypedDict):
    """A webhook, as far as the command line reads it."""

    webhook_id: str
    url: str
    events: Sequence[str]
    description: str
    created_at: str
    disabled_at: NotRequired[str]
    disabled_reason: str


class NewWebhookBody(TypedDict):
    """A webhook with its secret, which is told this once."""

    webhook: WebhookBody
    secret: str


class DeliveryBody(TypedDict):
    """A delivery, as far as the command line reads it."""

    delivery_id: str
    event: str
    state: str
    tries: int
    created_at: str
    status: int
    reason: str


class WebhooksClient:
    """What a client of the gateway can do with webhooks."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def create(self, url: str, events: Sequence[str], description: str) -> NewWebhookBody:
        """Raises `webhook.*`."""
        asked = {"url": url, "events": list(events), "description": description}
        created: NewWebhookBody = await self._client.call("POST", "/v1/webhooks", json=asked)
        return created

    async def webhooks(self) -> Sequence[WebhookBody]:
        """Those that the key sees."""
        webhooks: Sequence[WebhookBody] = (await self._client.call("GET", "/v1/webhooks"))[
            "webhooks"
        ]
        return webhooks

    async def delete(self, webhook_id: str) -> None:
        """Raises `webhook.not_found`."""
        await self._client.send("DELETE", f"/v1/webhooks/{webhook_id}")

    async def enable(self, webhook_id: str) -> WebhookBody:
        """Raises `webhook.not_found`."""
        path = f"/v1/webhooks/{webhook_id}:enable"
        webhook: WebhookBody = await self._client.call("POST", path, headers=_NO_BODY)
        return webhook

    async def deliveries(self, webhook_id: str) -> Sequence[DeliveryBody]:
        """Newest first. Raises `webhook.not_found`."""
        path = f"/v1/webhooks/{webhook_id}/deliveries"
        deliveries: Sequence[DeliveryBody] = (await self._client.call("GET", path))["deliveries"]
        return deliveries

    async def replay(self, delivery_id: str) -> DeliveryBody:
        """Send one that has ended again. Raises `webhook.no_delivery`."""
        path = f"/v1/deliveries/{delivery_id}:replay"
        delivery: DeliveryBody = await self._client.call("POST", path, headers=_NO_BODY)
        return delivery
