"""The dashboard's record as JSON lines: its calls, each when it has ended.

All is in the manager's log. A call that changes something is announced there with its
parameters (the audit line: no status, and the user whom that thread served before), and
each call is told when it has been answered, with its status and its user. Both are of
one thread, as is the line of the task that a call may begin. A call answered with 202
has a task that goes on: it is told when the task has ended, and `ok` says how. A line
is {uid, time, actor, service, name, write, ok, status, request}.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

EVERY_S = 0.5
ACCEPTED = 202
"""The status of a call whose task goes on."""
LINE = re.compile(r"(?P<time>\S+) (?P<thread>[0-9a-f]+) +-?\d+ (?P<rest>.*)")
BEGUN = re.compile(
    r"log_channel\(audit\) log \[INF\] : \[DASHBOARD\] from='[^']*' path='[^']*' method='[^']*'"
    r" user='[^']*' params='(?P<params>.*)'\s*"
)
TASK = re.compile(
    r"\[dashboard \w+ task(?:mgr|exec)\] (?P<what>running|finished|Error while calling)"
    r" (?P<task>Task\(.*\))\s*"
)
ENDED = re.compile(
    r"\[dashboard (?:INFO|WARNING) request\] \[[^]]*\] \[(?P<method>[A-Z]+)\] \[(?P<status>\d+)\]"
    r" \[[\d.]+s\] \[(?P<user>[^]]*)\] \[(?:[\d.]+[BKMG]|n/a)\]"
    r" /(?P<path>(?:ui-)?api/\S*)\s*"
)
NOT_TOLD = re.compile(
    r"api/(summary|task|health/minimal|settings|feature_toggles|prometheus/notifications)"
    r"|api/(osd/settings|mgr/module/telemetry)|ui-api/(motd|orchestrator|langs|standard_settings)"
)
"""What pages ask for by themselves."""


@dataclass
class Calls:
    """What the manager's log has told of calls since this began."""

    path: Path
    _read: int = 0
    _parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of the call that a thread works on."""
    _tasks: dict[str, str] = field(default_factory=dict)
    """The task that a thread's call has begun."""
    _going_on: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Lines of calls whose task goes on, by the task."""
    _over: set[str] = field(default_factory=set)
    """Tasks that ended before their call."""
    _failed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._read = self.path.stat().st_size if self.path.is_file() else 0

    def take(self) -> Iterator[dict[str, Any]]:
        """Calls that have ended. A log that has become shorter is new."""
        if not self.path.is_file():
            return
        if self.path.stat().st_size < self._read:
            self._read = 0
        with self.path.open("rb") as log:
            log.seek(self._read)
            text = log.read()
        text = text[: text.rfind(b"\n") + 1]
        at = self._read
        self._read += len(text)
        for line in text.splitlines(keepends=True):
            yield from self._told(line.decode(errors="replace"), at)
            at += len(line)

    def _told(self, line: str, at: int) -> Iterator[dict[str, Any]]:
        head = LINE.match(line)
        if head is None:
            return
        thread, rest = head["thread"], head["rest"]
        if begun := BEGUN.fullmatch(rest):
            self._parameters[thread] = _json(begun["params"])
            self._tasks.pop(thread, None)
        elif task := TASK.fullmatch(rest):
            yield from self._task(task["what"], task["task"], thread)
        elif ended := ENDED.fullmatch(rest):
            call = _call(ended, head["time"], f"{at}-{head['time']}")
            call["request"]["body"] = self._parameters.pop(thread, {})
            task_of = self._tasks.pop(thread, "")
            if call["status"] == ACCEPTED and task_of and task_of not in self._over:
                self._going_on[task_of] = call
            elif not (call["name"] == "GET" and NOT_TOLD.match(ended["path"])):
                yield call | {"ok": call["ok"] and task_of not in self._failed}

    def _task(self, what: str, task: str, thread: str) -> Iterator[dict[str, Any]]:
        if what == "running":
            self._tasks[thread] = task
            self._over.discard(task)
            self._failed.discard(task)
        elif what == "finished":
            self._over.add(task)
            if task in self._going_on:
                yield self._going_on.pop(task) | {"ok": task not in self._failed}
        else:
            self._failed.add(task)


def _call(ended: re.Match[str], moment: str, uid: str) -> dict[str, Any]:
    path = unquote(ended["path"]).removeprefix("api/").rstrip("/")
    status = int(ended["status"])
    return {
        "uid": uid,
        "time": datetime.fromisoformat(moment).timestamp(),
        "actor": ended["user"],
        "service": path.partition("/")[0],
        "name": ended["method"],
        "write": ended["method"] != "GET",
        "ok": 200 <= status < 300,
        "status": status,
        "request": {"path": path},
    }


def _json(text: str) -> dict[str, Any]:
    try:
        parameters = json.loads(text)
    except ValueError:
        return {"text": text}
    return parameters if isinstance(parameters, dict) else {"value": parameters}


def main() -> int:
    """Until it is ended from outside."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", required=True, type=Path, help="the manager's log")
    parser.add_argument("--into", required=True, type=Path)
    given = parser.parse_args()
    calls = Calls(given.log)
    while True:
        with given.into.open("a", encoding="utf-8") as record:
            for line in calls.take():
                record.write(json.dumps(line, ensure_ascii=False) + "\n")
        time.sleep(EVERY_S)


if __name__ == "__main__":
    sys.exit(main())
