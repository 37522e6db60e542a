"""OSWorld's format: what is read, what is refused before anything is done, how a task
is scored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from proofwalk.console import actions as a
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.observation import Observation
from proofwalk.desktop.guest import Guest, Ran
from proofwalk.desktop.osworld import metrics
from proofwalk.desktop.osworld.episode import OsworldEpisode
from proofwalk.desktop.osworld.evaluation import check, evaluate
from proofwalk.desktop.osworld.setup import command, no_network, prepare
from proofwalk.desktop.osworld.task import OsworldTask, parse_task, read_index
from proofwalk.kernel.errors import ProofwalkError, Status

_SCREEN = (1280, 800)


class _Guest(Guest):
    """A guest of two dictionaries."""

    def __init__(self, *, files: Mapping[str, bytes] = {}, says: Mapping[str, str] = {}) -> None:
        self.files = dict(files)
        self.says = says
        self.started: list[Sequence[str]] = []

    async def run(self, argv: Sequence[str], **_: Any) -> Ran:
        line = " ".join(argv)
        found = next((said for known, said in self.says.items() if known in line), None)
        return Ran(
            code=0 if found is not None or "mkdir" in line else 1,
            out=(found or "").encode(),
            err=b"no such program",
        )

    async def start(self, argv: Sequence[str]) -> None:
        self.started.append(argv)

    async def read(self, path: str) -> bytes:
        if path not in self.files:
            raise ProofwalkError(
                "desktop.guest_refused", "no such file", status=Status.FAILED_PRECONDITION
            )
        return self.files[path]

    async def write(self, path: str, content: bytes) -> None:
        self.files[path] = content


def _task(evaluator: Mapping[str, Any], **more: Any) -> OsworldTask:
    return parse_task(
        json.dumps({"id": "t1", "instruction": "mute sound", "evaluator": evaluator, **more})
    )


def _says(expected: str) -> Mapping[str, Any]:
    return {
        "func": "exact_match",
        "result": {"type": "vm_command_line", "command": "amixer get Master", "shell": True},
        "expected": {"type": "rule", "rules": {"expected": expected}},
    }


async def test_what_a_program_says_is_compared_with_a_rule() -> None:
    guest = _Guest(says={"amixer": "off\n"})
    assert (
        await evaluate(_task(_says("off\n")), guest, said_unachievable=False, screen=_SCREEN) == 1.0
    )
    assert (
        await evaluate(_task(_says("off")), guest, said_unachievable=False, screen=_SCREEN) == 0.0
    )
    assert (
        await evaluate(_task(_says("off\n")), guest, said_unachievable=True, screen=_SCREEN) == 0.0
    ), "it could have been done"


async def test_checks_side_by_side_are_joined_by_and_or() -> None:
    guest = _Guest(says={"first": "1", "second": "2"})

    def both(conj: str, second: str) -> OsworldTask:
        looks = [{"type": "vm_command_line", "command": name} for name in ("first", "second")]
        rules = [{"type": "rule", "rules": {"expected": value}} for value in ("1", second)]
        return _task(
            {
                "func": ["exact_match", "exact_match"],
                "result": looks,
                "expected": rules,
                "conj": conj,
            }
        )

    scores = {
        (conj, second): await evaluate(
            both(conj, second), guest, said_unachievable=False, screen=_SCREEN
        )
        for conj in ("and", "or")
        for second in ("2", "3")
    }
    assert scores == {("and", "2"): 1.0, ("and", "3"): 0.0, ("or", "2"): 1.0, ("or", "3"): 1.0}


async def test_an_infeasible_task_is_right_for_who_says_so() -> None:
    task = _task({"func": "infeasible"})
    assert await evaluate(task, _Guest(), said_unachievable=True, screen=_SCREEN) == 1.0
    assert await evaluate(task, _Guest(), said_unachievable=False, screen=_SCREEN) == 0.0


async def test_a_file_that_is_not_there_earns_nothing_and_a_guest_that_is_gone_no_score() -> None:
    wanted = {"type": "cloud_file", "path": "memory:gold"}
    task = _task(
        {
            "func": "compare_text_file",
            "result": {"type": "vm_file", "path": "/home/agent/a.txt"},
            "expected": wanted,
        }
    )

    async def fetch(url: str) -> bytes:
        return b"gold\n"

    for files, score in (
        ({}, 0.0),
        ({"/home/agent/a.txt": b"gold\n"}, 1.0),
        ({"/home/agent/a.txt": b"dross\n"}, 0.0),
    ):
        assert (
            await evaluate(
                task, _Guest(files=files), said_unachievable=False, fetch=fetch, screen=_SCREEN
            )
            == score
        )
    with pytest.raises(ProofwalkError) as caught:
        await evaluate(task, _Guest(), said_unachievable=False, screen=_SCREEN)
    assert caught.value.code == "osworld.no_download"

    class _Gone(_Guest):
        async def read(self, path: str) -> bytes:
            raise ProofwalkError("desktop.guest_silent", "gone", status=Status.UNAVAILABLE)

    with pytest.raises(ProofwalkError) as caught:
        await evaluate(task, _Gone(), said_unachievable=False, fetch=fetch, screen=_SCREEN)
    assert caught.value.code == "desktop.guest_silent"


async def test_a_file_without_an_end_is_not_what_the_task_wants() -> None:
    class _Endless(_Guest):
        async def read(self, path: str) -> bytes:
            raise ProofwalkError(
                "desktop.file_too_large", "more and more", status=Status.FAILED_PRECONDITION
            )

    task = _task({**_says("x"), "result": {"type": "vm_file", "path": "/home/agent/a"}})
    assert await evaluate(task, _Endless(), said_unachievable=False, screen=_SCREEN) == 0.0


@pytest.mark.parametrize(
    "more",
    [
        {"config": [{"type": "sleep", "parameters": {"seconds": "a while"}}]},
        {"config": [{"type": "open", "parameters": {}}]},
        {"config": [{"type": "download", "parameters": {"files": [7]}}]},
        {"evaluator": {**_says("x"), "expected": {"type": "rule"}}},
        {"evaluator": {**_says("x"), "expected": {"type": "rule", "rules": {}}}},
        {"evaluator": {**_says("x"), "expected": None}},
    ],
)
async def test_parameters_that_do_not_fit_are_the_tasks_fault_and_no_score(
    more: Mapping[str, Any],
) -> None:
    task = parse_task(json.dumps({"id": "t", "instruction": "i", "evaluator": _says("x"), **more}))
    check(task)
    guest = _Guest(says={"amixer": "off"})
    with pytest.raises(ProofwalkError) as caught:
        await prepare(task.config, guest, fetch=no_network, screen=_SCREEN)
        await evaluate(task, guest, said_unachievable=False, screen=_SCREEN)
    assert caught.value.code == "osworld.task_invalid"


async def test_a_desktop_is_prepared_in_the_tasks_order() -> None:
    task = _task(
        _says("x"),
        config=[
            {
                "type": "download",
                "parameters": {"files": [{"url": "memory:a", "path": "/home/agent/docs/a.txt"}]},
            },
            {"type": "launch", "parameters": {"command": ["mousepad", "{SCREEN_WIDTH_HALF}"]}},
            {"type": "execute", "parameters": {"command": "touch it", "shell": True}},
        ],
    )

    async def fetch(url: str) -> bytes:
        return url.encode()

    guest = _Guest(says={"touch it": ""})
    await prepare(task.config, guest, fetch=fetch, screen=_SCREEN)
    assert guest.files == {"/home/agent/docs/a.txt": b"memory:a"}
    assert guest.started == [["/usr/bin/env", "mousepad", "640"]]
    with pytest.raises(ProofwalkError, match="no such program") as caught:
        await prepare(task.config[2:], _Guest(), fetch=fetch, screen=_SCREEN)
    assert caught.value.code == "osworld.setup_failed"


@pytest.mark.parametrize(
    "more",
    [
        {"config": [{"type": "googledrive", "parameters": {}}]},
        {"evaluator": {"func": "compare_table", "result": {"type": "vm_file", "path": "a"}}},
        {"evaluator": {"func": "exact_match", "result": {"type": "bookmarks"}}},
    ],
)
def test_what_these_desktops_have_not_is_said_before_anything_is_done(
    more: Mapping[str, Any],
) -> None:
    task = parse_task(json.dumps({"id": "t", "instruction": "i", "evaluator": _says("x"), **more}))
    with pytest.raises(ProofwalkError) as caught:
        check(task)
    assert caught.value.code == "osworld.unsupported"
    check(_task(_says("x"), config=[{"type": "sleep", "parameters": {"seconds": 1}}]))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"id": "a"}',
        (
            '{"id": "a", "instruction": "b", "evaluator": {"func": ["x", "y"], "result": [{"type":'
            ' "rule"}]}}'
        ),
        '{"id": "a", "instruction": "b", "evaluator": {"func": "x", "conj": "xor"}}',
    ],
)
def test_what_is_no_task_is_refused(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        parse_task(text)
    assert caught.value.code == "osworld.task_invalid"


def test_an_index_names_files_by_domain(tmp_path: Path) -> None:
    (tmp_path / "test_all.json").write_text('{"os": ["b", "a"], "vlc": ["c"]}')
    found = read_index(tmp_path / "test_all.json")
    assert list(found) == ["b", "a", "c"]
    assert found["c"] == tmp_path / "examples" / "vlc" / "c.json"


def test_a_command_is_a_list_a_line_or_a_shells() -> None:
    assert command({"command": "echo 'a b'"}, _SCREEN) == ["/usr/bin/env", "echo", "a b"]
    assert command({"command": "a | b", "shell": True}, _SCREEN) == ["/bin/sh", "-c", "a | b"]
    assert command({"command": ["/bin/x", "{SCREEN_HEIGHT}"]}, _SCREEN) == ["/bin/x", "800"]
    with pytest.raises(ProofwalkError):
        command({}, _SCREEN)


@pytest.mark.parametrize(
    ("name", "result", "expected", "options", "score"),
    [
        ("exact_match", "a\n", {"expected": "a"}, {}, 0.0),
        ("match_in_list", b"b", {"expected": ["a", "b"]}, {}, 1.0),
        ("check_include_exclude", "one two", {"include": ["one"], "exclude": ["three"]}, {}, 1.0),
        ("check_include_exclude", "one three", {"include": ["one"], "exclude": ["three"]}, {}, 0.0),
        ("check_list", "a1\nb2", {"expect": ["^a", "2$"], "unexpect": ["c"]}, {}, 1.0),
        ("check_list", "a1\nb2", {"expect": ["^a"], "unexpect": ["b"]}, {}, 0.0),
        ("compare_text_file", b"A  b\n", b"a b", {"ignore_blanks": True, "ignore_case": True}, 1.0),
        ("compare_text_file", b"A  b\n", b"a b", {"ignore_blanks": True}, 0.0),
        ("diff_text_file", b"a\nb\nc\nd", b"a\nb\nx\nd", {}, 0.75),
        ("diff_text_file", b"a\n" * 10_001, b"a\n" * 10_001, {}, 0.0),
        ("check_list", "a" * 9_000 + "!", {"expect": ["(a+)+$"]}, {}, 0.0),
        ("file_contains", b"a b c", {"expected": ["a", "c"]}, {}, 1.0),
        ("file_contains", b"a b c", {"expected": ["a", "d"]}, {}, 0.0),
    ],
)
def test_metrics(
    name: str, result: Any, expected: Any, options: Mapping[str, Any], score: float
) -> None:
    assert metrics.METRICS[name](result, expected, options) == score


class _Session:
    """A session whose guest is a dictionary."""

    def __init__(self, guest: _Guest) -> None:
        self.seat = SimpleNamespace(guest=guest, screen=_SCREEN)
        self.done: list[a.GuiAction] = []

    async def perform(self, action: a.GuiAction) -> ActionResult:
        self.done.append(action)
        return ActionResult(ok=True, message="done")

    async def observe(self) -> Observation:
        return _SEEN


_SEEN = Observation(
    url="desktop:",
    title="",
    taken_at=datetime(2026, 1, 1, tzinfo=UTC),
    elements=(),
    texts=(),
    tabs=(),
    viewport=_SCREEN,
    scroll=(0, 0, *_SCREEN),
)


def _episode(task: OsworldTask, *, most_steps: int = 9) -> tuple[OsworldEpisode, _Session]:
    session = _Session(_Guest(says={"amixer": "off\n"}))
    return (
        OsworldEpisode(task, cast(Any, session), _SEEN, fetch=no_network, most_steps=most_steps),
        session,
    )


async def test_an_episode_is_over_when_the_policy_says_so_or_has_no_steps_left() -> None:
    press = a.Press(key="Enter")
    episode, session = _episode(_task(_says("off\n")))
    assert not (await episode.step(press)).over
    assert (await episode.step(a.Note(text="n"))).result.ok
    assert (await episode.step(a.Provision(need="a disk"))).result.code == "action.unsupported"
    assert (await episode.step(a.TaskComplete())).over
    assert (episode.score, session.done) == (1.0, [press])
    with pytest.raises(ProofwalkError) as caught:
        await episode.step(press)
    assert caught.value.code == "osworld.over"

    gave_up, _ = _episode(_task(_says("off\n")))
    await gave_up.step(a.TaskUnachievable(reason="no sound card"))
    assert gave_up.score == 0.0

    slow, _ = _episode(_task(_says("off\n")), most_steps=2)
    assert [(await slow.step(press)).over for _ in range(2)] == [False, True]
    assert slow.score == 1.0, "what is done counts, said or not"
