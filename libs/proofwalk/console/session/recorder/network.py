"""What of a network exchange may be kept: known secrets are masked wherever they stand,
and what is secret by its name is masked whole.

Names: the headers that carry credentials, cookies, and fields of URLs, forms and JSON
bodies that are called token, password and the like. A session's own cookie or a token
that the console's server made up is in no list of secrets, so only its name tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from proofwalk.console.safety.redaction import Secrets

MASKED = "<masked>"
_NAME = r"(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|credential|authorization|cookie|session[_-]?id|csrf|signature|ticket)"
_SECRET_NAME = re.compile(rf"{_NAME}|^pwd$|^sid$|^auth$|^x-.*-auth", re.IGNORECASE)
_PUBLIC = frozenset({"access-control-allow-credentials", "accesskeyid"})
_QUERY = re.compile(rf"(?<=[?&#;])([^=&#;\s]*{_NAME}[^=&#;\s]*)=([^&#;\s]+)", re.IGNORECASE)
_FORM = re.compile(rf"(^|&)([^=&\s]*{_NAME}[^=&\s]*)=([^&\s]*)", re.IGNORECASE)
_JSON = re.compile(
    rf'("[^"\\]{{0,60}}{_NAME}[^"\\]{{0,60}}"\s*:\s*)"(?:[^"\\]|\\.)*"', re.IGNORECASE
)
_FORM_TYPE = "application/x-www-form-urlencoded"


def is_secret_name(name: str) -> bool:
    """Whether what goes by this name is a credential."""
    return name.lower() not in _PUBLIC and _SECRET_NAME.search(name) is not None


def masked_text(text: str, secrets: Secrets) -> str:
    """A text without known secrets, and an address without the values of secret
    parameters."""
    found = secrets.mask(text)
    return _QUERY.sub(rf"\1={MASKED}", found) if "=" in found and "://" in found[:32] else found


def masked_body(data: bytes, mime: str, secrets: Secrets) -> bytes:
    """A request's or response's body without secrets; fields of JSON and forms that are
    secret by name are masked whole."""
    found = secrets.mask_bytes(data)
    kind = mime.partition(";")[0].strip().lower()
    substitute: Callable[[str], str]
    if "json" in kind or found[:1] in (b"{", b"["):
        substitute = lambda text: _JSON.sub(rf'\1"{MASKED}"', text)  # noqa: E731
    elif kind == _FORM_TYPE:
        substitute = lambda text: _FORM.sub(rf"\1\2={MASKED}", text)  # noqa: E731
    else:
        return found
    try:
        return substitute(found.decode()).encode()
    except UnicodeDecodeError:
        return found


def masked_strings(value: Any, secrets: Secrets) -> Any:
    """Any JSON value with its texts masked, keys included."""
    if isinstance(value, str):
        return masked_text(value, secrets)
    if isinstance(value, list):
        return [masked_strings(item, secrets) for item in value]
    if isinstance(value, dict):
        return {
            masked_text(key, secrets): masked_strings(item, secrets) for key, item in value.items()
        }
    return value


def masked_entry(entry: dict[str, Any], secrets: Secrets) -> dict[str, Any]:
    """One entry of a HAR (or a trace's `resource-snapshot`) without secrets; bodies in
    files of their own are not its matter."""
    masked: dict[str, Any] = masked_strings(entry, secrets)
    for side in (masked.get("request", {}), masked.get("response", {})):
        for header in side.get("headers", ()):
            if is_secret_name(header["name"]):
                header["value"] = MASKED
        for cookie in side.get("cookies", ()):
            cookie["value"] = MASKED
        for parameter in side.get("queryString", ()):
            if is_secret_name(parameter["name"]):
                parameter["value"] = MASKED
        for body in (side.get("postData"), side.get("content")):
            if not body:
                continue
            if body.get("text") and body.get("encoding") != "base64":
                body["text"] = masked_body(
                    body["text"].encode(), body.get("mimeType", ""), secrets
                ).decode()
            elif body.get("text"):
                body["text"], body["encoding"] = "", ""  # binary that nobody can look into
            for parameter in body.get("params", ()):
                if is_secret_name(parameter["name"]):
                    parameter["value"] = MASKED
    return masked
