"""What the role does with its engine: admits questions, counts what they cost, and
keeps which version serves.

The engine takes weights first and the row is written after it: whoever loads and hears
nothing loads again, which changes nothing. At the start the row's version is loaded
again; when that fails the role serves nothing (`inference.weights_lost`) rather than
another version, until one is loaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog

from proofwalk.chassis.database import Database, Transaction
from proofwalk.inference import repository
from proofwalk.inference.admission import Admission
from proofwalk.inference.digests import digest_of
from proofwalk.inference.domain import (
    Ask,
    Continuation,
    Generation,
    OnDelta,
    Scored,
    Spent,
    Version,
    Weights,
    bad_weights,
    check_ask,
    check_continuations,
    check_version,
    digest_mismatch,
    folder_of,
    unknown_version,
    version_taken,
    weights_lost,
)
from proofwalk.inference.engines.engine import Engine
from proofwalk.inference.gauges import InferenceMetrics
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.prices import PriceTable

log = structlog.get_logger()


class InferenceService:
    """One engine with its versions. Call `restore` before anything else."""

    def __init__(
        self,
        engine: Engine,
        *,
        db: Database,
        clock: Clock,
        admission: Admission,
        metrics: InferenceMetrics,
        prices: PriceTable,
        model: str,
        max_samples: int,
    ) -> None:
        self._engine = engine
        self._db = db
        self._clock = clock
        self._admission = admission
        self._metrics = metrics
        self._prices = prices
        self._model = model
        self._max_samples = max_samples
        self._loading = asyncio.Lock()
        self._restoring = asyncio.Lock()
        self._before: Version | None = None
        """What served before the restart, until it serves again or is known to be
        lost."""
        self._lost: ProofwalkError | None = None
        """Why nothing serves."""

    async def restore(self) -> None:
        """Serve what served before: its base as it is configured now, or the version
        that was loaded."""
        async with self._db.read() as tx:
            known = await repository.every(tx)
        before = next((version for version in known if version.serving), None)
        base = self._engine.base
        if before is None or before.version == before.base:
            await self._remember(base, uri=_uri(base))
            return
        self._before = before
        await self._serve_before()

    async def generate(self, ask: Ask, *, on_delta: OnDelta | None = None) -> Generation:
        """Raises what the contract says of Generate."""
        check_ask(ask, max_samples=self._max_samples)
        async with self._counted("generate"):
            found = await self._engine.generate(ask, on_delta=on_delta)
        cost, currency = self.price(found.spent, found.version)
        self._metrics.spent(found.spent, cost=cost, currency=currency)
        return found

    async def score(self, rows: Sequence[Continuation]) -> Scored:
        """Raises what the contract says of Score. Its tokens count as read."""
        check_continuations(rows)
        async with self._counted("score"):
            found = await self._engine.score(rows)
        spent = Spent(
            tokens_in=sum(len(row.prompt) + len(row.completion) for row in rows), tokens_out=0
        )
        cost, currency = self.price(spent, found.version)
        self._metrics.spent(spent, cost=cost, currency=currency)
        return found

    async def load(self, version: str, *, uri: str, digest: str) -> Version:
        """Raises what the contract says of LoadWeights."""
        check_version(version)
        async with self._loading:
            known = await self._known(version)
            base = self._engine.base
            if version == base.version:
                weights, uri = base, _uri(base)
                if digest and base.digest and digest != base.digest:
                    raise version_taken(version, base.digest, digest)
            else:
                if not uri and known is None:
                    raise unknown_version(version)
                uri = uri or (known.uri if known is not None else "")
                folder = folder_of(uri)
                found = await asyncio.to_thread(digest_of, folder)
                if digest and found != digest:
                    raise digest_mismatch(folder, digest, found)
                if known is not None and known.digest != found:
                    raise version_taken(version, known.digest, found)
                weights = Weights(version=version, folder=folder, digest=found)
            await self._engine.load(weights)
            self._lost = self._before = None
            self._metrics.loads.inc()
            log.info("version_serves", version=version, digest=weights.digest)
            return await self._remember(weights, uri=uri)

    async def versions(self) -> Sequence[Version]:
        """Every version that was loaded, oldest first; one of them serves."""
        async with self._db.read() as tx:
            return await repository.every(tx)

    def price(self, spent: Spent, version: str) -> tuple[float, str]:
        """What an answer costs, and in which currency; nothing where the model has no
        price."""
        price = self._prices.find(version, self._model)
        if price is None:
            return 0.0, ""
        cost = price.of(
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            tokens_cached=spent.tokens_cached,
        )
        return cost, self._prices.currency

    async def _serve_before(self) -> None:
        """Load what served before, if that is still to be done. What is merely away is
        asked again by the next question."""
        async with self._restoring:
            before = self._before
            if before is None:
                return
            base = self._engine.base.version
            try:
                if before.base != base:
                    raise bad_weights(
                        folder_of(before.uri),
                        f"they are of the base {before.base!r}, and {base!r} is configured",
                    )
                await self.load(before.version, uri="", digest=before.digest)
            except ProofwalkError as error:
                log.error("version_not_restored", version=before.version, error=str(error))
                if error.retryable:
                    self._lost = error
                else:
                    self._lost, self._before = weights_lost(before.version, error), None

    async def _known(self, version: str) -> Version | None:
        async with self._db.read() as tx:
            return await repository.find(tx, version)

    async def _remember(self, weights: Weights, *, uri: str) -> Version:
        row = Version(
            version=weights.version,
            uri=uri,
            digest=weights.digest,
            base=self._engine.base.version,
            loaded_at=self._clock.now(),
            serving=True,
        )

        async def work(tx: Transaction) -> None:
            await repository.serve(tx, row)

        await self._db.run(work)
        return row

    @asynccontextmanager
    async def _counted(self, call: str) -> AsyncIterator[None]:
        """Admission, queue depth and time of one question."""
        await self._serve_before()
        if self._lost is not None:
            raise self._lost
        started = self._clock.monotonic()
        try:
            async with self._admission.admitted():
                self._metrics.depth.set(self._admission.depth)
                yield
        except asyncio.CancelledError:
            self._metrics.given_up.inc()
            raise
        except ProofwalkError as error:
            if error.code == "inference.overloaded":
                self._metrics.refused.inc()
            raise
        finally:
            self._metrics.depth.set(self._admission.depth)
            self._metrics.seconds.labels(call).observe(self._clock.monotonic() - started)


def _uri(weights: Weights) -> str:
    return "" if weights.folder is None else str(weights.folder)
