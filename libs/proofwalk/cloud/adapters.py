"""From a target to its cloud. Adapters are found by entry point, so that third parties
can bring their own.

An adapter is what the entry point `proofwalk.cloud_adapters` → name loads: a callable
that takes a `Target` and a `Clock` and returns an async context manager over a `Cloud`;
leaving the context closes its connections. `Clouds` keeps one open cloud per target for
a role's life and opens a new one when the target's file has changed. Adapters here:
`devcloud`, `alicloud`, `generic`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.metadata import entry_points
from types import TracebackType
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from proofwalk.cloud.ports import Cloud
from proofwalk.cloud.target import Target, TargetCatalog
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid

GROUP = "proofwalk.cloud_adapters"
OptionsT = TypeVar("OptionsT", bound=BaseModel)


class Adapter(Protocol):
    """What an entry point of the group loads."""

    def __call__(self, target: Target, *, clock: Clock) -> AbstractAsyncContextManager[Cloud]:
        """Return the target's cloud; leaving the context closes it. Raises
        `target.invalid` for options that it cannot use."""
        ...


def adapter_named(name: str) -> Adapter:
    """Return the adapter of that name. Raises `target.invalid` if none is installed."""
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise invalid(
            "target.invalid",
            f"no adapter is called {name!r}",
            hint=f"installed adapters: {known}",
            details={"path": "adapter"},
        )
    try:
        adapter: Adapter = found[name].load()
    except ModuleNotFoundError as error:
        raise invalid(
            "target.invalid",
            f"the adapter {name!r} needs the package {error.name!r}, which is not installed",
            hint=f"install it with the extra of that name: pip install 'proofwalk[{name}]'",
            details={"path": "adapter"},
        ) from error
    return adapter


@asynccontextmanager
async def open_cloud(
    target: Target, *, clock: Clock, adapters: Mapping[str, Adapter] | None = None
) -> AsyncIterator[Cloud]:
    """Open the cloud of a target, and close it at the end of the block. `adapters`
    takes precedence over the entry points."""
    adapter = (adapters or {}).get(target.adapter) or adapter_named(target.adapter)
    async with adapter(target, clock=clock) as cloud:
        yield cloud


def options_of(target: Target, model: type[OptionsT]) -> OptionsT:
    """Return the target's options as the adapter's model. Raises `target.invalid`,
    which names the option but no value."""
    try:
        return model.model_validate(dict(target.options))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(["options", *map(str, first["loc"])])
        raise option_error(target, where, first["msg"].removeprefix("Value error, ")) from None


def option_error(target: Target, where: str, what: str) -> ProofwalkError:
    """Return `target.invalid` for an option."""
    return invalid(
        "target.invalid",
        f"target {target.id!r}: {where}: {what}",
        hint=f"the adapter {target.adapter!r} documents its options",
        details={"path": where},
    )


class Clouds:
    """Keeps one open cloud per target. Use as an async context manager, which closes
    all of them."""

    def __init__(
        self, catalog: TargetCatalog, *, clock: Clock, adapters: Mapping[str, Adapter] | None = None
    ) -> None:
        self.catalog = catalog
        self._clock = clock
        self._adapters = adapters
        self._open: dict[str, tuple[Target, Cloud]] = {}
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()

    async def get(self, target_id: str) -> Cloud:
        """Return the cloud of a target as its file says now. Raises `target.unknown`,
        `target.invalid`."""
        target = self.catalog.get(target_id)
        async with self._opening:
            known = self._open.get(target_id)
            if known is not None and known[0] == target:
                return known[1]
            # What was open stays open until the end: calls of others may be in flight
            # on it.
            cloud = await self._stack.enter_async_context(
                open_cloud(target, clock=self._clock, adapters=self._adapters)
            )
            self._open[target_id] = (target, cloud)
            return cloud

    async def __aenter__(self) -> Clouds:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()
