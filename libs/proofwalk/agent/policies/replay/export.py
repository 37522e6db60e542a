"""Writes a compiled walk as a plain Playwright test in Python.

The test needs nothing of Proofwalk: `pytest` with pytest-playwright runs it, and so
does `python` itself. Elements are found by role, label, row and dialog; a control
without a role of its own by its text. Values from outside the walk come from the
environment: `CONSOLE_URL`, `BIND_…` for provisioned values, `SECRET_…` for credentials,
`RANDOM_SEED` for names that are made up. The target file's sign-in steps may be put
before the walk. Guards become expectations of Playwright where it has one: the address,
the dialog, the states that the document promises. A sub-step that was not compiled is
skipped with the reason, since a test cannot say what the agent would do.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from proofwalk.agent.policies.replay.script import (
    Expectation,
    PageFact,
    ReplayScript,
    Step,
    SubStepScript,
    Target,
)
from proofwalk.agent.policies.replay.templates import ANY, PLACEHOLDER
from proofwalk.cloud.sign_in_steps import (
    Click,
    Expect,
    Fill,
    FillCode,
    Open,
    SignInStep,
    is_optional,
)

_ARIA = frozenset(
    [
        "button",
        "link",
        "textbox",
        "searchbox",
        "spinbutton",
        "combobox",
        "checkbox",
        "radio",
        "switch",
        "slider",
        "tab",
        "menuitem",
        "option",
    ]
)
_LONGEST_NAME = 60
_PREAMBLE = r'''from __future__ import annotations

import os
import random
import re
import string

from playwright.sync_api import Locator, Page, expect, sync_playwright

BASE = os.environ["CONSOLE_URL"].rstrip("/")
SEED = os.environ.get("RANDOM_SEED") or str(random.SystemRandom().random())


def env(name: str) -> str:
    """A value that the test is given; what is missing is named."""
    if name not in os.environ:
        raise RuntimeError(f"set {name} in the environment")
    return os.environ[name]


def drawn(number: int, before: str, mask: str, after: str) -> str:
    """A made-up value: the same throughout one run."""
    chance = random.Random(f"{SEED}/{number}")
    classes = {"a": string.ascii_lowercase, "A": string.ascii_uppercase, "9": string.digits}
    return before + "".join(chance.choice(classes[one]) if one in classes else one for one in mask) + after


def field(scope: Page | Locator, role: str, label: str, nth: int = 0) -> Locator:
    """A form field by its label: as the page ties them together, else the field in the row of the form that the label begins."""
    bare = re.compile(rf"^\W*{re.escape(label)}\W*$", re.I)
    tied = scope.get_by_role(role, name=bare).or_(scope.get_by_label(bare))
    beside = scope.get_by_text(bare).locator("xpath=ancestor::*[.//input or .//textarea or .//*[@role]][1]")
    inside = beside.locator("input:not([type=hidden]), textarea, [role=combobox], [role=switch], [role=slider]")
    return tied.or_(inside).filter(visible=True).nth(nth)


def control(scope: Page | Locator, role: str, name: str | re.Pattern[str], nth: int = 0) -> Locator:
    """What is clicked: by its role, else by its text."""
    text = name if isinstance(name, re.Pattern) else re.compile(rf"^\s*{re.escape(name)}\s*$", re.I)
    return scope.get_by_role(role, name=text).or_(scope.get_by_text(text)).filter(visible=True).nth(nth)


def dialog(page: Page, title: str | re.Pattern[str]) -> Locator:
    """The dialog or drawer in front with this title."""
    return page.locator("[role=dialog], [role=alertdialog], dialog, [aria-modal=true]").filter(has_text=title).filter(visible=True).last
'''


def to_playwright(script: ReplayScript, *, sign_in: Sequence[SignInStep] = ()) -> str:
    """Return the source of a test. It contains no secrets, since a script has none."""
    name = (
        re.sub(r"\W+", "_", script.title.casefold(), flags=re.ASCII).strip("_")[:60] or "procedure"
    )
    body = [f"def test_{name}(page: Page) -> None:", f"    {_quote(_plain(script.title))}"]
    body += [
        f"    bind_{_name(phrase)} = env({_quote(_variable('BIND', phrase))})"
        for phrase in script.binds
    ]
    for number, shape in enumerate(script.randoms):
        body.append(
            f"    random_{number} = drawn({number}, {_quote(shape.before)}, {_quote(shape.mask)},"
            f" {_quote(shape.after)})"
        )
    body += [
        f"    secret_{_name(secret)} = env({_quote(_variable('SECRET', secret))})"
        for secret in script.secrets
    ]
    body += _indented(_signed_in(sign_in))
    for part in script.substeps:
        body += _indented(_substep(part))
    main = [
        'if __name__ == "__main__":',
        "    with sync_playwright() as playwright:",
        '        executable = os.environ.get("CHROMIUM") or None',
        (
            "        browser = playwright.chromium.launch(executable_path=executable,"
            " args=os.environ.get('CHROMIUM_FLAGS', '').split())"
        ),
        '        view = browser.new_page(viewport={"width": 1440, "height": 900})',
        f"        test_{name}(view)",
        "        browser.close()",
    ]
    head = f'"""{_docstring(script)}"""\n\n'
    source = (
        head
        + _PREAMBLE.replace("\\\\\\\\", "\\\\").replace("\\\\", "\\")
        + "\n\n"
        + "\n".join(body)
        + "\n\n\n"
        + "\n".join(main)
        + "\n"
    )
    compile(source, f"{name}.py", "exec")
    return source


def _docstring(script: ReplayScript) -> str:
    title = _plain(script.title).replace('"""', "'''").replace("\\", "/")
    needs = [
        "CONSOLE_URL",
        *(_variable("BIND", one) for one in script.binds),
        *(_variable("SECRET", one) for one in script.secrets),
    ]
    return (
        f"{title}: a verified walk of procedure {script.procedure_id}, written by Proofwalk. Set in"
        f" the environment: {', '.join(needs)}."
    )


