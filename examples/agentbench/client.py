"""Measure an agent against `proofwalk gym serve`, over HTTP and with Python alone.

    python client.py http://127.0.0.1:5000/api miniwob click-test@0
    python client.py http://127.0.0.1:5000/api osworld --agent ./my-agent

An agent is a program: it reads what was said so far as JSON, `[{"role": "user" or
"agent", "content": "…"}, …]`, and writes its answer, a thought and one action. Without
`--agent` the first button that is to be seen is clicked, and then the task is claimed
to be done. Without samples, all of the task are walked. What each came to is written as
a line of JSON, and what they come to together as the last one.

Exit codes: 0 every sample has a score, 3 the environment failed one, 1 else.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlsplit

Agent = Callable[[list[dict[str, str]]], str]
_BUTTON = re.compile(r"^.*\bbutton\b[^\[\n]*\[(\d+)\]", re.MULTILINE)
_WAIT_S = 600
_TASK_ERROR = 501


class Controller:
    """The routes of a controller."""

    def __init__(self, address: str) -> None:
        """`address` may carry an owner: `http://NAME:TOKEN@host:port/api`."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https"):
            raise SystemExit(f"{address!r} is no http address")
        self._base = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
        self._headers = {"Content-Type": "application/json"}
        if parts.password:
            pair = f"{parts.username}:{parts.password}".encode()
            self._headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"

    def ask(self, route: str, **body: Any) -> Any:
        """The answer to a POST; a task error is one."""
        return self._sent(route, json.dumps(body).encode())

    def look_up(self, route: str, name: str) -> Any:
        """The answer to a GET."""
        return self._sent(f"{route}?name={quote(name)}", None)

    def _sent(self, route: str, body: bytes | None) -> Any:
        request = urllib.request.Request(f"{self._base}/{route}", body, self._headers)  # noqa: S310  # the scheme was looked at
        try:
            with urllib.request.urlopen(request, timeout=_WAIT_S) as response:  # noqa: S310
                return json.load(response)
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            if error.code == _TASK_ERROR:
                return answer["detail"]
            raise SystemExit(f"{answer['code']}: {answer['detail']} {answer['hint']}") from None


def walk(controller: Controller, name: str, index: str, agent: Agent) -> dict[str, Any]:
    """One sample, from its start to what it came to."""
    answer = controller.ask("start_sample", name=name, index=index)
    while answer["output"]["status"] == "running":
        said = agent(answer["output"]["history"])
        answer = controller.ask(
            "interact", session_id=answer["session_id"], agent_response={"content": said}
        )
    end: dict[str, Any] = answer["output"]
    return {"index": index, "status": end["status"], "result": end["result"]}


def click_the_first_button(history: list[dict[str, str]]) -> str:
    """The agent that needs no model."""
    found = _BUTTON.search(history[-1]["content"].rpartition("# Screen")[2])
    if len(history) > 1 or found is None:
        return 'Action: {"type": "task_complete", "note": ""}'
    return f'Action: {{"type": "click", "id": {found[1]}}}'


def program(path: str) -> Agent:
    """An agent that is a program."""

    def answered(history: list[dict[str, str]]) -> str:
        done = subprocess.run(
            [path], input=json.dumps(history), capture_output=True, text=True, check=True
        )
        return done.stdout

    return answered


def main() -> int:
    """Walk the samples of the command line."""
    parser = argparse.ArgumentParser(description="Measure an agent in Proofwalk's environments.")
    parser.add_argument("controller", help="http://host:port/api")
    parser.add_argument("task", help="miniwob or osworld")
    parser.add_argument("samples", nargs="*", help="default: all of the task")
    parser.add_argument("--agent", help="a program; default: clicks the first button")
    asked = parser.parse_args()
    controller = Controller(asked.controller)
    agent = program(asked.agent) if asked.agent else click_the_first_button
    ends = []
    for index in asked.samples or controller.look_up("get_indices", asked.task):
        ends.append(walk(controller, asked.task, index, agent))
        print(json.dumps(ends[-1]), flush=True)
    overall = controller.ask("calculate_overall", name=asked.task, results=ends)
    print(json.dumps(overall))
    if any(end["status"] == "task error" for end in ends):
        return 3
    return 0 if overall["scored"] == len(ends) else 1


if __name__ == "__main__":
    sys.exit(main())
