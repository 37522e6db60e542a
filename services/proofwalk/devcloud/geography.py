"""Regions and zones. Every product is offered in all of them."""

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
        return [(f"{self.id}{separator}{c}", f"{self.label} Zone {c.upper()}") for c in self.letters]


REGIONS: dict[str, Region] = {
    region.id: region
    for region in (
        Region(id="cn-hangzhou", label="China (Hangzhou)", short="bp1", letters="hijk"),
        Region(id="cn-shanghai", label="China (Shanghai)", short="uf6", letters="befg"),
        Region(id="ap-southeast-1", label="Singapore", short="t4n", letters="abc"),
    )
}

DEFAULT_REGION = "cn-hangzhou"
