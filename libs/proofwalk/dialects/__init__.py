"""The text forms of other agents' actions, read and written: `DIALECTS` by name. Start
with `dialect`."""

from collections.abc import Mapping
from types import MappingProxyType

from proofwalk.dialects.browser_use import BrowserUse
from proofwalk.dialects.browsergym import BrowserGym
from proofwalk.dialects.computer_use import ComputerUse
from proofwalk.dialects.dialect import Dialect, Step
from proofwalk.dialects.webrl import WebRL
from proofwalk.kernel.errors import invalid

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (BrowserGym(), BrowserUse(), BrowserUse(flash=True), WebRL(), ComputerUse())
    }
)


def dialect(name: str) -> Dialect:
    """The dialect of this name; raises `dialect.unknown`."""
    if name not in DIALECTS:
        raise invalid(
            "dialect.unknown",
            f"there is no dialect {name!r:.60}",
            hint=f"one of {', '.join(DIALECTS)}",
        )
    return DIALECTS[name]


__all__ = ["DIALECTS", "Dialect", "Step", "dialect"]
