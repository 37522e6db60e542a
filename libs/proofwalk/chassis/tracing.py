"""Traces: one W3C trace context from the gateway's request through every gRPC call and
every stream entry.

`Tracing` wraps a tracer provider that is passed around, never the process-global one,
so that a test reads its own spans from an in-memory exporter. A gRPC call continues its
caller's trace (`traceparent` in the metadata). Work taken from a stream starts a trace
of its own that links to the one that rang, since it may happen much later and more than
once. Without an exporter spans still have ids, which is what logs and INTERNAL errors
name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from proofwalk.kernel.errors import ProofwalkError, invalid

_PROPAGATOR = TraceContextTextMapPropagator()


class Tracing:
    """Makes spans and carries their context over process borders."""

    def __init__(
        self, service: str, *, exporter: SpanExporter | None = None, batch: bool = False
    ) -> None:
        self._provider = TracerProvider(
            resource=Resource({"service.name": service}), shutdown_on_exit=False
        )
        if exporter is not None:
            self._provider.add_span_processor(
                BatchSpanProcessor(exporter) if batch else SimpleSpanProcessor(exporter)
            )
        self._tracer = self._provider.get_tracer("proofwalk")

    @contextmanager
    def span(
        self,
        name: str,
        *,
        kind: SpanKind = SpanKind.INTERNAL,
        carrier: Mapping[str, str] | None = None,
    ) -> Iterator[Span]:
        """A span around the block, child of `carrier`'s context if it has one, else of
        the current span."""
        context = _PROPAGATOR.extract(carrier) if carrier else None
        with self._tracer.start_as_current_span(
            name, context=context, kind=kind, set_status_on_exception=False
        ) as span:
            yield from _marked(span)

    @contextmanager
    def linked_span(self, name: str, carrier: Mapping[str, str]) -> Iterator[Span]:
        """The root span of work that `carrier`'s trace asked for."""
        origin = trace.get_current_span(_PROPAGATOR.extract(carrier)).get_span_context()
        links = [Link(origin)] if origin.is_valid else []
        with self._tracer.start_as_current_span(
            name,
            context=trace.set_span_in_context(trace.INVALID_SPAN),
            kind=SpanKind.CONSUMER,
            links=links,
            set_status_on_exception=False,
        ) as span:
            yield from _marked(span)

    def shutdown(self) -> None:
        """Export what is left (blocks; bounded by the exporter's timeout)."""
        self._provider.shutdown()


def _marked(span: Span) -> Iterator[Span]:
    try:
        yield span
    except Exception as error:
        # The text of an error may quote input; its code or type may not.
        span.set_status(
            Status(
                StatusCode.ERROR,
                error.code if isinstance(error, ProofwalkError) else type(error).__name__,
            )
        )
        raise


def carrier() -> dict[str, str]:
    """The current context as `{"traceparent": …}`; empty outside of a span."""
    headers: dict[str, str] = {}
    _PROPAGATOR.inject(headers)
    return headers


def trace_id() -> str:
    """The current trace's id in hex, or an empty string."""
    context = trace.get_current_span().get_span_context()
    return format(context.trace_id, "032x") if context.is_valid else ""


def otlp_exporter(endpoint: str) -> SpanExporter:
    """An exporter to an OTLP/HTTP collector; needs
    `opentelemetry-exporter-otlp-proto-http`, which is not a default."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # type: ignore[import-not-found, unused-ignore]
            OTLPSpanExporter,
        )
    except ImportError:
        raise invalid(
            "settings.no_exporter",
            "an OTLP endpoint is set, but the exporter is not installed",
            hint="install opentelemetry-exporter-otlp-proto-http or unset PROOFWALK_OTLP_ENDPOINT",
        ) from None
    exporter: SpanExporter = OTLPSpanExporter(endpoint=endpoint)
    return exporter
