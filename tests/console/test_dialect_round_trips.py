"""Whatever a dialect writes reads back as the same; any text is read or refused."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from proofwalk.console import actions as a
from proofwalk.dialects import DIALECTS, Step
from proofwalk.dialects.computer_use import from_grid
from proofwalk.kernel.errors import ProofwalkError
from tests.console.dialect_pages import PAGE, s2

MARKS = st.integers(1, 70)


NUMBERS = st.one_of(
    st.integers(-2000, 2000).map(float), st.floats(-2000, 2000).map(lambda n: round(n, 3))
)


XS = st.one_of(st.integers(0, 999).map(lambda cell: from_grid(cell, 1440)), NUMBERS)


YS = st.one_of(st.integers(0, 999).map(lambda cell: from_grid(cell, 900)), NUMBERS)


TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["Enter", "Control+a", "+", "Control++", "</tool_call>", "# Note: x", "a\nb", "'\"\\"]
    ),
)


KEYS = st.one_of(
    st.sampled_from(
        [
            "Enter",
            "Control+a",
            "Shift",
            "Control",
            "ArrowUp",
            "F5",
            "Control+Shift+T",
            "+",
            "Control++",
            "KeyA",
        ]
    ),
    st.text(max_size=6),
)


SPECIAL: dict[str, st.SearchStrategy[Any]] = {
    "key": KEYS,
    "x": XS,
    "y": YS,
    "from_x": XS,
    "from_y": YS,
    "dy": st.one_of(st.sampled_from([720.0, -720.0, 450.0]), NUMBERS),
    "seconds": st.one_of(
        st.sampled_from([3.0, 10.0]),
        st.floats(0.001, 120).map(lambda n: round(n, 4)),
        st.floats(0.01, 120),
    ),
    "url": st.one_of(st.just("about:blank"), st.just("https://console.test/?a=1#b"), TEXTS),
    "count": st.integers(1, 3),
    "scrolls": st.one_of(st.just(60), st.integers(1, 400)),
    "start": st.integers(0, 10_000),
    "index": st.integers(-1, 50),
    # No dialect has a place for it beside the note.
    "answer": st.just(""),
}


KINDS: tuple[type[a._Action], ...] = (*get_args(a.GuiAction), *get_args(a.ControlAction))


def values(name: str, field: Any) -> st.SearchStrategy[Any]:
    annotation = str(field.annotation)
    special = SPECIAL.get(name)
    if special is None:
        if "Literal['left'" in annotation or name == "button":
            special = (
                st.sampled_from(["left", "middle", "right"]) if "Literal" in annotation else TEXTS
            )
        elif name == "modifiers":
            special = st.lists(
                st.sampled_from(["Alt", "Control", "Meta", "Shift"]), unique=True, max_size=2
            ).map(tuple)
        elif "bool" in annotation:
            special = st.booleans()
        elif "int" in annotation:
            special = MARKS
        elif "float" in annotation:
            special = NUMBERS
        else:
            special = TEXTS
    return st.one_of(st.none(), special) if "None" in annotation else special


def of_kind(kind: type[a._Action]) -> st.SearchStrategy[dict[str, Any]]:
    # Most fields are left at their defaults, so that the plain forms come up.
    fields = {
        name: values(name, field) for name, field in kind.model_fields.items() if name != "type"
    }
    required = {name: one for name, one in fields.items() if kind.model_fields[name].is_required()}
    optional = {name: one for name, one in fields.items() if name not in required}
    forms = [st.fixed_dictionaries(required), st.fixed_dictionaries(required, optional=optional)]
    for alone in ({"x", "y"}, {"dy"}, {"from_id", "id"}, {"seconds"}):
        if alone <= optional.keys():
            forms.append(
                st.fixed_dictionaries(required | {name: SPECIAL.get(name, MARKS) for name in alone})
            )
    return st.one_of(forms)


def made(kind: type[a._Action], fields: dict[str, Any]) -> Any:
    try:
        return kind(**fields)
    except ValueError:
        return None


SAYS = {
    "browsergym": (
        "clear click click_at close_tab drag_to focus go_back go_forward go_to hover key_down"
        " key_up mouse_down mouse_up move_to open_tab press scroll select set_checked switch_tab"
        " task_complete task_unachievable type type_focused upload wait"
    ),
    "browser_use": (
        "click click_at close_tab extract find_row go_back go_to list_options open_tab press reload"
        " scroll select solve_slider_captcha switch_tab task_complete task_unachievable type"
        " type_focused upload wait"
    ),
    "webrl": (
        "click go_back go_forward hover press scroll select switch_tab task_complete type wait"
    ),
    "computer_use": (
        "click_at drag_to key_down key_up move_to press scroll task_complete task_unachievable"
        " type_focused wait"
    ),
}


SAYS["browser_use_flash"] = SAYS["browser_use"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.model_fields["type"].default))
def test_what_is_written_reads_back_as_the_same(kind: type[a._Action]) -> None:
    """Every dialect writes the same actions: making them up takes longer than the
    rest."""
    said, codes = dict.fromkeys(DIALECTS, 0), set[str]()

    @settings(
        max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(of_kind(kind), st.text(max_size=20))
    def check(fields: dict[str, Any], thought: str) -> None:
        action = made(kind, fields)
        assume(action is not None)
        for name, tongue in DIALECTS.items():
            try:
                text = tongue.write(Step(actions=(action,), thought=thought), PAGE)
            except ProofwalkError as error:
                codes.add(error.code)
                continue
            said[name] += 1
            assert tongue.read(text, PAGE).actions == (action,), (name, text)

    check()
    assert codes <= {"action.not_expressible"}
    expressible = kind.model_fields["type"].default
    assert {name for name, times in said.items() if times} == {
        name for name in DIALECTS if expressible in SAYS[name].split()
    }


ANYTHING = st.one_of(
    st.text(),
    st.from_regex(r"(do|click|fill|exit)\(.{0,30}\)"),
    st.builds(s2, action=st.text(max_size=8)),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(DIALECTS)), ANYTHING)
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    code = ""
    try:
        read = len(DIALECTS[name].read(text, PAGE).actions)
    except ProofwalkError as error:
        read, code = 0, error.code
    assert read > 0 or code == "action.malformed"
