"""A compiled walk as a Playwright test: plain Python that compiles whatever the
document and the console say, with nothing secret in it."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.agent.policies.replay.export import to_playwright
from proofwalk.agent.policies.replay.script import (
    After,
    Event,
    Expectation,
    PageFact,
    ReplayScript,
    Shape,
    Step,
    SubStepScript,
    Target,
)
from proofwalk.cloud.sign_in_steps import Click, Expect, Fill, FillCode, Open, SignInStep
from tests.agent.replay.walks import CREATING, STOPPING, binds, compiled, creating, stopping


def constants(source: str) -> set[str]:
    return {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def statements(source: str, name: str) -> list[str]:
    (function,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return [ast.unparse(node) for node in function.body]


async def test_each_step_is_one_statement() -> None:
    source = to_playwright(await compiled(creating(), *CREATING))
    lines = statements(source, "test_procedure")
    assert "control(page, 'radio', 'Pay-As-You-Go').click()" in lines
    assert "field(page, 'textbox', 'Instance Name').fill('web-01')" in lines
    assert (
        "control(page, 'checkbox', 'I have read and agree to the terms').set_checked(True)" in lines
    )
    assert "control(page, 'button', 'Create').click()" in lines


async def test_provisioned_values_come_from_the_environment() -> None:
    source = to_playwright(await compiled(stopping(), *STOPPING, bound=binds()))
    lines = statements(source, "test_procedure")
    name = "the_instance_that_you_want_to_stop"
    assert f"bind_{name} = env('BIND_{name.upper()}')" in lines
    row = f"page.get_by_role('row').filter(has_text=bind_{name})"
    assert any(
        line.startswith(f"control({row}") and line.endswith("'button', 'Stop').click()")
        for line in lines
    )
    assert any(
        line.startswith("expect(page.get_by_role('row')") and "'Stopped'" in line for line in lines
    )
    assert "pw-a1b2c3" not in source


def script(text: str, *, shape: Shape | None = None) -> ReplayScript:
    """A step that types a credential and one that types a made-up name, with `text`
    wherever a page or a document has its say."""
    page = PageFact(
        path="/a", modal=text, expects=(Expectation(text=text, row=(text,), place="row"),)
    )
    target = Target(
        role="textbox",
        tag="input",
        name=text,
        label=text,
        container=text,
        row=(text,),
        group=text,
        in_row=True,
    )
    after = After(path="/a")
    steps = (
        Step(
            action="type",
            values={"text": "<secret:password>"},
            target=target,
            page=page,
            after=after,
        ),
        Step(action="type", values={"text": "<random:0>"}, target=target, page=page, after=after),
        Step(action="upload", values={"file": text}, target=target, page=page, after=after),
        Step(
            action="upload",
            values={"file": text, "content": f"{text}\n"},
            target=target,
            page=page,
            after=after,
        ),
        Step(
            action="click",
            target=target.model_copy(update={"row": (), "role": "button"}),
            page=page,
            after=after,
        ),
    )
    part = SubStepScript(
        number="1",
        text=text,
        digest="d",
        steps=steps,
        end=page,
        events=(Event(service="ecs", name="StopInstance"),),
    )
    return ReplayScript(
        procedure_id="p",
        procedure_digest="d",
        title=text,
        policy="literal",
        randoms=(shape or Shape(before="web-", mask="aaa"),),
        secrets=("password",),
        substeps=(part, SubStepScript(number="2", text=text, digest="e", open=text)),
    )


def test_a_file_that_the_walk_made_is_made_by_the_test_too() -> None:
    lines = ast.unparse(ast.parse(to_playwright(script("a.sh"))))
    assert ".set_input_files('a.sh')" in lines
    assert "'buffer': 'a.sh\\n'.encode()" in lines


@settings(deadline=None)
@given(st.text(max_size=40))
def test_whatever_the_texts_say_it_is_python_and_they_stay_texts(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    plain = to_playwright(script("label"))
    source = to_playwright(script(text))
    # The same functions and imports, whatever the texts: none of them has become code.
    assert [type(node) for node in ast.parse(source).body] == [
        type(node) for node in ast.parse(plain).body
    ]
    assert "env('SECRET_PASSWORD')" in ast.unparse(ast.parse(source))


def test_quotes_and_lines_of_a_title_stay_in_it() -> None:
    source = to_playwright(script('Stop"""\nimport os\n\'\\'))
    assert sum(isinstance(node, ast.Import) for node in ast.parse(source).body) == sum(
        isinstance(node, ast.Import) for node in ast.parse(to_playwright(script("Stop"))).body
    )


def test_what_was_not_compiled_says_so() -> None:
    lines = statements(to_playwright(script("label")), "test_label")
    assert lines[-1] == "raise NotImplementedError('sub-step 2 was not compiled: label')"


def test_signing_in_comes_first_with_credentials_from_the_environment() -> None:
    steps: list[Open | Fill | FillCode | Click | Expect] = [
        Open(path="/signin"),
        Fill(label="Password", secret="password"),
        Click(label="Sign In"),
        Expect(text="Products"),
    ]
    lines = statements(to_playwright(script("label"), sign_in=steps), "test_label")
    at = lines.index("page.goto(BASE + '/signin')")
    assert lines[at + 1] == "field(page, 'textbox', 'Password').fill(env('SECRET_PASSWORD'))"
    assert lines[at + 2] == "control(page, 'button', 'Sign In').click()"
    assert "'Products'" in lines[at + 3]


def test_a_one_time_code_is_made_in_the_test_from_a_secret_of_the_environment() -> None:
    steps = [FillCode(label="Code", one_time_code="totp")]
    lines = statements(to_playwright(script("label"), sign_in=steps), "test_label")
    at = lines.index("import pyotp")
    code = "pyotp.TOTP(env('SECRET_TOTP')).now()"
    assert lines[at + 1] == f"field(page, 'textbox', 'Code').fill({code})"


def test_an_optional_step_is_suppressed_where_its_page_does_not_come() -> None:
    steps: list[SignInStep] = [Click(label="Yes", optional=True), Expect(text="Products")]
    lines = statements(to_playwright(script("label"), sign_in=steps), "test_label")
    at = lines.index("import contextlib")
    assert lines[at + 2] == (
        "with contextlib.suppress(NotThere):\n"
        "    control(page, 'button', 'Yes').click(timeout=5000)"
    )
