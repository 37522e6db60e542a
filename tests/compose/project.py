"""docker-compose.yml as Compose reads it: variables put in, services as the containers
that they make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from deploy.images.requirements import ROOT

FILE = ROOT / "docker-compose.yml"
EXAMPLE = ROOT / ".env.example"
SERVERS = ("postgres", "redis", "prometheus")
"""Services that are not ours."""
NETWORK = "pod"
"""The service that rollout and the scheduler share the network of."""
_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+):-([^}]*)\}|(.))")


def variables() -> dict[str, str]:
    """Every variable that the file reads, with its default. One that has two defaults,
    or none, is an error."""
    found: dict[str, str] = {}
    # Comments speak of the shell's variables.
    text = re.sub(r"^\s*#.*$", "", FILE.read_text(encoding="utf-8"), flags=re.M)
    for dollar, name, default, other in _VARIABLE.findall(text):
        if not dollar:
            assert name, f"${other}: write it as ${{NAME:-default}}"
            assert found.setdefault(name, default) == default, f"{name} has two defaults"
    return found


def example() -> dict[str, str]:
    """The variables of .env.example."""
    lines = (
        line
        for line in EXAMPLE.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def project(given: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The file with its variables as `given` says, else by their defaults."""
    filled = _filled(yaml.safe_load(FILE.read_text(encoding="utf-8")), given or {})
    assert isinstance(filled, dict)
    return filled


def services(given: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """All services by name."""
    found: dict[str, dict[str, Any]] = project(given)["services"]
    return found


def roles(given: Mapping[str, str] | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The services that are roles, by name."""
    return (
        (name, each) for name, each in services(given).items() if name not in (*SERVERS, NETWORK)
    )


def as_container(name: str, service: Mapping[str, Any]) -> dict[str, Any]:
    """A service in the form in which Kubernetes writes a container, for what looks at
    those."""
    env = [
        {"name": variable, "value": str(value)}
        for variable, value in service.get("environment", {}).items()
    ]
    return {"name": name, "image": service["image"], "env": env}


def _filled(node: Any, given: Mapping[str, str]) -> Any:
    if isinstance(node, dict):
        return {key: _filled(value, given) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(item, given) for item in node]
    if not isinstance(node, str):
        return node
    return _VARIABLE.sub(lambda match: "$" if match[1] else given.get(match[2]) or match[3], node)
