"""The placeholders of a script: `{{meta.x}}` in its texts and keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proofwalk.kernel.errors import ProofwalkError, invalid

_PLACEHOLDER = re.compile(r"\{\{\s*meta\.([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}")


class Names:
    """What placeholders stand for; `asked` has those that the script itself asks
    for, which stay."""

    def __init__(self, outputs: Mapping[str, str] | None) -> None:
        self._outputs = outputs
        self.asked: set[str] = set()

    def filled(self, value: Any, where: str) -> Any:
        """The same tree with names in its texts and keys."""
        if isinstance(value, Mapping):
            return {
                self.filled(key, where): self.filled(item, where) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.filled(item, where) for item in value]
        if not isinstance(value, str) or "{{" not in value:
            return value
        left = next((part for part in _left(value)), "")
        if left:
            raise invalid_script(
                where,
                f"{left!r} is no placeholder",
                hint="write {{meta.x}} with the name of an output of META",
            )
        return _PLACEHOLDER.sub(lambda placeholder: self._output(placeholder, where), value)

    def _output(self, placeholder: re.Match[str], where: str) -> str:
        name, outputs = placeholder[1], self._outputs
        if outputs is None or name in self.asked:
            return placeholder.group()
        if name not in outputs:
            given = ", ".join(sorted(outputs)) or "none"
            raise invalid_script(
                where, f"META gives no output {name!r}", hint=f"outputs given: {given}"
            )
        return outputs[name]


def _left(value: str) -> Iterator[str]:
    rest = _PLACEHOLDER.sub("", value)
    if "{{" in rest:
        yield rest[rest.index("{{") :][:40]


def invalid_script(where: str, what: str, *, hint: str = "") -> ProofwalkError:
    """Of a script, with the place and what is wrong there."""
    return invalid(
        "script.invalid",
        f"the script is not valid: {f'{where}: ' if where else ''}{what}",
        hint=hint or "see suites/README.md for the moves",
        details={"path": where},
    )
