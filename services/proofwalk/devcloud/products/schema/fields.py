"""The fields of a resource or form: how the browser shows them, and what the backend
demands of their values."""

from __future__ import annotations

from typing import Any, Literal

from proofwalk.devcloud.products.schema.nodes import Fault, Node


class Reference(Node):
    """The value of a field is the id of another resource."""

    resource: str
    same: dict[str, str] = {}
    """Own field -> field of the target that must hold the same value."""
    status: list[str] = []
    """States of the target in which it may be referred to; empty means any."""
    fault: Fault | None = None
    mismatch: Fault | None = None


class Check(Node):
    """A named rule of `validation.CHECKS` on the field's value, with its argument."""

    kind: str
    of: str | None = None
    patterns: dict[str, str] = {}
    """Value of the field `of` -> pattern that the value must match (`pattern_by`)."""
    unless: dict[str, list[Any]] = {}
    """The rule does not hold for resources whose field has one of these values."""
    fault: Fault


class FieldApi(Node):
    """What the backend alone needs to know about a field."""

    type: Literal["str", "int", "bool", "list", "rows", "tags"] | None = None
    ref: Reference | None = None
    checks: list[Check] = []
    fault: Fault | None = None
    retired: Fault | None = None
    """Refusal of a specification that was on offer once; by default it is `fault`."""
    unique: Fault | None = None
    value: Any = None
    """Template of a computed field, which is shown but never stored."""
    equals: str | None = None
    """A form field that must hold the same value (a password typed twice)."""
    secret: bool = False
    """Masked in the audit log, checked and forgotten, as a password is."""
    console_only: bool = False
    """The form asks for it (terms of service, a repeated password) and no operation
    takes it."""


class Option(Node):
    """One choice of a select, radio or checkbox group. `when` limits it to values of
    other fields."""

    value: Any
    label: str
    disabled: bool = False
    hint: str | None = None
    children: list[Option] = []
    """The next level of a cascader; only what has no children can be chosen."""


class OptionSource(Node):
    """Choices that come from `GET /console/api/options/{source}`."""

    source: str


Widget = Literal[
    "input",
    "password",
    "textarea",
    "number",
    "select",
    "cascader",
    "radio",
    "checkbox",
    "switch",
    "slider",
    "date",
    "table",
    "tags",
    "text",
    "upload",
]


class FieldSpec(Node):
    """One field of a resource or form."""

    id: str
    label: str
    widget: Widget = "input"
    required: bool = False
    search: bool = False
    multiple: bool = False
    """Of a select or cascader: any number of the options, kept as a list."""
    options: list[Option] | OptionSource | None = None
    depends_on: list[str] = []
    show_if: dict[str, list[Any]] = {}
    default: Any = None
    default_from: str | None = None
    pattern: str | None = None
    item_pattern: str | None = None
    message: str | None = None
    min: float | None = None
    max: float | None = None
    step: float | None = None
    marks: list[float] | dict[str, str] | None = None
    unit: str | None = None
    help: str | None = None
    text: str | None = None
    placeholder: str | None = None
    immutable: bool = False
    api: FieldApi = FieldApi()

    @property
    def type(self) -> str:
        """How the value is kept: from `api.type`, else from the widget."""
        if self.api.type is not None:
            return self.api.type
        if self.multiple:
            return "list"
        by_widget = {
            "number": "int",
            "slider": "int",
            "switch": "bool",
            "checkbox": "bool",
            "table": "list",
            "tags": "tags",
        }
        return by_widget.get(self.widget, "str")

    @property
    def stored(self) -> bool:
        """Whether the value is kept with the resource: not one that is checked and
        forgotten, as a password is, and not one that is computed."""
        return (
            self.widget != "password"
            and not self.api.secret
            and not self.api.console_only
            and self.api.value is None
        )
