"""The reference of the REST API, from the OpenAPI description that the gateway serves.

The application is built with nothing behind it: describing itself asks nobody.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic import SecretStr

from docs.writers.markdown import plain, table
from proofwalk.gateway.http_api import build_app
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds


@cache
def openapi() -> dict[str, Any]:
    """The description."""

    async def ready() -> bool:
        return False

    nothing = cast(Any, None)
    clock = SystemClock()
    app = build_app(
        rollout=nothing,
        inspections=nothing,
        findings=nothing,
        webhooks=nothing,
        neighbours=nothing,
        db=nothing,
        keys=Keyring({"docs": SecretStr("pw_docs")}, local="pw_local"),
        settings=GatewaySettings(),
        clock=clock,
        ids=RandomIds(clock),
        tracing=nothing,
        ready=ready,
    )
    return app.openapi()


def page() -> str:
    """The reference."""
    parts = [_HEAD]
    for path, operations in openapi()["paths"].items():
        for method, operation in operations.items():
            parts.append(_operation(method.upper(), path, operation))
    return "".join(parts)


_HEAD = """# REST

The gateway serves this description as `/openapi.json`. Every call but `/livez` and `/readyz` needs
`Authorization: Bearer KEY`. An error is a problem document (RFC 9457) with one of the
[codes](errors.md).

## Calls

```{include} ../../services/proofwalk/gateway/README.md
:start-after: "## Its calls"
:end-before: "## Limits of a key"
```
"""


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    parts = [f"\n## {operation['operationId']}\n\n`{method} {path}`\n"]
    parameters = [
        one for one in operation.get("parameters", []) if one["name"].lower() != "authorization"
    ]
    if parameters:
        rows = [
            (f"`{one['name']}`", one["in"], _type(one["schema"]), plain(one.get("description", "")))
            for one in parameters
        ]
        parts.append("\n" + table(("parameter", "in", "type", "meaning"), rows))
    body = (
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema")
    )
    if body:
        parts.append(f"\nBody:\n\n{_fields(body)}")
        for name, schema in sorted(body.get("$defs", {}).items()):
            parts.append(f"\n`{name}`:\n\n{_fields(schema)}")
    parts.append(f"\nAnswers: {', '.join(f'`{status}`' for status in operation['responses'])}.\n")
    return "".join(parts)


def _fields(schema: dict[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    rows = [
        (
            f"`{name}`",
            _type(one),
            "needed" if name in needed else "",
            plain(one.get("description", "")),
        )
        for name, one in schema.get("properties", {}).items()
    ]
    return table(("field", "type", "", "meaning"), rows)


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return f"`{schema['$ref'].rsplit('/', 1)[-1]}`"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    return f"`{schema.get('type', 'any')}`"
