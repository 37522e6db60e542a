"""The product file as models: what a product shows, accepts, refuses and answers.

A file has two audiences. The browser gets menus, fields, forms, actions and tabs; keys named `api` and `lifecycle`
are for the backend alone and are stripped by `catalogue.public`. An operation is declared where the console uses it
(`api:` on `list`, `detail`, `create` or an action); a plain string there refers to one declared elsewhere; those that
no console node uses stand in the resource's or the product's `api.operations`. Models check the shape of one file;
`catalogue` checks what refers to what.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

GONE = "@gone"
"""The state that a resource enters when it ceases to exist."""


class Node(BaseModel):
    """Base of every model: unknown keys are errors, because a misspelt key would silently do nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(Node):
    """A refusal as the real service words it. `{id}` and `{value}` in the message are filled in."""

    code: str
    message: str
    status: int = 400


class Selector(Node):
    """Other resources of the same account: `resource` is product.type, `where` maps its fields to templates or lists of them."""

    resource: str
    where: dict[str, Any] = {}


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
    unique: Fault | None = None
    value: Any = None
    """Template of a computed field, which is shown but never stored."""
    equals: str | None = None
    """A form field that must hold the same value (a password typed twice)."""
    secret: bool = False
    """Masked in the audit log, checked and forgotten, as a password is."""
    console_only: bool = False
    """The form asks for it (terms of service, a repeated password) and no operation takes it."""


class Option(Node):
    """One choice of a select, radio or checkbox group. `when` limits it to values of other fields."""

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
        by_widget = {"number": "int", "slider": "int", "switch": "bool", "checkbox": "bool", "table": "list", "tags": "tags"}
        return by_widget.get(self.widget, "str")


class Param(Node):
    """How a field travels in a request. A plain string in a file means `{param: …}`."""

    param: str
    aliases: list[str] = []
    join: str | None = None
    """Separator of a list sent as one value; without it a list is sent as Param.1, Param.2, …"""
    rows: dict[str, str] = {}
    """Sub-field -> sub-parameter of repeated groups such as DataDisk.1.Size."""
    lower: bool = False
    """The value is accepted in any case and kept in lower case."""
    field: str | None = None
    """Of a filter: the field it looks at, where the filter has another name."""
    compare: Literal["equal", "from", "to"] = "equal"
    """Of a filter: whether the field is, begins at, or ends at the value (moments are compared as text)."""
    keyed_by: str | None = None
    """The value is sent as a JSON object under the value of this field of the row."""
    words: Annotated[list[str], Field(max_length=2)] = []
    """How a boolean travels: the word for true, and that for false."""
    pack: dict[str, str] = {}
    """Sub-field -> member: these fields of form and row travel together, as the one object of a JSON list."""
    wrap: str | None = None
    """Text in which `{}` stands for the value (a document made from one choice). What has another form is not this field."""
    array: bool = False
    """A list travels as one JSON array."""
    base64: bool = False
    """The text travels in base64, and is kept so."""
    moment: Literal["iso", "ms"] | None = None
    """A date picker's moment travels as 2027-01-31T00:00:00Z, or as milliseconds since 1970."""


def _as_param(value: Any) -> Any:
    return {"param": value} if isinstance(value, str) else value


ParamMap = dict[str, Annotated[Param, BeforeValidator(_as_param)]]


class Spawn(Node):
    """A resource that comes into being with another one."""

    resource: str
    each: str | None = None
    """A field holding rows, or `source:NAME`: one resource each, `$item.x` in the templates."""
    given: bool = False
    """It belongs to the other one as a matter of course (a network's system route table) and is in no inventory."""
    status: str | None = None
    fields: dict[str, Any] = {}


class Cascade(Node):
    """What happens to other resources when one is gone: `delete`, or new field values and a state."""

    resource: str
    where: dict[str, Any] = {}
    delete: bool = False
    set: dict[str, Any] = {}
    to: str | None = None


