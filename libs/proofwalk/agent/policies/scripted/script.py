"""Scripts: what the scripted policy plays, as a YAML list with one entry for each
sub-step, each a list of moves.

    - - open: {product: Elastic Compute Service, menu: [Instances]}
    - - {row: "{{meta.instance_name}}", press: Stop}
      - {confirm: OK}
    - []                                                  # a sub-step that asks for nothing

Each move is one mapping and says what is done by the label that the console shows,
never how: whether a choice is a list, a radio group or a cascader, and whether an
action stands in the row or behind its `⋮`, is found out on the page (`moves`,
`fields`). `{{meta.x}}` stands for META's output `x`, or for what an earlier `need` of
the script was told (`with_names`); scripts hold no secret. Files to upload are part of
the script. `parse_script` raises `script.invalid` and names the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from proofwalk.agent.policies.scripted.placeholders import Names, invalid_script
from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.kernel.answers import FIELD_NAME

MAX_SCRIPT_BYTES = 128 * 1024


def _text(value: object) -> object:
    """Numbers are what YAML makes of `40`; a field shows text."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_text)]


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Place(_Node):
    """A product, and the entries of its menu that lead to a page."""

    product: str = Field(min_length=1)
    menu: tuple[str, ...] = ()


class Open(_Node):
    """Open a product and go to a page of its menu."""

    open: Place


class Region(_Node):
    """Switch the region in the top bar."""

    region: str


class Press(_Node):
    """Click a button, link or menu entry with this name."""

    press: str


class Tab(_Node):
    """Open a tab."""

    tab: str


class Row(_Node):
    """Do something with the row that shows a name or id: an action (also behind `⋮`),
    or open it."""

    row: Text
    press: str = ""
    open: bool = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Row:
        if bool(self.press) == self.open:
            raise ValueError(
                "a row is opened (`open: true`) or an action of it is pressed (`press: label`)"
            )
        return self


class Rows(_Node):
    """Tick rows and press a batch action."""

    rows: tuple[Text, ...] = Field(min_length=1)
    press: str


class Fill(_Node):
    """Enter texts, by the fields' labels."""

    fill: Mapping[str, Text] = Field(min_length=1)


class Choose(_Node):
    """Choose options, by the fields' labels; several options are the levels of a
    cascader, or the choices of a list that takes several."""

    choose: Mapping[str, Text | tuple[Text, ...]] = Field(min_length=1)


class Set(_Node):
    """Bring switches and check boxes to a state, by their labels or texts."""

    set: Mapping[str, bool] = Field(min_length=1)


class Slide(_Node):
    """Move sliders to a value."""

    slide: Mapping[str, float] = Field(min_length=1)


class Date(_Node):
    """Enter moments (`2027-01-31 00:00:00`)."""

    date: Mapping[str, Text] = Field(min_length=1)


class File(_Node):
    """A file to upload."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    content: str = Field(max_length=64 * 1024)


class Upload(_Node):
    """Upload a file, by the field's label."""

    upload: Mapping[str, File] = Field(min_length=1)


class Tags(_Node):
    """Add tags in the form's tag editor."""

    tags: Mapping[Text, Text] = Field(min_length=1)


class List(_Node):
    """Make the entries of a list editor these, by the field's label."""

    list: Mapping[str, tuple[Text, ...]] = Field(min_length=1)


class Next(_Node):
    """Go to the wizard's next step."""

    next: Literal[True]


class Submit(_Node):
    """Press a form's last button and wait until the form is gone."""

    submit: str


class Confirm(_Node):
    """Press a dialog's button, after typing what it wants typed, and wait until the
    dialog is gone."""

    confirm: str
    type: Text = ""


class Expected(_Node):
    """What is waited for: a row's status, a row's end, or a text."""

    row: Text = ""
    status: str = ""
    gone: Text = ""
    text: Text = ""

    @model_validator(mode="after")
    def _one(self) -> Expected:
        if [bool(self.row and self.status), bool(self.gone), bool(self.text)].count(
            True
        ) != 1 or bool(self.row) != bool(self.status):
            raise ValueError("wait takes {row, status}, {gone: row} or {text}")
        return self


class Wait(_Node):
    """Wait for what the console does by itself."""

    wait: Expected


class Search(_Node):
    """Search the list."""

    search: Text


class Page(_Node):
    """Turn to a page of the list."""

    page: int = Field(ge=1)


class ReadPlace(_Node):
    """What is read: the cell of a row under a column's header, or what stands beside a
    label; `name` is the field of the answer that it becomes."""

    row: Text = ""
    column: str = ""
    label: str = ""
    name: str = Field(alias="as", pattern=FIELD_NAME)

    @model_validator(mode="after")
    def _one_place(self) -> ReadPlace:
        if bool(self.row) != bool(self.column) or bool(self.row) == bool(self.label):
            raise ValueError("read takes {row, column, as} or {label, as}")
        return self


