"""Wires the inference role: the engine that the settings name, its versions' rows,
admission and metrics."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import AbstractAsyncContextManager

from proofwalk.api.inference.v1 import inference_pb2, inference_pb2_grpc
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.rpc import RpcService
from proofwalk.inference.admission import Admission
from proofwalk.inference.engines.engine import Engine
from proofwalk.inference.gauges import InferenceMetrics
from proofwalk.inference.grpc_api import InferenceApi
from proofwalk.inference.service import InferenceService
from proofwalk.inference.settings import InferenceSettings
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.models.prices import PriceTable, read_prices


def role(settings: InferenceSettings | None = None) -> Role:
    """The inference role. Without settings, or with the engine `none`, it is healthy
    and every call says `inference.no_engine`."""
    chosen = settings or InferenceSettings()

    async def start(ctx: RoleContext) -> Running:
        service: InferenceService | None = None
        if chosen.engine != "none":
            engine = await ctx.exits.enter_async_context(_open(chosen))
            prices = (
                await asyncio.to_thread(read_prices, chosen.prices)
                if chosen.prices
                else PriceTable()
            )
            service = InferenceService(
                engine,
                db=ctx.database,
                clock=ctx.clock,
                admission=Admission(limit=chosen.queue, clock=ctx.clock),
                metrics=InferenceMetrics(ctx.metrics),
                prices=prices,
                model=chosen.model,
                max_samples=chosen.max_samples,
            )
            await service.restore()
        rpc = RpcService(
            descriptor=inference_pb2.DESCRIPTOR.services_by_name["Inference"],
            register=inference_pb2_grpc.add_InferenceServicer_to_server,
            servicer=InferenceApi(service, seeds=lambda: secrets.randbits(62)),
        )
        return Running(services=[rpc])

    return Role(name="inference", start=start, package="proofwalk.inference")


def _open(settings: InferenceSettings) -> AbstractAsyncContextManager[Engine]:
    """The engine; its library is loaded here, for the engine that is chosen alone.
    Raises `inference.bad_settings`, `inference.not_installed`."""
    if settings.engine == "embedded":
        if settings.weights is None:
            raise _missing(settings, "WEIGHTS")
        try:
            from proofwalk.inference.engines.embedded import open_embedded
            from proofwalk.inference.engines.limits import Limits
        except ModuleNotFoundError as error:
            raise invalid(
                "inference.not_installed",
                f"the embedded engine needs {error.name}",
                hint="pip install 'proofwalk[train]'",
            ) from error
        limits = Limits(
            waiting=settings.queue,
            rows=settings.rows,
            threads=settings.threads,
            prefix_tokens=settings.prefix_tokens,
        )
        return open_embedded(
            settings.weights.absolute(),
            name=settings.model,
            dtype=settings.dtype,
            limits=limits,
            device=settings.device,
        )
    for name in ("ENDPOINT", "MODEL"):
        if not getattr(settings, name.lower()):
            raise _missing(settings, name)
    if settings.engine == "vllm":
        from proofwalk.inference.engines.vllm import open_vllm

        return open_vllm(
            settings.endpoint,
            key=settings.api_key,
            model=settings.model,
            timeout_s=settings.timeout_s,
            scores_answers=settings.score_answers,
        )
    from proofwalk.inference.engines.openai import open_openai
    from proofwalk.models.endpoint import Access

    access = Access(
        url=settings.endpoint,
        key=settings.api_key,
        timeout_s=settings.timeout_s,
        deadline_s=settings.timeout_s,
    )
    return open_openai(access, model=settings.model)


def _missing(settings: InferenceSettings, name: str) -> ProofwalkError:
    return invalid(
        "inference.bad_settings", f"the engine {settings.engine} needs PROOFWALK_INFERENCE__{name}"
    )
