"""Single calls: what is sent, what bounds it, and what an error may quote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import ValidationError

from proofwalk.cloud.steps.caller import DeclaredCaller, Values
from proofwalk.cloud.steps.declared import ProvisioningOptions
from proofwalk.cloud.steps.model import CommandCall, HttpCall, Preparation
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.fixtures.library import PASSWORD, Library
from tests.fixtures.liveness import is_alive

NOTHING = Values(outputs={}, variables={})


def _http(method: str, path: str, **members: Any) -> HttpCall:
    return HttpCall.model_validate({"http": method, "path": path, **members})


async def test_a_value_stays_one_segment_of_a_path_and_one_text_of_a_body(
    caller: DeclaredCaller, library: Library
) -> None:
    values = Values(outputs={"name": "a/b ?ü"}, variables={"name_prefix": "pw1"})
    call = _http("PUT", "/api/readers/${output.name}", json={"x": ["${var.name_prefix}", 2]})

    answer = await caller.call(call, values)

    assert (answer.status, library.requests) == (404, ["PUT /api/readers/a%2Fb%20%3F%C3%BC"]), (
        "the fake console takes %2F for a step of the path, and has no such page"
    )
    await caller.call(_http("PUT", "/api/readers/${var.name_prefix}", json=call.body), values)
    assert library.readers["pw1"]["x"] == ["pw1", 2]


async def test_a_value_cannot_lead_out_of_the_address(
    caller: DeclaredCaller, library: Library
) -> None:
    for path in ("/api/${output.name}/x", "/api/%2e%2e/x", "/api/../x"):
        with pytest.raises(ProofwalkError) as caught:
            await caller.call(_http("DELETE", path), Values(outputs={"name": ".."}, variables={}))
        assert caught.value.code == "provision.step_refused"
    assert library.requests == []


async def test_a_redirect_is_followed_at_home_and_refused_elsewhere(
    caller: DeclaredCaller, library: Library
) -> None:
    library.redirect = "/api/readers/ada"
    assert (await caller.call(_http("GET", "/api/elsewhere"), NOTHING)).status == 404

    library.redirect = "http://127.0.0.1:9/api/readers/ada"
    with pytest.raises(ProofwalkError) as caught:
        await caller.call(_http("GET", "/api/elsewhere"), NOTHING)

    assert caught.value.code == "provision.step_refused"
    library.redirect = "/api/elsewhere"
    with pytest.raises(ProofwalkError) as caught:
        await caller.call(_http("GET", "/api/elsewhere"), NOTHING)
    assert "redirects" in caught.value.message


@pytest.mark.parametrize("path", ["/api/large", "/api/readers/ada"])
async def test_an_answer_that_is_too_large_or_too_late_is_none(
    caller: DeclaredCaller, library: Library, path: str
) -> None:
    library.lost.add("GET /api/readers/ada")

    with pytest.raises(ProofwalkError) as caught:
        await caller.call(_http("GET", path), NOTHING)

    assert (caught.value.code, caught.value.status) == ("cloud.unavailable", Status.UNAVAILABLE)
    assert ("larger" in caught.value.message) is (path == "/api/large")


async def test_a_command_gets_its_words_as_they_are_and_its_environment_alone(
    caller: DeclaredCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFWALK_SECRET", "ours")
    call = CommandCall(command="show", arguments=("$(id); ${var.name_prefix}",))

    answer = await caller.call(call, Values(outputs={}, variables={"name_prefix": "pw1"}))

    assert answer.json() == {"word": "$(id); pw1", "key": "brass-Key-3"}


async def test_what_a_command_complains_of_is_quoted_without_its_secrets(
    caller: DeclaredCaller,
) -> None:
    answer = await caller.call(CommandCall(command="fail"), NOTHING)

    assert (answer.status, caller.quoted(answer.text)) == (3, "no key ***")
    assert caller.quoted(f"Basic {PASSWORD}" + 1000 * "x").startswith("Basic ***xxx")
    assert len(caller.quoted(1000 * "x")) < 400


async def test_a_command_that_is_late_ends_with_all_that_it_started(
    caller: DeclaredCaller, tmp_path: Path
) -> None:
    call = CommandCall(command="sleep", arguments=(str(tmp_path / "pid"),))

    with pytest.raises(ProofwalkError) as caught:
        await caller.call(call, NOTHING)

    assert "did not end within 0.5 s" in caught.value.message
    pid = int((tmp_path / "pid").read_text())
    assert not psutil.pid_exists(pid) or not is_alive(psutil.Process(pid))


async def test_a_command_that_floods_is_ended(caller: DeclaredCaller) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await caller.call(CommandCall(command="flood"), NOTHING)

    assert "larger" in caught.value.message


def test_what_the_target_does_not_declare_is_refused_with_what_to_write(
    caller: DeclaredCaller,
) -> None:
    known = Preparation.model_validate({"steps": [{"do": {"command": "show"}}]})
    caller.refuse_undeclared(known)

    with pytest.raises(ProofwalkError) as caught:
        caller.refuse_undeclared(Preparation.model_validate({"leftovers": [{"command": "reboot"}]}))

    assert caught.value.code == "meta.steps_undeclared"
    assert "fail, flood, show, sleep" in caught.value.message
    assert "commands: {reboot: {argv: […]}}" in caught.value.hint


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({}, "neither url nor commands"),
        ({"url": "ftp://x"}, "http://"),
        ({"url": "http://u:p@x"}, "holds no credentials"),
        ({"url": "http://x/?a"}, "neither ? nor #"),
        ({"commands": {"a": {"argv": []}}}, "at least 1"),
        ({"headers": {"A": "b"}, "commands": {"a": {"argv": ["true"]}}}, "go with a url"),
        (
            {
                "url": "http://x",
                "basic": {"user": "u", "password": "p"},
                "headers": {"authorization": "t"},
            },
            "either basic or",
        ),
    ],
)
def test_a_declaration_that_cannot_be_used_is_refused(
    content: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        ProvisioningOptions.model_validate(content)

    assert complaint in str(caught.value)
