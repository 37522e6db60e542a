"""API operations: how fields travel, what a call changes, makes and takes along, and
what it costs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from proofwalk.devcloud.products.schema.nodes import Fault, Node


class Param(Node):
    """How a field travels in a request. A plain string in a file means `{param: …}`."""

    param: str
    aliases: list[str] = []
    join: str | None = None
    """Separator of a list sent as one value; without it a list is sent as Param.1,
    Param.2, …"""
    rows: dict[str, str] = {}
    """Sub-field -> sub-parameter of repeated groups such as DataDisk.1.Size."""
    lower: bool = False
    """The value is accepted in any case and kept in lower case."""
    field: str | None = None
    """Of a filter: the field it looks at, where the filter has another name."""
    compare: Literal["equal", "from", "to"] = "equal"
    """Of a filter: whether the field is, begins at, or ends at the value (moments are
    compared as text)."""
    keyed_by: str | None = None
    """The value is sent as a JSON object under the value of this field of the row."""
    words: Annotated[list[str], Field(max_length=2)] = []
    """How a boolean travels: the word for true, and that for false."""
    pack: dict[str, str] = {}
    """Sub-field -> member: these fields of form and row travel together, as the one
    object of a JSON list."""
    wrap: str | None = None
    """Text in which `{}` stands for the value (a document made from one choice). What
    has another form is not this field."""
    array: bool = False
    """A list travels as one JSON array."""
    base64: bool = False
    """The text travels in base64, and is kept so."""
    moment: Literal["iso", "ms"] | None = None
    """A date picker's moment travels as 2027-01-31T00:00:00Z, or as milliseconds since
    1970."""


def _as_param(value: Any) -> Any:
    return {"param": value} if isinstance(value, str) else value


ParamMap = dict[str, Annotated[Param, BeforeValidator(_as_param)]]


class Spawn(Node):
    """A resource that comes into being with another one."""

    resource: str
    each: str | None = None
    """A field holding rows, or `source:NAME`: one resource each, `$item.x` in the
    templates."""
    given: bool = False
    """It belongs to the other one as a matter of course (a network's system route
    table) and is in no inventory."""
    status: str | None = None
    fields: dict[str, Any] = {}


class Cascade(Node):
    """What happens to other resources when one is gone: `delete`, or new field values
    and a state."""

    resource: str
    where: dict[str, Any] = {}
    delete: bool = False
    set: dict[str, Any] = {}
    to: str | None = None


class Page(Node):
    """Names of the paging members in a list's answer, which are also those of its
    parameters."""

    total: str = "TotalCount"
    number: str | None = "PageNumber"
    size: str | None = "PageSize"
    count: str | None = None
    within: str | None = None
    """Member of the answer that holds them; without it they are at the top."""
    default_size: int = 10


Kind = Literal["list", "get", "create", "update", "catalog", "tag", "untag", "list_tags", "hook"]


class Price(Node):
    """A part of a price in CNY: a fixed amount, the amount that `prices` gives for the
    value of `by`, or `each` times it."""

    flat: float = 0.0
    by: str | None = None
    prices: dict[str, float] = {}
    each: float = 0.0


class Charge(Node):
    """What an operation costs. A subscription is an order that the balance must cover;
    pay-as-you-go needs a minimum balance.

    The charge of a type's create operation is what all its charges start from: an
    action's names what differs (`type`, `period`).
    """

    type: Literal["New", "Renewal", "Upgrade"] = "New"
    """`Renewal` moves the end by the period and costs as much; `Upgrade` costs the
    difference for the time that is left."""
    product_code: str | None = None
    """As the bill calls the product; its id by default."""
    billing: str = "billing"
    """Field that says how the resource is paid."""
    subscription: list[str] = ["PrePaid", "Prepaid", "Subscription"]
    """Values of it that mean a subscription."""
    period: str = "period"
    """Field with the number of months bought, or of what the `unit` field says."""
    unit: str | None = None
    """Field that holds Month or Year (or Week)."""
    month: list[Price] = []
    """Parts of a subscription's price for one month."""
    hour: list[Price] = []
    """Parts of the price of an hour, which is told and metered."""
    expires: str = "expires"
    """Field with the end of the subscription."""
    auto_renew: str | None = None
    """Field that says whether it is renewed at its end, and the field with the
    months."""
    auto_renew_period: str | None = None
    minimum: float = 100.0
    """Balance without which nothing can be had as pay-as-you-go."""
    fault: Fault = Fault(
        code="NOT_ENOUGH_BALANCE", message="Your account does not have enough balance.", status=403
    )


class OperationSpec(Node):
    """One API operation. Which members matter depends on `kind`; `operations` documents
    each kind."""

    op: str
    kind: Kind | None = None
    id_param: str | None = None
    id_array: bool = False
    """The ids travel as one JSON array."""
    params: ParamMap = {}
    send: ParamMap = {}
    """Fields of the row itself that travel with an action (the parent's id, say)."""
    match: list[str] = []
    """Fields of `send` and `params` that find the resource where the request carries no
    id."""
    bulk: str | None = None
    """Prefix of a repeated group (`Permissions.1.…`) each of which is one call of this
    operation."""
    missing: Literal["fault", "empty", "ignore"] = "fault"
    optional: list[str] = []
    mandatory: list[str] = []
    derive: dict[str, Any] = {}
    set: dict[str, Any] = {}
    to: Any = None
    """The next state, or a template of it where the request names it."""
    delete: bool = False
    override: str | None = None
    """A boolean form field that lifts the state condition (a forced stop or
    release)."""
    denied: dict[str, Fault] = {}
    spawn: list[Spawn] = []
    existing: Literal["fault", "ignore"] = "fault"
    """`ignore`: creating what is already there (equal in all mapped fields) answers as
    if it had been created."""
    hook: str | None = None
    charge: Charge | None = None
    """What it costs (`billing`). In the response, `$item.order` is the order's id and
    `$item.price` the amount."""
    source: str | None = None
    filters: ParamMap = {}
    response: Any = {}
    row: Any = None
    page: Page = Page()
    read: bool | None = None


class OperationChoice(Node):
    """One of several operations, by the value of a field of form or row (a listener's
    protocol)."""

    by: str
    ops: dict[str, str]


OperationUse = OperationSpec | OperationChoice | str
