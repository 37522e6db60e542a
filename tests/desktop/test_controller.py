"""The controller on real machines, driven by the example client and a foreign program:
`make test-desktop`."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from proofwalk.controller.desktops import DesktopTasks, desktops_of, read_tasks
from proofwalk.controller.http_api import build_app, serve
from proofwalk.controller.owners import Owners
from proofwalk.controller.sessions import Sessions
from proofwalk.desktop.image import Image
from proofwalk.kernel.clock import SystemClock

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(900)]
CLIENT = Path(__file__).parents[2] / "examples" / "agentbench" / "client.py"
LINE = "/bin/sh -c 'read line; echo \"$line\" > /home/agent/line.txt'"
TASK = {
    "id": "a-line",
    "instruction": "Type hello into the terminal, and press Enter.",
    "config": [{"type": "launch", "parameters": {"command": ["xterm", "-e", LINE]}}],
    "evaluator": {
        "func": "exact_match",
        "result": {"type": "vm_command_line", "command": "cat /home/agent/line.txt"},
        "expected": {"type": "rule", "rules": {"expected": "hello\n"}},
    },
}
AGENT = """#!{python}
import json, sys
said = sum(one["role"] == "agent" for one in json.load(sys.stdin))
print(["{{\\"type\\": \\"wait\\", \\"seconds\\": 8}}",
       "{{\\"type\\": \\"type_focused\\", \\"text\\": \\"{words}\\"}}",
       "{{\\"type\\": \\"press\\", \\"key\\": \\"Enter\\"}}",
       "{{\\"type\\": \\"task_complete\\", \\"note\\": \\"\\"}}"][said])
"""


@pytest.mark.parametrize(("words", "score"), [("hello", 1.0), ("good bye", 0.0)])
async def test_a_foreign_program_is_scored_by_what_it_left_behind(
    tmp_path: Path, words: str, score: float
) -> None:
    (tmp_path / "examples" / "os").mkdir(parents=True)
    (tmp_path / "examples" / "os" / "a-line.json").write_text(json.dumps(TASK))
    index = tmp_path / "index.json"
    index.write_text(json.dumps({"os": ["a-line"]}))
    agent = tmp_path / "agent"
    agent.write_text(AGENT.format(python=sys.executable, words=words))
    agent.chmod(0o700)
    clock = SystemClock()
    desktop = desktops_of(Image.read(Path("build/desktop")), files=tmp_path, clock=clock)
    async with Sessions([DesktopTasks(read_tasks(index), desktop)], clock=clock) as sessions:
        app = build_app(sessions, owners=Owners(), clock=clock)
        async with serve(app, "127.0.0.1:0") as server:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                str(CLIENT),
                f"{server.url}/api",
                "osworld",
                "--agent",
                str(agent),
                stdout=asyncio.subprocess.PIPE,
            )
            out, _ = await process.communicate()
    sample, overall = map(json.loads, out.decode().splitlines())
    assert (sample["status"], sample["result"]["score"]) == ("completed", score), sample
    assert (overall["scored"], overall["mean_score"]) == (1, score)
