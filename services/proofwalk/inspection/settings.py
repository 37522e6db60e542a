"""What can be set about inspections."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from proofwalk.chassis.settings_sections import SettingsSection


class WebhookSettings(SettingsSection):
    """`PROOFWALK_INSPECTION__WEBHOOKS__…`."""

    deadline_s: float = Field(default=10.0, gt=0, le=60)
    """Seconds that a receiver has to answer."""
    concurrency: int = Field(default=8, ge=1, le=64)
    """Receivers that are told at a time; one receiver is told one thing at a time."""
    look_s: float = Field(default=2.0, gt=0, le=60)
    """Seconds between two looks for what is to be delivered."""
    tries: int = Field(default=12, ge=1, le=100)
    """How often a delivery is tried."""
    first_pause_s: float = Field(default=5.0, gt=0, le=3600)
    """Seconds between the first two tries; each further pause is four times as long."""
    longest_pause_s: float = Field(default=6 * 3600.0, gt=0, le=7 * 86400)
    """Seconds that no pause exceeds."""
    disable_after_s: float = Field(default=5 * 86400.0, gt=0)
    """Seconds of nothing but failure after which a webhook is disabled."""
    keep_days: int = Field(default=30, ge=1, le=3650)
    """Days for which deliveries are kept after they have ended, to be replayed."""
    encryption_key: SecretStr = SecretStr("")
    """Fernet key of secrets at rest; empty makes one in the role's folder, readable by
    its owner alone. To replace it, write the new one before it, with white space
    between."""


class GitSection(SettingsSection):
    """`PROOFWALK_INSPECTION__GIT__…`: repositories as sources of collections."""

    protocols: list[Literal["https", "ssh", "file"]] = Field(default=["https"])
    """Protocols over which repositories are read; `file` are repositories under
    `roots`. An empty list reads none."""
    tokens: dict[str, Path] = Field(default_factory=dict)
    """Files of tokens, by the beginning of the URLs that they are for
    (`https://git.example.com/docs`). Everybody who has a key may have those
    repositories read."""
    ca_file: Path | None = None
    """Certificates that https servers are held to, instead of the system's."""
    ssh_key_file: Path | None = None
    """Key for ssh, without a passphrase."""
    known_hosts_file: Path | None = None
    """Keys of hosts for ssh; a host that is not in it is refused."""
    timeout_s: float = Field(default=300.0, gt=0, le=3600)
    """Seconds that one call of git may take."""
    max_bytes: int = Field(default=1024 * 1024 * 1024, ge=1_000_000)
    """Most bytes of what a repository sends, and of its copy here."""


class WebSection(SettingsSection):
    """`PROOFWALK_INSPECTION__WEB__…`: sitemaps and sites as sources of collections."""

    max_pages: int = Field(default=20_000, ge=1, le=1_000_000)
    """Most pages of a sitemap, and most addresses of a crawl."""
    max_bytes: int = Field(default=256 * 1024 * 1024, ge=1000)
    """Most bytes of all pages of a source."""
    max_sitemap_bytes: int = Field(default=50 * 1024 * 1024, ge=1000)
    """Most bytes of a sitemap, packed and unpacked."""
    max_sitemaps: int = Field(default=200, ge=1, le=50_000)
    """Most sitemaps that an index leads to."""
    max_depth: int = Field(default=10, ge=0, le=100)
    """Most links between the start page of a crawl and a page."""
    pause_s: float = Field(default=0.25, ge=0, le=60)
    """Seconds between two requests; more where `robots.txt` says so, up to 10."""
    timeout_s: float = Field(default=3600.0, gt=0)
    """Seconds for a whole source."""
    trust_lastmod_s: float = Field(default=7 * 86400.0, ge=0)
    """Seconds for which a page whose `lastmod` is the same is not asked for again."""
    follow_queries: bool = False
    """Follow links with a query in a crawl."""


class InspectionSettings(SettingsSection):
    """`PROOFWALK_INSPECTION__…`."""

    roots: list[Path] = Field(default_factory=list)
    """Folders of the server under which collections may have their documents, for
    everybody who has a key. Empty lets no collection have a folder."""
    concurrency: int = Field(default=4, ge=1, le=64)
    """Inspections that a process works on at a time, which owners share fairly; each
    asks for as many walks at a time as its collection says."""
    unfinished_jobs: int = Field(default=500, ge=0, le=1_000_000)
    """Verifications of one owner that are not finished, its own submissions among them;
    at that many its inspections wait before they ask for more. 0 sets no bound. Give it
    what PROOFWALK_GATEWAY__LIMITS__UNFINISHED_JOBS has."""
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
    """Hosts of sitemaps, sites, repositories and webhooks' receivers that may be
    private, as rollout's setting of this name has them."""
    max_document_bytes: int = Field(default=5_000_000, ge=1000)
    """Most bytes of a page of a sitemap or a site."""
    git: GitSection = GitSection()
    """Repositories as sources."""
    web: WebSection = WebSection()
    """Sitemaps and sites as sources."""
    webhooks: WebhookSettings = WebhookSettings()
    """How events are told to receivers."""
