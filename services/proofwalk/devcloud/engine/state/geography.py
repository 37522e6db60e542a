"""Regions and zones. Every product is offered in all of them, but for those without
regions: theirs is `GLOBAL`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Region:
    """A region, its English console label and its zones' letters."""

    id: str
    label: str
    short: str
    """What the vendor puts into resource ids of this region (`i-bp1…` is Hangzhou)."""
    letters: str

    def zones(self) -> list[tuple[str, str]]:
        """(id, label) of each zone."""
        separator = "" if self.id[-1].isdigit() else "-"
        return [
            (f"{self.id}{separator}{c}", f"{self.label} Zone {c.upper()}") for c in self.letters
        ]


REGIONS: dict[str, Region] = {
    region.id: region
    for region in (
        Region(id="cn-hangzhou", label="China (Hangzhou)", short="bp1", letters="hijk"),
        Region(id="cn-shanghai", label="China (Shanghai)", short="uf6", letters="befg"),
        Region(id="ap-southeast-1", label="Singapore", short="t4n", letters="abc"),
    )
}

DEFAULT_REGION = "cn-hangzhou"

GLOBAL = ""
"""The region of a resource whose product has none. It is in every region's view."""


def together(one: str, other: str) -> bool:
    """Whether what lies in one region may be seen from, or referred to in, the
    other."""
    return one == other or GLOBAL in (one, other)
