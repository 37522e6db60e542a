"""A product: its menu, its resource types, its named choices and the operations that no
console node uses."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from proofwalk.devcloud.products.schema.nodes import Node
from proofwalk.devcloud.products.schema.operations import OperationSpec
from proofwalk.devcloud.products.schema.pages import MenuItem
from proofwalk.devcloud.products.schema.resources import ResourceSpec


class Source(Node):
    """Named choices: fixed rows, resources, or the rows and then the resources. `where`
    limits them by values of the asking form."""

    rows: list[dict[str, Any]] = []
    resource: str | None = None
    status: list[str] = []
    where: dict[str, str] = {}
    """Row key or resource field -> name of the form's field it must equal (or, for a
    list in a row, contain)."""
    value: str = "id"
    """The resource's field that is the choice's value."""
    label: str = "{label}"
    by: str | None = None
    """A field of the asking form whose value says which of `cases` is meant."""
    cases: dict[str, str] = {}
    """Value of the field `by` -> the source that answers."""


class ProductApi(Node):
    """The API version that the operations belong to, the sources, and operations that
    no resource owns."""

    version: str
    operations: list[OperationSpec] = []
    sources: dict[str, Source] = {}


class Product(Node):
    """A whole product file."""

    id: str
    title: str
    service: str
    description: str | None = None
    global_: bool = Field(default=False, alias="global")
    """The product has no regions: a request's RegionId means nothing, and the region of
    its resources is empty."""
    menu: list[MenuItem]
    resources: dict[str, ResourceSpec]
    api: ProductApi