def _signed_in(steps: Sequence[SignInStep]) -> list[str]:
    lines = [] if any(isinstance(step, Open) for step in steps) else ['page.goto(BASE + "/")']
    if any(map(is_optional, steps)):
        lines += ["import contextlib", "from playwright.sync_api import TimeoutError as NotThere"]
    if any(isinstance(step, FillCode) for step in steps):
        lines.append("import pyotp")
    for step in steps:
        if is_optional(step):
            lines += ["with contextlib.suppress(NotThere):", f"    {_sign_in_line(step, 5)}"]
        else:
            lines.append(_sign_in_line(step, None))
    return lines


def _sign_in_line(step: SignInStep, seconds: int | None) -> str:
    """A step; `seconds` is how long it waits for its field or button, if not for
    Playwright's usual time."""
    limit = f"timeout={seconds}_000" if seconds is not None else ""
    more = f", {limit}" if limit else ""
    match step:
        case Open(path=path):
            return f"page.goto(BASE + {_quote(path)})"
        case Fill(label=label, secret=secret):
            value = f"env({_quote(_variable('SECRET', secret))})"
            return f'field(page, "textbox", {_quote(label)}).fill({value}{more})'
        case FillCode(label=label, one_time_code=secret):
            code = f"pyotp.TOTP(env({_quote(_variable('SECRET', secret))})).now()"
            return f'field(page, "textbox", {_quote(label)}).fill({code}{more})'
        case Click(label=label):
            return f'control(page, "button", {_quote(label)}).click({limit})'
        case Expect(text=text):
            return (
                f"expect(page.get_by_text({_quote(text)}).filter(visible=True).first)"
                ".to_be_visible(timeout=20_000)"
            )


def _substep(part: SubStepScript) -> list[str]:
    lines = ["", f"# {part.number}. {_plain(part.text)[:110]}"]
    if part.open or part.end is None:
        return [
            *lines,
            (
                "raise"
                f" NotImplementedError({_quote(f'sub-step {part.number} was not compiled: {_plain(part.open)}')})"
            ),
        ]
    lines += [f"# audit log: {event.service} {event.name}" for event in part.events]
    for step in part.steps:
        lines += _step(step)
    return lines + _expected(part.end)


def _step(step: Step) -> list[str]:
    values = step.values
    where = _locator(step.target) if step.target is not None else ""
    text = _text(str(values.get("text", values.get("option", values.get("value", "")))))
    match step.action:
        case "click" if values.get("double"):
            lines = [f"{where}.dblclick()"]
        case "click":
            lines = [f"{where}.click({_button(values.get('right'), values.get('middle'))})"]
        case "type" | "confirm_typed" | "set_date":
            lines = [
                f"{where}.fill({text})",
                *([f'{where}.press("Enter")'] if values.get("submit") else []),
            ]
        case "clear":
            lines = [f'{where}.fill("")']
        case "select":
            lines = [f"{where}.select_option(label={text})"]
        case "set_checked":
            lines = [f"{where}.set_checked({bool(values.get('checked'))})"]
        case "hover":
            lines = [f"{where}.hover()"]
        case "focus":
            lines = [f"{where}.focus()"]
        case "set_slider":
            lines = [f"{where}.fill({_quote(str(values.get('value')))})"]
        case "scroll":
            lines = [f"page.mouse.wheel({values.get('dx', 0)}, {values.get('dy', 0)})"]
        case "press":
            lines = [f"{where or 'page.keyboard'}.press({_quote(str(values.get('key')))})"]
        case "go_to":
            lines = [f"page.goto(BASE + {_text(str(values['url']))})"]
        case "go_back":
            lines = ["page.go_back()"]
        case "go_forward":
            lines = ["page.go_forward()"]
        case "upload":
            lines = [f"{where}.set_input_files({_file(values)})"]
        case other:
            lines = [
                f"raise NotImplementedError({_quote(f'a plain test has no action {other!r}')})"
            ]
    return lines


