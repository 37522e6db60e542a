"""Stands for `proofwalk.trainer.child`: the same folder, no torch, and trouble on
request. `fake_child.py BEHAVIOUR… FOLDER --rollout …`.

steps=N        how many (12); a checkpoint every 4
die_at=N       be killed before that step's row, the first `times=M` starts (1)
fail=CODE      say so in the result; with `retryable=1` another start may mend it
pace=S         seconds of a step
hold_at=N      the first start goes no further than this step until it is asked to end
deaf=1         end on no request
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path


def checkpoint(folder: Path, step: int) -> None:
    target = folder / "checkpoints" / f"step-{step:08d}"
    if target.exists():
        return
    aside = folder / "checkpoints" / f".writing-{step}"
    aside.mkdir(parents=True)
    manifest = {
        "step": step,
        "position": {"step": step},
        "score": -1.0 / (step + 1),
        "settings": {},
        "origin": "",
        "files": {},
        "digest": "d" * 64,
    }
    (aside / "manifest.json").write_text(json.dumps(manifest))
    aside.rename(target)


def main() -> None:
    behaviour = dict(
        one.split("=", 1) for one in sys.argv[1:] if "=" in one and not one.startswith(("-", "/"))
    )
    folder = Path(next(one for one in sys.argv[1:] if one.startswith("/")))
    assert (folder / "run.yaml").is_file()
    assert not (folder / "result.json").exists()
    asked: list[int] = []
    deaf = behaviour.get("deaf") == "1"
    signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
    with (folder / "starts").open("a") as file:
        file.write(f"{os.getpid()}\n")
    starts = len((folder / "starts").read_text().splitlines())

    def end(status: str, **more: object) -> None:
        (folder / "result.json").write_text(json.dumps({"status": status, **more}))
        sys.exit(status == "failed")

    if "fail" in behaviour:
        end(
            "failed",
            code=behaviour["fail"],
            message="it cannot be",
            retryable=behaviour.get("retryable") == "1",
        )
    steps = int(behaviour.get("steps", "12"))
    done = sorted(int(path.name[5:]) for path in (folder / "checkpoints").glob("step-*"))
    step = done[-1] if done else 0
    row = '{{"step": {0}, "loss": {1}, "tokens_per_second": 7}}\n'
    (folder / "metrics.jsonl").write_text(
        "".join(row.format(float(n), 1 / n) for n in range(1, step + 1))
    )
    while step < steps:
        if not deaf and (asked or (folder / "stop").exists()):
            checkpoint(folder, step)
            end("stopped" if (folder / "stop").exists() else "interrupted")
        step += 1
        if step == int(behaviour.get("die_at", "-1")) and starts <= int(
            behaviour.get("times", "1")
        ):
            os.kill(os.getpid(), signal.SIGKILL)
        with (folder / "metrics.jsonl").open("a") as file:
            file.write(row.format(float(step), 1 / step))
        if step % 4 == 0:
            checkpoint(folder, step)
        held = starts == 1 and step == int(behaviour.get("hold_at", "-1"))
        while held and not asked and not (folder / "stop").exists():
            time.sleep(0.01)
        time.sleep(float(behaviour.get("pace", "0.01")))
    checkpoint(folder, step)
    end("finished")


if __name__ == "__main__":
    main()
