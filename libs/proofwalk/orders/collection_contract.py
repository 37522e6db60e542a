"""Collections as messages of the contract (`proto/proofwalk/api/inspection/v1`), and
back. A message's zero value stands for what was not asked for. What a message says
wrongly is `collection.bad_<field>`."""

from __future__ import annotations

from pydantic import ValidationError

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.kernel.errors import invalid
from proofwalk.orders.collection import (
    DEFAULT_REFRESH_S,
    Budget,
    CollectionSpec,
    Schedule,
    Source,
    SourceKind,
    Weight,
)
from proofwalk.orders.contract import order_from_pb, order_to_pb


def spec_to_pb(spec: CollectionSpec) -> pb.CollectionSpec:
    """What is said of a collection, as a message."""
    source = spec.source
    return pb.CollectionSpec(
        name=spec.name,
        source=pb.Source(**{**source.model_dump(), "kind": source.kind.value}),
        order=order_to_pb(spec.order),
        budget=pb.Budget(**spec.budget.model_dump()),
        schedule=pb.Schedule(**spec.schedule.model_dump()),
        paused=spec.paused,
        weights=[pb.Weight(**one.model_dump()) for one in spec.weights],
        concurrency=spec.concurrency,
        refresh_s=spec.refresh_s,
        never_replay=spec.never_replay,
        all_procedures=spec.all_procedures,
    )


def spec_from_pb(message: pb.CollectionSpec) -> CollectionSpec:
    """Raises `collection.bad_…`, and what is wrong with the order."""
    order = order_from_pb(message.order)
    source, budget, schedule = message.source, message.budget, message.schedule
    if source.kind not in list(SourceKind):
        raise invalid(
            "collection.bad_source",
            f"there is no kind of source {source.kind[:32]!r}",
            hint=f"one of: {', '.join(SourceKind)}",
        )
    try:
        return CollectionSpec(
            name=message.name,
            source=Source(
                kind=SourceKind(source.kind),
                address=source.address,
                subfolder=source.subfolder,
                branch=source.branch,
            ),
            order=order,
            budget=Budget(walks=budget.walks, cost=budget.cost, seconds=budget.seconds),
            schedule=Schedule(cron=schedule.cron, time_zone=schedule.time_zone or "UTC"),
            paused=message.paused,
            weights=tuple(
                Weight(pattern=one.pattern, weight=one.weight) for one in message.weights
            ),
            concurrency=message.concurrency or 1,
            refresh_s=message.refresh_s or DEFAULT_REFRESH_S,
            never_replay=message.never_replay,
            all_procedures=message.all_procedures,
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "spec"
        raise invalid(f"collection.bad_{name}", f"{name}: {first['msg']}") from None
