"""A rule demands nothing that a walker cannot know."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_constants import DevcloudConstants
from proofwalk.suites.model import Difficulty, Task
from proofwalk.suites.rules.constants import Sent, refuse_unfounded, unfounded
from proofwalk.suites.storage import load_suite

ROOT = Path(__file__).parents[2] / "suites"
SENT = Sent(
    names=frozenset({"Case Sensitive"}),
    fields=frozenset({"case_sensitive"}),
    labels={"postpaid": {"Pay-as-you-go"}, "monday": {"Mon"}},
    unasked=frozenset({"2048"}),
)


class OneConsole:
    def sent(self, service: str, event: str, parameter: str) -> Sent:
        return SENT if (service, event, parameter) == ("Sls", "CreateIndex", "value") else Sent()


def task(
    condition: str, *, document: str = "1. Click **OK**.", meta: str = "id: a\n", group: str = "all"
) -> Task:
    rule = (
        f"id: a\nversion: 1\n{group}:\n- {{service: Sls, event: CreateIndex, where:"
        f" [{condition}]}}\n"
    )
    return Task(
        id="a",
        suite="s",
        family="a",
        product="sls",
        difficulty=Difficulty.STANDARD,
        document_name="a.md",
        media_type="text/markdown",
        document=document,
        meta_yaml=meta,
        rule_yaml=rule,
        script_yaml="- []\n",
    )


@pytest.mark.parametrize(
    ("condition", "more"),
    [
        ("[request.value, eq, web-7]", {"document": "Enter `web-7`."}),
        ("[request.value, eq, '1024']", {"document": "Enter 1,024 bytes."}),
        ("[request.value, eq, PostPaid]", {"document": "Select **Pay-as-you-go**."}),
        ("[request.value, eq, 'true']", {"document": "Turn on **Case Sensitive**."}),
        ("[request.value, eq, '80/443']", {"document": "Ports from `80` to `443`."}),
        ("[request.value, matches, '(^|,)Monday(,|$)']", {"document": "Select **Mon**."}),
        (
            "[request.value, eq, '2027-06-30T22:00:00Z']",
            {"document": "Set it to 2027-07-01 06:00:00."},
        ),
        ("[request.value, eq, '1805504400000']", {"document": "Set it to 2027-03-20 09:00:00."}),
        ("[request.value, eq, web-7]", {"meta": "id: a\ncreate: name = web-7\n"}),
        ("[request.value, eq, 'false']", {"meta": "create: |\n  case_sensitive = true\n"}),
        ("[request.value, eq, '2048']", {}),
        ("[request.value, eq, $meta.instance_id]", {}),
        ("[request.value, ne, root]", {}),
        ("[request.value, eq, root]", {"group": "none"}),
    ],
)
def test_what_is_said_prepared_or_sent_unasked_is_founded(condition: str, more: Any) -> None:
    assert unfounded(task(condition, **more), OneConsole()) == []


@pytest.mark.parametrize(
    ("condition", "more"),
    [
        ("[request.value, eq, 'true']", {}),
        ("[request.value, eq, 'true']", {"meta": "create: |\n  case_sensitive = true\n"}),
        ("[request.value, eq, web-7]", {"document": "Enter `web-77`."}),
        ("[request.value, eq, '80/443']", {"document": "Ports from `80` to `444`."}),
        ("[request.other, eq, PostPaid]", {"document": "Select **Pay-as-you-go**."}),
        ("[request.other, eq, '2048']", {}),
        ("[request.value, in, [web-7, web-8]]", {"document": "Enter `web-7`."}),
        ("[request.value, ne, web-7]", {"group": "none"}),
        ("{path: request.value, op: eq, value: web-7}", {}),
    ],
)
def test_what_nothing_says_is_found_and_named(condition: str, more: Any) -> None:
    (found,) = unfounded(task(condition, **more), OneConsole())
    assert (found.task, found.event) == ("a", "CreateIndex")
    with pytest.raises(ProofwalkError) as caught:
        refuse_unfounded([task(condition, **more)], OneConsole())
    assert caught.value.code == "suite.unfounded"
    assert found.value in caught.value.message


@pytest.mark.parametrize("suite", ["console-278", "drift-200"])
def test_every_constant_of_the_committed_rules_is_founded(
    suite: str, console: DevcloudConsole
) -> None:
    refuse_unfounded(load_suite(ROOT / suite).tasks, DevcloudConstants(console.shipped))


def test_a_constant_that_no_document_says_is_found_in_a_committed_rule(
    console: DevcloudConsole,
) -> None:
    """What version 1 of console-278 demanded."""
    one = load_suite(ROOT / "console-278").task("sls-field-without-index-1")
    assert one is not None
    asked = one.rule_yaml.replace(
        "[request.logstore, eq, $meta.logstore_name]",
        "[request.logstore, eq, $meta.logstore_name]\n  - [request.line.caseSensitive, eq, 'true']",
        1,
    )
    (found,) = unfounded(replace(one, rule_yaml=asked), DevcloudConstants(console.shipped))
    assert found.path == "request.line.caseSensitive"