def _file(values: Mapping[str, object]) -> str:
    """A file beside the test, or one that the walk made, of its text."""
    name = _quote(str(values.get("file")))
    if not values.get("content"):
        return name
    text = _quote(str(values["content"]))
    return f'{{"name": {name}, "mimeType": "text/plain", "buffer": {text}.encode()}}'


def _button(right: object, middle: object) -> str:
    return 'button="right"' if right else 'button="middle"' if middle else ""


def _locator(target: Target) -> str:
    scope = "page"
    if target.frame:
        source = f'iframe[src*="{_first(target.frame)}"]'
        scope = f"page.frame_locator({_quote(source)})"
    elif target.row:
        scope = (
            "page.get_by_role('row')"
            + "".join(f".filter(has_text={_text(one)})" for one in target.row)
            + ".filter(visible=True).first"
        )
    elif target.container and target.role not in ("option", "menuitem"):
        scope = f"dialog(page, {_pattern(target.container)})"
    nth = f", {target.position}" if target.position else ""
    role = _quote(target.role if target.role in _ARIA else "button")
    if target.label and target.role not in ("radio", "checkbox"):
        return f"field({scope}, {role}, {_text(target.label)}{nth})"
    if target.name or target.label:
        return f"control({scope}, {role}, {_pattern(target.name or target.label)}{nth})"
    return f"{scope}.get_by_role({role}).filter(visible=True).nth({target.position})"


def _expected(end: PageFact) -> list[str]:
    lines = [f"expect(page).to_have_url(re.compile({_address(end.path)}))"]
    if end.modal:
        lines.append(f"expect(dialog(page, {_pattern(end.modal)})).to_be_visible()")
    return lines + [line for one in end.expects for line in _seen(one)]


def _seen(one: Expectation) -> Iterable[str]:
    if one.place == "row":
        rows = "page.get_by_role('row')" + "".join(
            f".filter(has_text={_text(part)})" for part in (*one.row, one.text) if part
        )
        yield f"expect({rows}.filter(visible=True).first).to_be_visible(timeout=60_000)"
    elif one.text:
        yield f"expect(page.get_by_text({_pattern(one.text)}).filter(visible=True).first).to_be_visible(timeout=60_000)"


def _text(template: str) -> str:
    """Return an expression for a template's value. Values that cannot be known are left
    out."""
    parts = [_expression(part) for part in _pieces(template) if part != ANY]
    return " + ".join(parts) if parts else '""'


def _pattern(template: str) -> str:
    """Return an expression for what a text must look like: the text itself, or a
    pattern where a part differs each time."""
    if ANY not in template:
        return _text(template)
    parts = [
        '".+?"' if part == ANY else f"re.escape({_expression(part)})" for part in _pieces(template)
    ]
    return f"re.compile({' + '.join(parts)})"


def _address(path: str) -> str:
    parts = [
        '"[^/?#]+"' if part == ANY else f"re.escape({_expression(part)})" for part in _pieces(path)
    ]
    return f"""re.escape(BASE) + {" + ".join(parts) or '""'} + r"/?([?#].*)?$\""""


def _expression(part: str) -> str:
    found = PLACEHOLDER.fullmatch(part)
    if found is None or found[1] is None:
        return _quote(part)
    return f"{found[1]}_{found[2] if found[1] == 'random' else _name(found[2])}"


def _pieces(template: str) -> list[str]:
    found, at = [], 0
    for each in PLACEHOLDER.finditer(template):
        found += [template[at : each.start()], each.group()]
        at = each.end()
    return [piece for piece in [*found, template[at:]] if piece]


def _first(path: str) -> str:
    return re.sub(r'["\\\]]', "", path.split(ANY, 1)[0])


def _variable(kind: str, name: str) -> str:
    return f"{kind}_{_name(name).upper()}"


def _name(text: str) -> str:
    """Return a variable's name. One that could be confused with another carries a
    digest."""
    bare = re.sub(r"\W+", "_", text.casefold(), flags=re.ASCII).strip("_")
    if text.isascii() and 0 < len(bare) <= _LONGEST_NAME:
        return bare
    return f"{bare[:_LONGEST_NAME]}_{hashlib.sha256(text.encode()).hexdigest()[:6]}".lstrip("_")


def _plain(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _quote(text: str) -> str:
    """Return a Python string: JSON's quoting is Python's for printable text."""
    return json.dumps(text, ensure_ascii=False)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]
