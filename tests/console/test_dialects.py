"""The texts of other agents, as each of them writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proofwalk.console import actions as a
from proofwalk.dialects import Step, dialect
from proofwalk.dialects.computer_use import from_grid
from proofwalk.kernel.errors import ProofwalkError
from tests.console.dialect_pages import PAGE, s2


def first(name: str, text: str) -> a.Action:
    return dialect(name).read(text, PAGE).actions[-1]


def refused(name: str, text: str) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        dialect(name).read(text, PAGE)
    assert caught.value.code == "action.malformed"
    assert caught.value.hint.startswith("expected ")
    return caught.value


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('click("a51")', a.Click(id=51)),
        (
            "click('22', button=\"right\", modifiers=['ControlOrMeta', 'Shift'])",
            a.Click(id=22, right=True, modifiers=("Control", "Shift")),
        ),
        ('dblclick("12")', a.Click(id=12, double=True)),
        ("fill('12', 'a \"b\" \\n c')", a.Type(id=12, text='a "b" \n c')),
        ("select_option('48', ['blue'])", a.Select(id=48, option="blue")),
        ("hover('8')", a.Hover(id=8)),
        ("press('26', 'Control+a')", a.Press(id=26, key="Control+a")),
        ("scroll(0, -200.5)", a.Scroll(dy=-200.5)),
        ("drag_and_drop('5', '49')", a.DragTo(from_id=5, id=49)),
        ("mouse_click(887.2, 68)", a.ClickAt(x=887.2, y=68)),
        ("mouse_dblclick(5, 236, 'right')", a.ClickAt(x=5, y=236, button="right", count=2)),
        ("mouse_drag_and_drop(1, 2, 3, 4)", a.DragTo(from_x=1, from_y=2, x=3, y=4)),
        ("keyboard_type('Hi')", a.TypeFocused(text="Hi", keys=True)),
        ("keyboard_down('Shift')", a.KeyDown(key="Shift")),
        ("tab_focus(2)", a.SwitchTab(index=2)),
        ("new_tab()", a.OpenTab(url="about:blank")),
        ("tab_close()", a.CloseTab()),
        ("goto('https://x.test')", a.GoTo(url="https://x.test")),
        ("go_forward()", a.GoForward()),
        ("noop(500)", a.Wait(seconds=0.5)),
        ("send_msg_to_user(text='42')", a.TaskComplete(note="42")),
        ("report_infeasible('no')", a.TaskUnachievable(reason="no")),
        ("upload_file('7', 'a.pdf')", a.Upload(id=7, file="a.pdf")),
        ("check('7')", a.SetChecked(id=7, checked=True)),
    ],
)
def test_browsergym_calls_are_read(text: str, action: a.Action) -> None:
    assert first("browsergym", text) == action


def test_browsergym_signatures_are_those_of_the_package() -> None:
    import ast
    import importlib.util
    from pathlib import Path

    from proofwalk.dialects import browsergym

    found = importlib.util.find_spec("browsergym.core")
    if found is None or found.origin is None:
        pytest.skip("browsergym-core is not installed")
    source = (Path(found.origin).parent / "action" / "functions.py").read_text("utf-8")
    theirs = {
        node.name: [argument.arg for argument in node.args.args]
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    }
    theirs.pop("mouse_upload_file")
    assert {name: list(parameters) for name, parameters in browsergym._SIGNATURES.items()} == theirs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no action"),
        ("click(", "not a function call"),
        ("click('99')", "no element 99"),
        ("click('x')", "not the number"),
        ("click()", "'bid' is missing"),
        ("click('1', speed=2)", "unknown argument"),
        ("click('1', '2', '3', '4')", "at most 3"),
        ("click('1', bid='2')", "given twice"),
        ("click('1', button='left ')", "no mouse button"),
        ("fill('1', open('/etc/passwd').read())", "plain values"),
        ("__import__('os').system('id')", "not a call"),
        ("exec('1')", "no action 'exec'"),
        ("x = click('1')", "not a call"),
        ("mouse_click('left', 2)", "x:"),
        ("noop(True)", "number"),
        ("select_option('1', ['a', 'b'])", "one value"),
        ("click(**{'bid': '1'})", "plain values"),
        ("click('1')\x00", "not a function call"),
        ("(" * 3000, "not a function call"),
        ("noop(" + "1" * 20_001 + ")", "more than"),
    ],
)
def test_what_is_no_browsergym_action_says_why(text: str, said: str) -> None:
    assert said in refused("browsergym", text).message


def test_a_browser_use_step_gives_its_thought_and_its_actions_in_order() -> None:
    text = json.dumps(
        {
            "thinking": "The field is there.",
            "evaluation_previous_goal": "Success",
            "memory": "m",
            "next_goal": "Type",
            "action": [
                {"input": {"index": 12, "text": "292", "clear": True}},
                {"click": {"index": 3}},
                {"click": {"coordinate_x": 10, "coordinate_y": 20}},
                {"scroll": {"down": False, "pages": 0.5, "index": None}},
                {"scroll": {"down": True, "pages": 1, "index": 4}},
                {"send_keys": {"keys": "Control+o"}},
                {"send_keys": {"keys": "hello"}},
                {"extract": {"query": "prices", "extract_links": True, "start_from_char": 0}},
                {"switch": {"tab_id": "0001"}},
                {"dropdown_options": {"index": 5}},
                {"select_dropdown": {"index": 5, "text": "A"}},
                {"find_text": {"text": "Total"}},
                {"solve_slider_captcha": {}},
                {"refresh": {}},
                {"navigate": {"url": "https://x.test", "new_tab": True}},
                {"search": {"query": "hs code", "engine": "bing"}},
                {"screenshot": {}},
            ],
        }
    )
    step = dialect("browser_use").read(text, PAGE)
    assert step.thought.splitlines()[0] == "thinking: The field is there."
    assert step.actions == (
        a.Type(id=12, text="292"),
        a.Click(id=3),
        a.ClickAt(x=10, y=20),
        a.Scroll(dy=-450),
        a.Scroll(id=4, dy=900),
        a.Press(key="Control+o"),
        a.TypeFocused(text="hello", keys=True),
        a.Extract(query="prices", links=True),
        a.SwitchTab(index=1),
        a.ListOptions(id=5),
        a.Select(id=5, option="A"),
        a.FindRow(text="Total"),
        a.SolveSliderCaptcha(),
        a.Reload(),
        a.OpenTab(url="https://x.test"),
        a.GoTo(url="https://www.bing.com/search?q=hs+code"),
        a.Wait(seconds=1),
    )


def test_the_flash_form_has_memory_and_actions() -> None:
    flash = dialect("browser_use_flash")
    step = flash.read(
        '```json\n{"memory": "click start", "action": [{"done": {"text": "ok", "success":'
        " false}}]}\n```",
        PAGE,
    )
    assert step == Step(thought="click start", actions=(a.TaskUnachievable(reason="ok"),))
    assert list(json.loads(flash.write(step, PAGE))) == ["memory", "action"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("click 3", "not valid JSON"),
        ("[]", "not an object"),
        ('{"memory": "x"}', 'no "action"'),
        ('{"action": []}', "at least one"),
        ('{"action": [{"action_name": "input", "params": {"index": 1}}]}', "one key"),
        ('{"action": [{"evaluate": {"code": "1"}}]}', "not offered"),
        ('{"action": [{"tap": {}}]}', "is no action"),
        ('{"action": [{"click": {"index": 834}}]}', "no element 834"),
        ('{"action": [{"click": {}}]}', "needs an index"),
        ('{"action": [{"click": {"index": true}}]}', "not the number"),
        ('{"action": [{"input": {"index": 1}}]}', "'text' is missing"),
        ('{"action": [{"input": {"index": 1, "text": 5}}]}', "text:"),
        ('{"action": [{"go_back": {}}, {"done": {"text": "x"}}]}', "other actions"),
        ('{"action": [{"click": [1]}]}', "not an object"),
        ('{"plan": 1, "action": [{"go_back": {}}]}', "unknown field"),
        (
            '{"action": [{"search": {"query": "x", "engine": "www.seair.co.in"}}]}',
            "no search engine",
        ),
        ('{"action": [{"scroll": {"pages": 1e999}}]}', "dy:"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_what_is_no_browser_use_step_says_why(text: str, said: str) -> None:
    assert said in refused("browser_use", text).message


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('# Element: the \'Clear all\' button\ndo(action="Click", element="25")', a.Click(id=25)),
        ('do(action="right click", element=7)', a.Click(id=7, right=True)),
        (
            'do(action="Select Dropdown Option", argument="Month", element="20")',
            a.Select(id=20, option="Month"),
        ),
        (
            'do(action="Search", argument="a # b", element="13")',
            a.Type(id=13, text="a # b", submit=True),
        ),
        ('do(action="Scroll Up")', a.Scroll(dy=-720)),
        ('do(action="Press Enter")', a.Press(key="Enter")),
        ('do(action="Switch Tab", argument="1")', a.SwitchTab(index=1)),
        ('do(action="Wait")', a.Wait(seconds=3)),
        ('exit(message="3")', a.TaskComplete(note="3")),
        ("exit()", a.TaskComplete()),
        ("go_backward()", a.GoBack()),
    ],
)
def test_webrl_calls_are_read(text: str, action: a.Action) -> None:
    assert first("webrl", text) == action


def test_webrls_notes_are_kept() -> None:
    step = dialect("webrl").read(
        "# Note: airport is PIT\n# Element: the field\ndo(action='Type', argument='x',"
        " element='14')",
        PAGE,
    )
    assert step == Step(
        thought="Element: the field",
        actions=(a.Note(text="airport is PIT"), a.Type(id=14, text="x")),
    )
    assert dialect("webrl").read(dialect("webrl").write(step, PAGE), PAGE) == step


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Note: thinking", "0 actions"),
        ("go_backward()\ngo_forward()", "2 actions"),
        ('do(action="Click")', "needs an element"),
        ('do(action="Type", element="3")', "needs an argument"),
        ('do(action="Drag", element="3")', "no action"),
        ('do(action="Click", element="300")', "no element 300"),
        ('do(action="Switch Tab", argument="next")', "index:"),
        ("stop()", "no function"),
        ("go_backward(2)", "at most 0"),
    ],
)
def test_what_is_no_webrl_call_says_why(text: str, said: str) -> None:
    assert said in refused("webrl", text).message


CENTRE = (from_grid(500, 1440), from_grid(250, 900))


@pytest.mark.parametrize(
    ("arguments", "actions"),
    [
        (
            {"action": "left_click", "coordinate": [500, 250]},
            (a.ClickAt(x=CENTRE[0], y=CENTRE[1]),),
        ),
        (
            {"action": "triple_click", "coordinate": [500, 250]},
            (a.ClickAt(x=CENTRE[0], y=CENTRE[1], count=3),),
        ),
        ({"action": "middle_click"}, (a.ClickAt(button="middle"),)),
        ({"action": "key", "keys": ["ctrl", "c"]}, (a.Press(key="Control+c"),)),
        (
            {"action": "key_down", "keys": ["ctrl", "shift"]},
            (a.KeyDown(key="Control"), a.KeyDown(key="Shift")),
        ),
        (
            {"action": "key_up", "keys": ["ctrl", "shift"]},
            (a.KeyUp(key="Shift"), a.KeyUp(key="Control")),
        ),
        ({"action": "type", "text": "西湖"}, (a.TypeFocused(text="西湖", keys=True),)),
        (
            {"action": "left_click_drag", "coordinate": [500, 250]},
            (a.DragTo(x=CENTRE[0], y=CENTRE[1]),),
        ),
        ({"action": "scroll", "pixels": -300}, (a.Scroll(dy=300),)),
        (
            {"action": "hscroll", "pixels": 30, "coordinate": [500, 250]},
            (a.Scroll(dx=30, x=CENTRE[0], y=CENTRE[1]),),
        ),
        ({"action": "wait", "time": 2}, (a.Wait(seconds=2),)),
        ({"action": "answer", "text": "42"}, (a.TaskComplete(note="42"),)),
        ({"action": "terminate", "status": "success"}, (a.TaskComplete(),)),
        ({"action": "terminate", "status": "failure"}, (a.TaskUnachievable(reason="Do it."),)),
    ],
)
def test_computer_use_calls_are_read(
    arguments: dict[str, Any], actions: tuple[a.Action, ...]
) -> None:
    step = dialect("computer_use").read(s2(**arguments), PAGE)
    assert step == Step(thought="Do it.", actions=actions)
    assert dialect("computer_use").read(dialect("computer_use").write(step, PAGE), PAGE) == step


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Action: click", "0 tool calls"),
        (s2(action="left_click") * 2, "2 tool calls"),
        ('<tool_call>{"name": "shell", "arguments": {}}</tool_call>', "not one of computer_use"),
        (s2(action="hold"), "no action"),
        (s2(action="mouse_move"), "'coordinate' is missing"),
        (s2(action="left_click", coordinate=[1000, 0]), "outside the grid"),
        (s2(action="left_click", coordinate=[1]), "two numbers"),
        (s2(action="left_click", coordinate=["a", 1]), "not a number"),
        (s2(action="key", keys=[]), "list of key names"),
        (s2(action="wait", time="soon"), "not a number"),
        (s2(action="wait", time=900), "seconds:"),
        (s2(action="terminate", status="maybe"), "no status"),
        (s2(action="left_click", speed=1), "unknown argument"),
    ],
)
def test_what_is_no_computer_use_call_says_why(text: str, said: str) -> None:
    assert said in refused("computer_use", text).message


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(ProofwalkError, match="browsergym"):
        dialect("klingon")
