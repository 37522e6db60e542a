"""Questions that nobody wrote: document, script and rule speak of the same field, and
the truth is META's."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.suites.families.generation import document_random, task_of
from proofwalk.suites.model import Difficulty, Task
from proofwalk.suites.rules.documents import rule_of
from proofwalk.suites.synthesis.operations import Persona, Question
from proofwalk.suites.synthesis.units import unit_of_question
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.task_names import Setting
from proofwalk.suites.writing.units import Family, Fixture, Link

TTL = Question(
    product="sls",
    resource="logstore",
    menu="logstores",
    nouns={"en": "Logstore", "zh": "日志库"},
    labels={"en": "Data Retention", "zh": "数据保存时间"},
    field="ttl",
    is_number=True,
    unit={"en": "days", "zh": "天"},
)


def task(console: DevcloudConsole, question: Question, *, language: str = "en") -> Task:
    family = Family(
        id="sls-logstore-ask-ttl",
        difficulty=Difficulty.STANDARD,
        chain=(Link(unit="sls.logstore_ask_ttl"),),
    )
    fixture = Fixture(
        title={"en": ["a Logstore"], "zh": ["一个日志库"]},
        type="sls.logstore",
        hcl="",
        name="alicloud_log_store.logstore.name",
        key="alicloud_log_store.logstore.id",
    )
    library = Library(
        units={"sls.logstore_ask_ttl": unit_of_question(question, Persona.AUDITOR)},
        fixtures={"sls.logstore": fixture},
        families=(family,),
    )
    draft = compose(family, 0, Setting(library=library, console=console, seed=1, language=language))
    return task_of(draft, write(draft, document_random(1, family.id)), suite_id="synthesised")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_is_asked_read_and_expected_under_one_name(
    console: DevcloudConsole, language: str
) -> None:
    made = task(console, TTL, language=language)
    label = console.labels(language).find("resources/logstore/fields/ttl", product="sls").text
    assert label in made.document
    assert "ttl" in made.document
    ((opened, read),) = yaml.safe_load(made.script_yaml)
    assert read["read"] == {"row": "{{meta.logstore_name}}", "column": label, "as": "ttl"}
    assert set(opened) == {"open"}
    assert rule_of(made)["answer"] == {
        "ttl": {"exact": "$meta.logstore_ttl", "as": "number", "unit": ["days", "天"]}
    }
    assert "all" not in rule_of(made)


def test_what_the_list_does_not_show_is_read_on_the_resources_page(
    console: DevcloudConsole,
) -> None:
    made = task(console, replace(TTL, listed=False))
    ((_, row, read),) = yaml.safe_load(made.script_yaml)
    assert row == {"row": "{{meta.logstore_name}}", "open": True}
    assert set(read["read"]) == {"label", "as"}
