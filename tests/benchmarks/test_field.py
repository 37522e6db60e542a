"""Field consoles: which procedures there are, what is walked, and what a walk counts
as."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from benchmarks.field.counting import Walk, kept, shares_of
from benchmarks.field.process import ConsoleProcess
from benchmarks.field.scripts import load_scripts
from benchmarks.field.stranger import read_story, stories
from benchmarks.field.suite import FieldConsole, consoles, load_console
from benchmarks.field.tasks import FieldTask, tasks_of, yaml_of
from proofwalk.cloud.adapters import open_cloud
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.resource_provisioner.stepping import refuse_unsupported
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.counting.rows import Found, Row

DOCUMENT = """# The lending desk

## Lend a book

1. Open **Loans**, and
   click **New loan**.
2. In the **Reader** box, enter `ada`.
3. Click **Lend**.

## Take a book back

1. Open **Loans**.
2. Click **Return**.
"""


def _procedure(**changes: object) -> dict[str, object]:
    return {
        "id": "lend",
        "document": "desk.md",
        "sha256": hashlib.sha256(DOCUMENT.encode()).hexdigest()[:12],
        "lines": [5, 8],
        "what": "Lends a book.",
        "rule": {"id": "lend", "version": 1},
        "expected": "verified",
        **changes,
    }


def _console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *made: dict[str, object]
) -> FieldConsole:
    (tmp_path / "docs" / "desk").mkdir(parents=True)
    (tmp_path / "docs" / "desk" / "desk.md").write_text(DOCUMENT, encoding="utf-8")
    (tmp_path / "suites" / "desk").mkdir(parents=True)
    members = {
        "console": "desk",
        "version": "1",
        "toolkit": "none",
        "documents": {"source": "example.org", "commit": "1", "licence": "MIT"},
        "procedures": list(made),
    }
    (tmp_path / "suites" / "desk" / "procedures.yaml").write_text(yaml.safe_dump(members))
    monkeypatch.setenv("PROOFWALK_FIELD_DOCS", str(tmp_path / "docs"))
    monkeypatch.setenv("PROOFWALK_FIELD_BASE", str(tmp_path / "base"))
    return load_console("desk", tmp_path / "suites")


def _walk(task: FieldTask, outcome: str, *lines: int) -> Walk:
    found = [Found(kind="renamed", line=line, sentence="") for line in lines]
    return Walk(
        of=task,
        row=Row(
            task=task.task.id,
            digest=task.task.digest,
            run=1,
            policy="literal",
            product="desk",
            difficulty="standard",
            language="en",
            outcome=outcome,
            finding=found[0] if found else None,
            noted=tuple(found[1:]),
            steps=2,
            seconds=3.0,
        ),
    )


def test_a_procedure_is_found_by_its_lines_and_a_planted_change_is_a_walk_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = [{"line": 8, "label": "Lend", "instead": "Borrow"}]
    console = _console(tmp_path, monkeypatch, _procedure(planted=planted))

    plain, changed = tasks_of(console)

    assert [one.span.line for one in plain.sentences] == [5, 7, 8]
    assert changed.wrong_lines == (8,)
    assert "Click **Borrow**." in changed.task.document
    assert plain.task.digest != changed.task.digest
    assert plain.task.procedure_id == changed.task.procedure_id


def test_lines_of_no_procedure_give_a_task_that_nobody_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = _console(tmp_path, monkeypatch, _procedure(lines=[1, 3]))

    (task,) = tasks_of(console)

    assert task.sentences == ()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"sha256": "0000"}, "field.other_document"),
        ({"document": "none.md"}, "field.no_document"),
        ({"planted": [{"line": 8, "label": "Loan", "instead": "Debt"}]}, "field.invalid"),
    ],
)
def test_what_does_not_fit_the_document_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], code: str
) -> None:
    console = _console(tmp_path, monkeypatch, _procedure(**changes))

    with pytest.raises(ProofwalkError) as raised:
        list(tasks_of(console))

    assert raised.value.code == code


@pytest.mark.parametrize(
    "changes",
    [
        {"expected": "defect"},
        {"expected": "untellable"},
        {"rule": {}},
        {"lines": [8, 5]},
        {"id": "Lend it"},
    ],
)
def test_a_procedure_that_contradicts_itself_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object]
) -> None:
    with pytest.raises(ProofwalkError) as raised:
        _console(tmp_path, monkeypatch, _procedure(**changes))

    assert raised.value.code == "field.invalid"


def test_a_walk_is_right_when_it_says_what_a_person_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mismatch = {"line": 6, "kind": "renamed", "what": "The button is called otherwise."}
    console = _console(
        tmp_path,
        monkeypatch,
        _procedure(),
        _procedure(id="wrong", expected="defect", defects=[mismatch]),
        _procedure(id="paid", expected="untellable", why="Another edition.", rule={}),
    )
    true, wrong, paid = tasks_of(console)

    assert _walk(true, "verified").class_ == "right"
    assert _walk(true, "doc_defect", 8).class_ == "false alarm"
    assert _walk(true, "suspected", 8).class_ == "suspected"
    assert _walk(wrong, "doc_defect", 5).class_ == "right", "the sentence goes on in line 6"
    assert _walk(wrong, "doc_defect", 5, 8).class_ == "false alarm"
    assert _walk(wrong, "verified").class_ == "wrongly verified"
    assert _walk(paid, "agent_failure").class_ == "right"
    assert _walk(paid, "verified").class_ == "wrongly verified"


def test_a_result_keeps_no_words_of_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = tasks_of(_console(tmp_path, monkeypatch, _procedure()))
    walk = _walk(task, "doc_defect", 8)
    found = Found(kind="renamed", line=8, sentence="Click Lend.")
    row = replace(walk.row, finding=found, reason="I do not understand “Click Lend.”")

    content = json.dumps(kept(replace(walk, row=row)))

    assert "Lend" not in content
    assert json.loads(content)["blamed"] == [8]


def test_shares_count_procedures_mismatches_and_planted_changes_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = [{"line": 8, "label": "Lend", "instead": "Borrow"}]
    mismatch = {"line": 7, "kind": "missing", "what": "There is no such box."}
    console = _console(
        tmp_path,
        monkeypatch,
        _procedure(planted=planted),
        _procedure(id="wrong", expected="defect", defects=[mismatch]),
    )
    plain, changed, wrong = tasks_of(console)

    shares = shares_of(
        [
            _walk(plain, "verified"),
            _walk(changed, "doc_defect", 8),
            _walk(wrong, "agent_failure"),
        ]
    )

    assert (shares["procedures"], shares["verified_rightly"]) == (2, 1)
    assert (shares["right"]["count"], shares["right"]["of"]) == (1, 2)
    assert (shares["mismatches_found"]["count"], shares["mismatches_found"]["of"]) == (0, 1)
    assert (shares["drift_found"]["count"], shares["drift_found"]["of"]) == (1, 1)
    assert shares["could_not_tell"] == {"agent_failure": 1}
    assert shares["seconds_a_step"] == 1.5


def test_documents_that_an_installation_brought_along_are_read_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = _console(tmp_path, monkeypatch, _procedure())
    (tmp_path / "base" / "desk").mkdir(parents=True)
    (tmp_path / "docs" / "desk").rename(tmp_path / "base" / "desk" / "docs")

    assert [len(one.sentences) for one in tasks_of(console)] == [3]


def test_a_target_may_refer_to_where_its_console_keeps_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFWALK_FIELD_BASE", str(tmp_path / "base"))
    target = ConsoleProcess(name="directus", log=tmp_path / "log.jsonl").target

    query = target.options["audit"]
    assert isinstance(query, dict)
    assert query["sql"]["url"] == f"sqlite:///{tmp_path}/base/directus/data.db"


@pytest.mark.parametrize("name", consoles())
def test_every_console_that_is_committed_can_be_read(name: str) -> None:
    console = load_console(name)

    assert len(console.procedures) >= 20
    frozen = sum(console.is_frozen(one) for one in console.procedures)
    assert 0 < frozen < len(console.procedures) / 2


@pytest.mark.parametrize("name", consoles())
def test_every_rule_of_a_console_can_be_read_and_has_a_scripted_walk(name: str) -> None:
    ruled = [one for one in load_console(name).procedures if one.rule]
    for procedure in ruled:
        parse_rule(yaml.safe_dump(dict(procedure.rule), allow_unicode=True))

    scripts = load_scripts(name)
    assert set(scripts.walks) == {one.id for one in ruled}
    assert callable(scripts.sign_in)


@pytest.mark.parametrize("name", consoles())
async def test_the_target_of_every_console_can_do_what_its_procedures_presuppose(
    name: str, tmp_path: Path
) -> None:
    target = ConsoleProcess(name=name, log=tmp_path / "log.jsonl").target
    metas = [read_meta(yaml_of(one.meta)) for one in load_console(name).procedures if one.meta]

    async with open_cloud(target, clock=SystemClock()) as cloud:
        for meta in metas:
            refuse_unsupported(meta, cloud, target=target.id)


@pytest.mark.parametrize("name", stories())
def test_what_a_stranger_writes_can_be_read_and_is_about_a_procedure(name: str) -> None:
    story = read_story(name)

    assert story.procedure in {one.id for one in load_console(name).procedures}
    assert {"user", "password", "log"} <= set(story.answers)
    parse_rule(yaml_of(story.rule))
    assert not read_meta(yaml_of(story.meta)).steps


def test_a_console_without_scripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProofwalkError) as raised:
        load_scripts("desk", tmp_path)

    assert raised.value.code == "field.no_scripts"


@pytest.mark.parametrize("name", consoles())
async def test_the_target_of_every_console_opens_with_accounts_and_a_record(
    name: str, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.touch()
    target = ConsoleProcess(name=name, log=log).target

    async with open_cloud(target, clock=SystemClock()) as cloud:
        assert await cloud.accounts.accounts()
        assert cloud.audit is not None