class Read(_Node):
    """Read a value off the page for the answer at the walk's end."""

    read: ReadPlace


class Close(_Node):
    """Close what lies over the page: a notice, a drawer, a dialog."""

    close: Literal[True]


class Reported(_Node):
    """What is taken of a report on what was provisioned: the id or the name of a
    resource of this type, as the inventory calls it."""

    product: str = Field(min_length=1)
    type: str = Field(min_length=1)
    take: Literal["id", "name"]


class Need(_Node):
    """Ask for what the console lacks. `names` says what then stands for `{{meta.x}}`,
    from here on; files to upload are laid out before and cannot have it. It is asked
    before the page is opened that is to show it."""

    need: str = Field(min_length=1)
    product: str = ""
    resource: str = ""
    """What kind of thing, as the console calls it."""
    states: tuple[str, ...] = ()
    values: Mapping[str, str] = Field(default_factory=dict)
    """Label of a field → the value that it is to have."""
    names: Mapping[str, Reported] = Field(min_length=1)


Move = (
    Open
    | Region
    | Press
    | Tab
    | Row
    | Rows
    | Fill
    | Choose
    | Set
    | Slide
    | Date
    | Upload
    | Tags
    | List
    | Next
    | Submit
    | Confirm
    | Wait
    | Search
    | Page
    | Read
    | Close
    | Need
)

_VERBS: Mapping[str, type[_Node]] = {
    # `row` and `rows` come first: with them, `press` and `open` are said of a row.
    "row": Row,
    "rows": Rows,
    "confirm": Confirm,
    "open": Open,
    "region": Region,
    "press": Press,
    "tab": Tab,
    "fill": Fill,
    "choose": Choose,
    "set": Set,
    "slide": Slide,
    "date": Date,
    "upload": Upload,
    "tags": Tags,
    "list": List,
    "next": Next,
    "submit": Submit,
    "wait": Wait,
    "search": Search,
    "page": Page,
    "read": Read,
    "close": Close,
    "need": Need,
}


class Script(_Node):
    """What is done for each sub-step of a procedure."""

    entries: tuple[tuple[Move, ...], ...]

    @property
    def files(self) -> Mapping[str, str]:
        """Files that the script uploads: name → content."""
        return {
            file.name: file.content
            for entry in self.entries
            for move in entry
            if isinstance(move, Upload)
            for file in move.upload.values()
        }


def parse_script(text: str, *, outputs: Mapping[str, str] | None = None) -> Script:
    """The script that `text` says, with META's outputs put in where they are given;
    names that an earlier `need` asks for stay. Raises `script.invalid`."""
    try:
        document = read_yaml(text, YamlBounds(max_bytes=MAX_SCRIPT_BYTES))
    except YamlRefused as refused:
        raise invalid_script(refused.where, refused.what) from None
    if not isinstance(document, list):
        raise invalid_script("", "it is not a list with one entry for each sub-step")
    names = Names(outputs)
    return Script(
        entries=tuple(
            _entry(entry, f"entry {number}", names)
            for number, entry in enumerate(document, start=1)
        )
    )


def with_names(move: Move, names: Mapping[str, str]) -> Move:
    """The move with what needs were told in its texts. Raises `script.invalid` for a
    name that nobody told."""
    told = move.model_dump(by_alias=True)
    return type(move).model_validate(Names(names).filled(told, "a move"))


def _entry(entry: object, where: str, names: Names) -> tuple[Move, ...]:
    if not isinstance(entry, list):
        raise invalid_script(where, "it is not a list of moves")
    return tuple(
        _move(move, f"{where}, move {number}", names) for number, move in enumerate(entry, start=1)
    )


def _move(move: object, where: str, names: Names) -> Move:
    if not isinstance(move, Mapping):
        raise invalid_script(where, "it is not a mapping like {press: OK}")
    verb = next((verb for verb in _VERBS if verb in move), "")
    if not verb:
        raise invalid_script(where, f"it says none of: {', '.join(_VERBS)}")
    try:
        made = _VERBS[verb].model_validate(names.filled(move, where))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        inside = ".".join(map(str, first["loc"]))
        raise invalid_script(
            f"{where}{f', {inside}' if inside else ''}", first["msg"].removeprefix("Value error, ")
        ) from None
    if isinstance(made, Need):
        names.asked.update(made.names)
    return made  # type: ignore[return-value]  # every class of the table is one of the union
