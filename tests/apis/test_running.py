"""Code that a model wrote runs with what it was given, and whatever else it tries ends
as something that is said of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from proofwalk.apis import running
from proofwalk.apis.running import Bounds, Ended, Order, Run, Runner
from proofwalk.chassis.confinement import FAILED
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.kernel.json_values import JsonObject
from tests.apis.kit import Shelf

SECRET = "s3cret-of-the-parent"


async def call(body: str, *, bounds: Bounds | None = None, **arguments: str) -> Run:
    """Call `act(api, …)` with this body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    names = "".join(f", {name}" for name in arguments)
    code = f"import json, os, sys\ndef act(api{names}):\n{lines}\n"
    runner = Runner(Shelf(), bounds or Bounds(wall_s=20))
    return await runner.run(Order(code=code, name="act", arguments=arguments))


async def test_a_function_computes_asks_and_returns() -> None:
    run = await call(
        'made = api.call("shelf", "Put", Name=name)\n'
        'print("put", name)\n'
        'return {"id": made["Id"], "all": api.call("shelf", "List")["Boxes"]}',
        name="red",
    )
    assert run == Run(
        ended=Ended.RETURNED,
        content={"id": "b-red", "all": [{"Name": "red"}]},
        log="put red\n",
        requests=2,
    )


async def test_a_refusal_of_the_application_is_an_error_that_code_can_catch() -> None:
    body = (
        "try:\n"
        '    api.call("shelf", "Drop")\n'
        "except ApiError as error:\n"
        '    api.call("shelf", "Burn") if error.code == "NoSuchAction" else None\n'
    )
    run = await call(body)
    assert (run.ended, run.requests) == (Ended.RAISED, 2)
    assert run.message == "ApiError: NoSuchAction: Put and List are (line 6)"


async def test_an_application_that_is_away_is_no_failure_of_the_function() -> None:
    class Away(Shelf):
        async def answer(self, request: JsonObject) -> object:  # type: ignore[override]
            raise unavailable("cloud.unavailable", "nobody there")

    order = Order(code='def act(api):\n    api.call("a", "B")', name="act", arguments={})
    with pytest.raises(ProofwalkError, match="nobody there"):
        await Runner(Away()).run(order)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "ended"),
    [
        ("return open(FILE).read()", Ended.CONFINED),
        ("return os.listdir(os.path.dirname(FILE))", Ended.CONFINED),
        # An id without the number, which each process of the tests has another of.
        pytest.param(
            f"return open('/proc/{os.getpid()}/environ').read()", Ended.CONFINED, id="environ"
        ),
        ("open('/tmp/left-by-a-function', 'w').write('x')", Ended.CONFINED),
        ("import urllib.request\nurllib.request.urlopen('http://127.0.0.1:80')", Ended.CONFINED),
        ("import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)", Ended.CONFINED),
        ("while True:\n    os.fork()", Ended.CONFINED),
        ("import subprocess\nsubprocess.run(['/bin/true'])", Ended.CONFINED),
        ("while True:\n    pass", Ended.TOO_LONG),
        ("import time\ntime.sleep(60)", Ended.TOO_LONG),
        ("while True:\n    api.call('shelf', 'List')", Ended.TOO_LONG),
        ("return 'x' * 2**40", Ended.TOO_LARGE),
        ("return 'x' * 2**22", Ended.TOO_LARGE),
        ("return {1, 2}", Ended.RAISED),
        ("raise SystemExit(0)", Ended.RAISED),
        ("os._exit(0)", Ended.BROKEN),
        ("os._exit(126)", Ended.BROKEN),
        ("for number in range(3, 32):\n    try:\n        os.write(number, b'\\0\\0\\0\\2[]')\n"
         "    except OSError:\n        pass\nos._exit(0)", Ended.BROKEN),
    ],
)  # fmt: skip
async def test_what_a_function_may_not_do_is_said_of_it(
    body: str, ended: Ended, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET)
    bounds = Bounds(wall_s=4, cpu_s=1, memory_bytes=2**28, requests=20)
    run = await call(body.replace("FILE", repr(str(file))), bounds=bounds)
    assert run.ended is ended, run
    assert run.message
    assert SECRET not in f"{run.content}{run.message}{run.log}"
    assert not Path("/tmp/left-by-a-function").exists()


async def test_no_secret_of_this_process_is_there_to_be_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PROOFWALK_VAULT__KEY", SECRET)
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{SECRET}@proxy:3128")
    run = await call("print(dict(os.environ), sys.argv, sys.path)\nreturn sorted(os.environ)")
    assert run.ok
    assert SECRET not in f"{run.content}{run.log}"
    assert "HTTPS_PROXY" not in str(run.content)


async def test_a_function_that_goes_on_after_its_result_is_ended() -> None:
    body = "import atexit, time\natexit.register(time.sleep, 60)\nreturn 1"
    assert (await call(body)).content == 1


async def test_a_log_is_bounded_and_never_waited_for() -> None:
    run = await call("print('x' * 2**22)", bounds=Bounds(wall_s=20, log_chars=50))
    assert run.log == "x" * 50


async def test_where_code_cannot_be_confined_it_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def unconfined(argv: Sequence[str], **_: object) -> list[str]:
        return [sys.executable, "-I", "-S", "-c", f"import os; os._exit({FAILED})"]

    monkeypatch.setattr(running, "confined", unconfined)
    with pytest.raises(ProofwalkError) as caught:
        await call("return 1")
    assert caught.value.code == "apis.unconfined"
