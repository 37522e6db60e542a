"""What can be set about inspections."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from proofwalk.chassis.settings import SettingsSection


class InspectionSettings(SettingsSection):
    """`PROOFWALK_INSPECTION__…`."""

    roots: list[Path] = Field(default_factory=list)
    """Folders of the server under which collections may have their documents, for
    everybody who has a key. Empty lets no collection have a folder."""
    concurrency: int = Field(default=4, ge=1, le=64)
    """Inspections that are worked on at a time; each asks for as many walks at a time
    as its collection says."""
    hold_ttl_s: float = Field(default=30.0, gt=1, le=600)
    """Seconds after which an inspection whose process fell silent is taken over."""
    reconcile_s: float = Field(default=2.0, gt=0, le=60)
    """Seconds between two looks for inspections that wait."""
    poll_s: float = Field(default=1.0, gt=0, le=60)
    """Seconds between two looks at the verifications under way."""
    schedule_s: float = Field(default=15.0, gt=0, le=300)
    """Seconds between two looks for collections whose time has come."""
    max_procedures: int = Field(default=20_000, ge=1, le=1_000_000)
    """Most procedures of one collection."""
    fetch_allow_hosts: list[str] = Field(default_factory=list)
    """Hosts of sitemaps and their pages that may be private, as rollout's setting of
    this name has them."""
    max_document_bytes: int = Field(default=5_000_000, ge=1000)
    """Most bytes of a sitemap or a page of it."""
