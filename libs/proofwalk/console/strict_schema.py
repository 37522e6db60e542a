"""The action schema in the subset of JSON schema that OpenAI's strict `response_format`
takes.

Strict mode has no discriminator, no defaults, no bounds and no optional field: every
field is required, and a field that may be left out is written with its neutral value.
`actions.parse_action` reads the result and refuses what the subset could not forbid.
"""

from __future__ import annotations

from typing import Any

from proofwalk.console.actions import action_json_schema
from proofwalk.kernel.json_values import JsonObject


def strict_action_schema() -> JsonObject:
    """The same, reduced to what OpenAI's strict `response_format` takes: every field
    required, no defaults, bounds, titles, discriminator or references. Strict mode
    wants an object at its root, so this `anyOf` goes under a property of one. What it
    admits beyond the full schema (numbers out of bounds, contradicting fields),
    `parse_action` still refuses."""
    kinds: Any = action_json_schema()["$defs"]
    return {"anyOf": [_strict(kinds[name]) for name in kinds]}


def _strict(node: Any) -> dict[str, Any]:
    """One schema node with the keywords that strict mode knows."""
    kept = {key: node[key] for key in ("type", "enum", "const", "description") if key in node}
    if "const" in kept:
        kept = {"type": "string", "enum": [kept["const"]]}
    if "anyOf" in node:
        kept["anyOf"] = [_strict(inner) for inner in node["anyOf"]]
    if "items" in node:
        kept["items"] = _strict(node["items"])
    if "properties" in node:
        kept["properties"] = {name: _strict(inner) for name, inner in node["properties"].items()}
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    return kept