class Block(Selector):
    """Resources that forbid a delete while they exist."""

    unless: str | None = None
    """A boolean form field of the delete that lifts it (a forced delete, whose `cascade` takes the resources along)."""
    fault: Fault


class Page(Node):
    """Names of the paging members in a list's answer, which are also those of its parameters."""

    total: str = "TotalCount"
    number: str | None = "PageNumber"
    size: str | None = "PageSize"
    count: str | None = None
    within: str | None = None
    """Member of the answer that holds them; without it they are at the top."""
    default_size: int = 10


Kind = Literal["list", "get", "create", "update", "catalog", "tag", "untag", "list_tags", "hook"]


class Price(Node):
    """A part of a price in CNY: a fixed amount, the amount that `prices` gives for the value of `by`, or `each` times it."""

    flat: float = 0.0
    by: str | None = None
    prices: dict[str, float] = {}
    each: float = 0.0


class Charge(Node):
    """What an operation costs. A subscription is an order that the balance must cover; pay-as-you-go needs a minimum balance.

    The charge of a type's create operation is what all its charges start from: an action's names what differs (`type`, `period`).
    """

    type: Literal["New", "Renewal", "Upgrade"] = "New"
    """`Renewal` moves the end by the period and costs as much; `Upgrade` costs the difference for the time that is left."""
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
    """Parts of the price of an hour, which is told and not collected."""
    expires: str = "expires"
    """Field with the end of the subscription."""
    auto_renew: str | None = None
    """Field that says whether it is renewed at its end, and the field with the months."""
    auto_renew_period: str | None = None
    minimum: float = 100.0
    """Balance without which nothing can be had as pay-as-you-go."""
    fault: Fault = Fault(code="NOT_ENOUGH_BALANCE", message="Your account does not have enough balance.", status=403)


class OperationSpec(Node):
    """One API operation. Which members matter depends on `kind`; `operations` documents each kind."""

    op: str
    kind: Kind | None = None
    id_param: str | None = None
    id_array: bool = False
    """The ids travel as one JSON array."""
    params: ParamMap = {}
    send: ParamMap = {}
    """Fields of the row itself that travel with an action (the parent's id, say)."""
    match: list[str] = []
    """Fields of `send` and `params` that find the resource where the request carries no id."""
    bulk: str | None = None
    """Prefix of a repeated group (`Permissions.1.…`) each of which is one call of this operation."""
    missing: Literal["fault", "empty", "ignore"] = "fault"
    optional: list[str] = []
    mandatory: list[str] = []
    derive: dict[str, Any] = {}
    set: dict[str, Any] = {}
    to: Any = None
    """The next state, or a template of it where the request names it."""
    delete: bool = False
    override: str | None = None
    """A boolean form field that lifts the state condition (a forced stop or release)."""
    denied: dict[str, Fault] = {}
    spawn: list[Spawn] = []
    existing: Literal["fault", "ignore"] = "fault"
    """`ignore`: creating what is already there (equal in all mapped fields) answers as if it had been created."""
    hook: str | None = None
    charge: Charge | None = None
    """What it costs (`billing`). In the response, `$item.order` is the order's id and `$item.price` the amount."""
    source: str | None = None
    filters: ParamMap = {}
    response: Any = {}
    row: Any = None
    page: Page = Page()
    read: bool | None = None


class OperationChoice(Node):
    """One of several operations, by the value of a field of form or row (a listener's protocol)."""

    by: str
    ops: dict[str, str]


OperationUse = OperationSpec | OperationChoice | str


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
    """A question before an action; `typed` names the field whose value must be typed."""

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


class State(Node):
    """How a state looks in the console."""

    tone: Literal["success", "muted", "progress", "warning", "error"]
    label: str | None = None


class Transition(Node):
    """Leaves a state by itself after `after` seconds."""

    after: float = Field(ge=0)
    to: str


class Lifecycle(Node):
    """The state a resource starts in, and the states it leaves by itself."""

    initial: str
    transitions: dict[str, Transition] = {}


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [] if value is None else [value]


