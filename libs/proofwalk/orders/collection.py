"""What is asked for when a whole documentation is to be inspected again and again: one
frozen type, carried whole.

A `CollectionSpec` names the documents, the order that each procedure is asked with
(`orders.order.Order`), a budget for one inspection and a schedule. It is the body of
`POST /v1/collections`; `collection_contract` converts it, the inspection role keeps it,
the command line makes it. Whether its source may be read, and whether its schedule is
one, is the role's to find (`inspection.domain`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from proofwalk.orders.order import Order, refuse_nul

DEFAULT_REFRESH_S = 30 * 86400.0
MAX_CONCURRENCY = 64


class SourceKind(StrEnum):
    """Where documents are."""

    FOLDER = "folder"
    SITEMAP = "sitemap"
    SITE = "site"
    GIT = "git"


class Part(BaseModel):
    """Base of what a collection is made of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="after")
    def _is_text(self) -> Self:
        refuse_nul(getattr(self, name) for name in type(self).model_fields)
        return self


class Source(Part):
    """Where a collection's documents are."""

    kind: Annotated[SourceKind, WithJsonSchema({"type": "string", "enum": list(SourceKind)})] = (
        Field(
            description="`folder` of the server, `git` repository, `sitemap`, or `site` to crawl."
        )
    )
    address: str = Field(
        min_length=1,
        max_length=4096,
        description="The absolute path of a folder or a repository, or a URL.",
        examples=["/documents/ecs"],
    )
    subfolder: str = Field(
        default="",
        max_length=1024,
        description="Folder in a repository; of a site, the path within which it is crawled.",
    )
    branch: str = Field(
        default="", max_length=256, description="Branch, tag or commit of a repository."
    )


class Budget(Part):
    """What an inspection may use, or has used; as a bound, 0 is none."""

    walks: int = Field(default=0, ge=0, le=1_000_000, description="Verifications.")
    cost: float = Field(
        default=0.0,
        ge=0,
        le=1e9,
        allow_inf_nan=False,
        description="In the price table's currency, as verdicts tell it.",
    )
    seconds: float = Field(
        default=0.0,
        ge=0,
        le=1e9,
        allow_inf_nan=False,
        description="Of all walks together, as verdicts tell it.",
    )


class Schedule(Part):
    """When inspections start by themselves; an empty `cron` is never."""

    cron: str = Field(
        default="",
        max_length=500,
        description="Minute, hour, day of month, month, day of week.",
        examples=["0 3 * * 1"],
    )
    time_zone: str = Field(default="UTC", max_length=64, description="IANA name.")


class Weight(Part):
    """How much pages count whose path fits a pattern; the first that fits counts."""

    pattern: str = Field(
        min_length=1,
        max_length=200,
        description="Of the page's path: `**`, `*` and `?` stand for what they do in globs.",
        examples=["ecs/**"],
    )
    weight: float = Field(ge=0, le=1000, allow_inf_nan=False)


class CollectionSpec(Part):
    """What its owner says of a collection."""

    name: str = Field(min_length=1, max_length=1024, description="Yours alone has it.")
    source: Source
    order: Order
    budget: Budget = Field(default=Budget(), description="Of one inspection.")
    schedule: Schedule = Schedule()
    paused: bool = Field(
        default=False,
        description="Neither scheduled nor started; one under way asks for nothing more.",
    )
    weights: tuple[Weight, ...] = Field(default=(), max_length=200)
    concurrency: int = Field(
        default=1, ge=1, le=MAX_CONCURRENCY, description="Verifications under way at a time."
    )
    refresh_s: float = Field(
        default=DEFAULT_REFRESH_S,
        gt=0,
        le=1e9,
        description="Seconds after which an unchanged procedure of importance 1 is due.",
    )
    never_replay: bool = Field(
        default=False, description="Walk in full what a recorded walk could be replayed for."
    )
    all_procedures: bool = Field(
        default=False,
        description="Every procedure of a page, not only the one that the page is about.",
    )
