"""From settings to a model that can be asked. The library for it is loaded only when
there is an endpoint: it takes most of a second."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import SystemRandom

from proofwalk.kernel.clock import Clock
from proofwalk.models.asking import Model
from proofwalk.models.pool import ModelPool
from proofwalk.models.prices import PriceTable, read_prices
from proofwalk.models.settings import ModelSettings


@asynccontextmanager
async def connect(settings: ModelSettings, *, clock: Clock) -> AsyncIterator[Model | None]:
    """The model, or None when there is no endpoint. Asks nothing yet. Raises
    `model.bad_endpoint`, `prices.invalid`."""
    if not settings.endpoint:
        yield None
        return
    from proofwalk.models.endpoint import Access, open_endpoint
    from proofwalk.models.endpoint_client import EndpointClient

    prices = (
        await asyncio.to_thread(read_prices, settings.prices) if settings.prices else PriceTable()
    )
    access = Access(
        url=settings.endpoint,
        key=settings.api_key,
        timeout_s=settings.timeout_s,
        deadline_s=settings.deadline_s,
        retries=settings.retries,
    )
    async with open_endpoint(access) as endpoint:
        members = [
            EndpointClient(endpoint, settings.model_copy(update={"name": name}), clock=clock)
            for name in settings.pool or (settings.name,)
        ]
        client = ModelPool(members, chance=SystemRandom()) if settings.pool else members[0]
        yield Model(client=client, settings=settings, prices=prices)
