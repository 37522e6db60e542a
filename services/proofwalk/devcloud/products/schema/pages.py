"""What the browser shows of a resource: its table, create form, actions and detail
page, and the menu that leads there."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from proofwalk.devcloud.products.schema.nodes import Node
from proofwalk.devcloud.products.schema.operations import OperationUse


class ListSpec(Node):
    """The table of a resource."""

    columns: list[str]
    search: list[str] = []
    filters: list[str] = []
    batch: list[str] = []
    api: OperationUse


class Step(Node):
    """One page of a create wizard."""

    id: str
    title: str
    fields: list[str] = []
    review: bool = False
    help: str | None = None


class CreateSpec(Node):
    """The create form."""

    label: str
    container: Literal["page", "drawer", "dialog"] = "page"
    steps: list[Step]
    submit: str | None = None
    api: OperationUse


class Confirm(Node):
    """A question before an action; `typed` names the field whose value must be
    typed."""

    title: str | None = None
    text: str
    typed: str | None = None
    ok: str = "OK"


class ActionSpec(Node):
    """One thing to do with an existing resource."""

    id: str
    label: str
    when: dict[str, list[Any]] = {}
    else_: str | None = Field(default=None, alias="else")
    confirm: Confirm | None = None
    form: list[str] = []
    values: dict[str, Any] = {}
    """Field values that the action sends without asking."""
    danger: bool = False
    api: OperationUse


class SubTable(Node):
    """A resource's list inside another one's detail page."""

    resource: str
    where: dict[str, str] = {}


class Tab(Node):
    """A tab of a detail page: fields, a table or further tabs."""

    id: str
    title: str
    fields: list[str] = []
    table: SubTable | None = None
    tabs: list[Tab] = []
    help: str | None = None


class DetailSpec(Node):
    """The page of one resource."""

    tabs: list[Tab]
    api: OperationUse | None = None


class MenuItem(Node):
    """An entry of the left menu."""

    id: str
    label: str
    page: str | None = None
    resource: str | None = None
    items: list[MenuItem] = []
