"""What KEDA is told to look at, and where."""

from __future__ import annotations

from proofwalk.chassis.streams import stream_key
from proofwalk.rollout.worker import GROUP, STREAM
from tests.chart.rendering import named, of_kind, rendered


def test_the_autoscaler_looks_at_the_stream_that_rollout_reads() -> None:
    (scaled,) = of_kind(rendered("production"), "ScaledObject")
    stream, backlog = scaled["spec"]["triggers"]
    assert stream["metadata"]["stream"] == stream_key(STREAM)
    assert stream["metadata"]["consumerGroup"] == GROUP
    assert backlog["metadata"]["targetQueryValue"] == "4"


def test_sentinels_are_asked_for_the_stream_and_can_be_reached() -> None:
    made = rendered(
        "production", 'redis.sentinels.hosts=["s-1", "s-2"]', "redis.sentinels.service=main"
    )
    stream, _ = of_kind(made, "ScaledObject")[0]["spec"]["triggers"]
    assert stream["type"] == "redis-sentinel-streams"
    assert stream["metadata"]["addresses"] == "s-1:26379,s-2:26379"
    assert stream["metadata"]["sentinelMaster"] == "main"
    assert "address" not in stream["metadata"]
    out = named(made, "NetworkPolicy", "-rollout")["spec"]["egress"]
    ports = [[port["port"] for port in rule.get("ports", [])] for rule in out]
    assert [6380, 26379] in ports
    plain = named(rendered("production"), "NetworkPolicy", "-rollout")["spec"]["egress"]
    assert not any(26379 in [one["port"] for one in rule.get("ports", [])] for rule in plain)
