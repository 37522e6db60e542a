"""Structured logs: constant past-tense event names, context by context variables,
redaction last.

`configure_logging` is called once by a process's entry (never at import, never by a
role). Bind what a block of work is about with
`structlog.contextvars.bound_contextvars(job_id=…, attempt=…, lease_epoch=…)`; `service`
and `trace_id` are bound by the chassis. Before an event is rendered every value passes
`Redaction`: SecretStr, keys that sound secret, and every secret value that was
registered at run time are replaced, terminal escapes are taken out, long texts are cut.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import structlog
from pydantic import SecretStr
from structlog.typing import EventDict

from proofwalk.chassis.settings import REDACTED
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.kernel.errors import ProofwalkError

_SECRET_KEY = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|api_?key|access_?key|credential|authorization|cookie|private_?key",
    re.IGNORECASE,
)
_PUBLIC_KEYS = frozenset(
    {"tokens", "token_count", "token_ids", "prompt_tokens", "completion_tokens", "access_key_id"}
)
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_MAX_TEXT = 8000
_SHORTEST_SECRET = 6
"""Shorter values would redact ordinary words."""


class Redaction:
    """The last processor before rendering. `register` secrets as they become known;
    they are never forgotten."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        for secret in secrets:
            self.register(secret)

    def register(self, secret: str) -> None:
        """Never let this text appear in the log again."""
        if len(secret) < _SHORTEST_SECRET or secret in self._secrets:
            return
        self._secrets.add(secret)
        # Longest first: a secret that contains another one is replaced whole.
        self._pattern = re.compile(
            "|".join(re.escape(text) for text in sorted(self._secrets, key=len, reverse=True))
        )

    def text(self, text: str) -> str:
        """`text` without registered secrets and terminal escapes."""
        if self._pattern is not None:
            text = self._pattern.sub(REDACTED, text)
        text = _ESCAPES.sub("", text)
        return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}… ({len(text)} characters)"

    def __call__(self, _logger: Any, _method: str, event: EventDict) -> EventDict:
        return {key: self._value(key, value) for key, value in event.items()}

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, SecretStr) or (
            _SECRET_KEY.search(key) and key not in _PUBLIC_KEYS and value not in (None, "")
        ):
            return REDACTED
        if isinstance(value, dict):
            return {
                self.text(str(name)): self._value(str(name), item) for name, item in value.items()
            }
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self._value("", item) for item in value]
        if value is None or isinstance(value, (bool, int, float)):
            return value
        return self.text(str(value))


def configure_logging(
    settings: LogSettings, redaction: Redaction, *, stream: TextIO | None = None
) -> None:
    """Set up this process's log, including what libraries write through `logging`.
    `stream` is standard error by default."""
    output = stream or sys.stderr
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _error_fields,
        structlog.processors.format_exc_info,
        redaction,
    ]
    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False)
    if settings.format == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=output.isatty())
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=output),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared[:3], structlog.stdlib.add_logger_name, *shared[3:]],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)


def _error_fields(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """`error=ProofwalkError(…)` becomes its code and message."""
    error = event.get("error")
    if isinstance(error, ProofwalkError):
        event["error"] = error.message
        event["code"] = error.code
    elif isinstance(error, BaseException):
        event["error"] = f"{type(error).__name__}: {error}"
    return event
