"""Collections and inspections of an installation, over its REST API."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.orders.collection import CollectionSpec
from proofwalk.orders.inspection import CollectionBody, InspectionBody, ItemBody
from proofwalk.platform.client import Client

_PAGE = 500
_NO_BODY = {"Content-Length": "0"}


class InspectionsClient:
    """What a client of the gateway can do with collections."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def collections(self, name: str = "") -> Sequence[CollectionBody]:
        """Those that the key sees, or the one of that name."""
        params = {"name": name} if name else {}
        answer = await self._client.call("GET", "/v1/collections", params=params)
        collections: Sequence[CollectionBody] = answer["collections"]
        return collections

    async def keep(self, spec: CollectionSpec) -> CollectionBody:
        """Make a collection, or have the one of this name say this."""
        body = spec.model_dump(mode="json", exclude_defaults=True)
        known = await self.collections(spec.name)
        if not known:
            collection: CollectionBody = await self._client.call(
                "POST", "/v1/collections", json=body
            )
            return collection
        path = f"/v1/collections/{known[0]['collection_id']}"
        collection = await self._client.call("PUT", path, json=body)
        return collection

    async def delete(self, collection_id: str) -> None:
        await self._client.send("DELETE", f"/v1/collections/{collection_id}")

    async def start(self, collection_id: str, *, everything: bool) -> InspectionBody:
        """Raises `inspection.under_way`, with the id of that one in its details."""
        path = f"/v1/collections/{collection_id}/inspections"
        params = {"everything": str(everything).lower()}
        begun: InspectionBody = await self._client.call(
            "POST", path, params=params, headers=_NO_BODY
        )
        return begun

    async def inspection(self, inspection_id: str) -> InspectionBody:
        path = f"/v1/inspections/{inspection_id}"
        inspection: InspectionBody = await self._client.call("GET", path)
        return inspection

    async def inspections(self, *, limit: int) -> Sequence[InspectionBody]:
        """Newest first."""
        answer = await self._client.call("GET", "/v1/inspections", params={"limit": str(limit)})
        inspections: Sequence[InspectionBody] = answer["inspections"]
        return inspections

    async def inspections_of(self, collection_id: str, *, limit: int) -> Sequence[InspectionBody]:
        """Of one collection, newest first."""
        path = f"/v1/collections/{collection_id}/inspections"
        answer = await self._client.call("GET", path, params={"limit": str(limit)})
        inspections: Sequence[InspectionBody] = answer["inspections"]
        return inspections

    async def cancel(self, inspection_id: str) -> InspectionBody:
        path = f"/v1/inspections/{inspection_id}:cancel"
        inspection: InspectionBody = await self._client.call("POST", path, headers=_NO_BODY)
        return inspection

    async def items(self, inspection_id: str) -> Sequence[ItemBody]:
        """All of them, in the order of asking."""
        items: list[ItemBody] = []
        while True:
            params = {"after": str(len(items)), "limit": str(_PAGE)}
            path = f"/v1/inspections/{inspection_id}/items"
            page = (await self._client.call("GET", path, params=params))["items"]
            items += page
            if len(page) < _PAGE:
                return items