class Quota(Node):
    """At most `max` resources with equal values in `per` (`region` and fields)."""

    max: int
    per: list[str] = []
    fault: Fault


class Given(Node):
    """A resource that every account has from the beginning, in each region unless its type has none."""

    status: str | None = None
    fields: dict[str, Any] = {}


class ResourceApi(Node):
    """Identity, refusals and dependencies of a resource type."""

    type: str
    """As the audit log names it: `ACS::ECS::Instance`."""
    id_prefix: str = ""
    id_param: str
    id_style: Literal["regional", "plain", "digits"] = "regional"
    """Random characters with the region's mark before them, without it, or digits."""
    id_from: Annotated[list[str], BeforeValidator(_as_list)] = []
    """Fields whose values are the id (a bucket's name), joined by `/` if several: the last travels as `id_param`, those
    before it (the project of a log store) as `parent` says. Empty: the engine makes ids from `id_prefix`."""
    unique: Literal["account", "global"] = "account"
    """How far an id that people choose must be unique."""
    exists: Fault = Fault(code="EntityAlreadyExists", message="The resource {id} already exists.", status=409)
    """The id is in use."""
    taken: Fault | None = None
    """The id is in use by another account (`unique: global`); without it `exists` says so."""
    parent: ParamMap = {}
    """Field holding the parent's id -> parameter by which the parent's listing operation takes it."""
    part: bool | None = None
    """Whether the inventory counts it with its parent (a rule of a group) rather than by itself. Unsaid: what has a parent is a part."""
    tag_type: str | None = None
    record: Literal["balance", "order", "subscription"] | None = None
    """The part that this type plays in billing; one product file declares all three."""
    given: list[Given] = []
    """What an account comes with. It is not in the inventory of what an account holds."""
    not_found: Fault
    wrong_state: Fault
    quota: Annotated[list[Quota], BeforeValidator(_as_list)] = []
    """One, or a list of which each holds."""
    blocks: list[Block] = []
    cascade: list[Cascade] = []
    orphaned: list[Cascade] = []
    """What becomes of resources of this type when one of type `resource`, perhaps of another product, is gone: `where` is
    about this type, with the gone one in hand."""
    operations: list[OperationSpec] = []


class ResourceSpec(Node):
    """A resource type."""

    label: str
    plural: str
    name: str | None = None
    global_: bool | None = Field(default=None, alias="global")
    """Overrides the product's `global`."""
    fields: list[FieldSpec]
    list_: ListSpec = Field(alias="list")
    create: CreateSpec | None = None
    actions: list[ActionSpec] = []
    detail: DetailSpec | None = None
    states: dict[str, State]
    lifecycle: Lifecycle
    api: ResourceApi

    def field(self, field_id: str) -> FieldSpec | None:
        """The field with this id."""
        return next((f for f in self.fields if f.id == field_id), None)


class MenuItem(Node):
    """An entry of the left menu."""

    id: str
    label: str
    page: str | None = None
    resource: str | None = None
    items: list[MenuItem] = []


class Source(Node):
    """Named choices: fixed rows, resources, or the rows and then the resources. `where` limits them by values of the asking form."""

    rows: list[dict[str, Any]] = []
    resource: str | None = None
    status: list[str] = []
    where: dict[str, str] = {}
    """Row key or resource field -> name of the form's field it must equal (or, for a list in a row, contain)."""
    value: str = "id"
    """The resource's field that is the choice's value."""
    label: str = "{label}"
    by: str | None = None
    """A field of the asking form whose value says which of `cases` is meant."""
    cases: dict[str, str] = {}
    """Value of the field `by` -> the source that answers."""


class ProductApi(Node):
    """The API version that the operations belong to, the sources, and operations that no resource owns."""

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
    """The product has no regions: a request's RegionId means nothing, and the region of its resources is empty."""
    menu: list[MenuItem]
    resources: dict[str, ResourceSpec]
    api: ProductApi
