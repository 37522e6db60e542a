"""Signing in by an identity provider, as values of the chart: the gateway has its
settings and its secret, and may reach it."""

from __future__ import annotations

from pathlib import Path

from proofwalk.gateway.roles import KeyRole
from tests.chart.rendering import named, rendered
from tests.chart.test_roles import settings_of


def test_the_gateway_is_told_of_the_provider_and_may_ask_it(tmp_path: Path) -> None:
    gateway = named(rendered("production"), "Deployment", "-gateway")
    (container,) = gateway["spec"]["template"]["spec"]["containers"]
    console = settings_of(container, tmp_path).gateway.console
    assert console.oidc.issuer == "https://login.example.com/realms/docs"
    assert console.oidc.client_secret.get_secret_value() == "secret of oidc-client-secret"
    assert console.oidc.roles["platform"] is KeyRole.OPERATOR
    policy = named(rendered("production"), "NetworkPolicy", "-gateway")
    ports = [port["port"] for rule in policy["spec"]["egress"] for port in rule.get("ports", [])]
    assert 443 in ports
