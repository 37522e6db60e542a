"""Implementation (ComputerRL §2.1, appendix A): the code of one interface, and the
tests that it will have to pass.

Tests are written from the interface alone, before the code and without sight of it. A
repair sees its last code and what failed. What is read here is form: the right function
with the right parameters, tests that can be told apart and that look at something. What
the code does is for its process to bound (`running`) and for the tests to say.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from proofwalk.apis import prompts
from proofwalk.apis.asking import Author
from proofwalk.apis.model import LONGEST_CODE, MOST_TESTS, FunctionTest, Interface, Trial
from proofwalk.chassis.yaml_documents import YamlRefused, read_yaml

_FEWEST_TESTS = 2
_TESTS: TypeAdapter[tuple[FunctionTest, ...]] = TypeAdapter(tuple[FunctionTest, ...])


class _Code(BaseModel):
    model_config = ConfigDict(extra="forbid")

    why: str = Field(default="", max_length=4000)
    code: str = Field(min_length=1, max_length=LONGEST_CODE)


class _Tests(BaseModel):
    model_config = ConfigDict(extra="forbid")

    why: str = Field(default="", max_length=4000)
    tests: str = Field(min_length=1, max_length=32_000)


async def write_code(
    author: Author, interface: Interface, *, guide: str, before: str = "", wrong: str = ""
) -> str:
    """Code for an interface; `wrong` says what failed of the code `before`. Raises what
    `Author.ask` raises."""
    answer = await author.ask(
        prompts.CODE,
        lambda fence: prompts.code_of(interface, guide, before=before, wrong=wrong, fence=fence),
        _Code,
        complaint=lambda written: complaint_about_code(interface, written.code),
    )
    return answer.code


async def write_tests(
    author: Author,
    interface: Interface,
    *,
    guide: str,
    before: str = "",
    trials: Sequence[Trial] = (),
) -> tuple[FunctionTest, ...]:
    """Tests for an interface; `before` are those that could not be carried out, as
    `trials` say. Raises what `Author.ask` raises."""
    answer = await author.ask(
        prompts.TESTS,
        lambda fence: prompts.tests_of(interface, guide, before=before, trials=trials, fence=fence),
        _Tests,
        complaint=lambda written: _read_tests(interface, written.tests)[1],
    )
    return _read_tests(interface, answer.tests)[0]


def complaint_about_code(interface: Interface, code: str) -> str:
    """Say why code is not the function of an interface; empty if it is."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"it is not Python: {error}"
    functions = [
        one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == interface.name
    ]
    if len(functions) != 1:
        return f"it has not one function {interface.name} at the top level"
    arguments = functions[0].args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    keywords = [one.arg for one in arguments.kwonlyargs]
    expected = {one.name for one in interface.parameters}
    if names[:1] != ["api"] or {*names[1:], *keywords} != expected or arguments.posonlyargs[1:]:
        return f"its parameters are not api, {', '.join(sorted(expected))}"
    with_default = {*names[len(names) - len(arguments.defaults) :]} | {
        name
        for name, default in zip(keywords, arguments.kw_defaults, strict=True)
        if default is not None
    }
    bare = [
        one.name
        for one in interface.parameters
        if not one.required and one.name not in with_default
    ]
    return f"{bare[0]} is optional and has no default" if bare else ""


def _read_tests(interface: Interface, text: str) -> tuple[tuple[FunctionTest, ...], str]:
    """The tests, and what is wrong with them."""
    try:
        tests = _TESTS.validate_python(read_yaml(text))
    except YamlRefused as error:
        return (), f"the tests: {error}"
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return (), f"test {'.'.join(map(str, first['loc'])) or 'list'}: {first['msg']}"
    return tests, complaint_about_tests(interface, tests)


def complaint_about_tests(interface: Interface, tests: Sequence[FunctionTest]) -> str:
    """Say why tests do not show that a function is right; empty if they may."""
    if not _FEWEST_TESTS <= len(tests) <= MOST_TESTS:
        return f"there are {len(tests)} tests; write {_FEWEST_TESTS} to {MOST_TESTS}"
    if len({one.name for one in tests}) < len(tests):
        return "two tests have one name"
    if not any((one.returns or one.after) and not one.raises for one in tests):
        return "no test looks at what was done"
    given = [dict(one.arguments) for one in tests]
    if interface.parameters and all(one == given[0] for one in given):
        return "all tests have the same arguments"
    return ""
