"""Tair (Redis OSS-compatible): parameters told as the text of one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proofwalk.devcloud.engine.values.templates import Derivation, Scope


def _json_object(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """`rows` of name and value as a JSON object."""
    return json.dumps({row["name"]: row["value"] for row in arguments["rows"]})


DERIVATIONS: Mapping[str, Derivation] = {"json_object": _json_object}
