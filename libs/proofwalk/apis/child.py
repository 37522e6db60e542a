"""The process in which a function's code runs. As a script (`python -I -S child.py`)
that `running` starts confined: no files but Python's own, no network, no other process,
no credentials.

It says that it has begun, and reads one order from standard input: code, a name,
arguments. The code is executed, the function called as `function(api, **arguments)`,
and what it returned or raised is the last frame on what was standard output.
`api.call(product, action, **parameters)` and `api.run(argv)` are frames that the parent
answers: these two methods, `ApiError` and the standard library are all that a function
has (the runtime, version 1). What it prints goes to standard error, as its log. A frame
is a length of four bytes and JSON.

Nothing here is trusted by the parent: the code can write any frame by itself.
"""

import errno
import json
import os
import sys
import traceback
from typing import Any, BinaryIO

_HEADER = 4
_MESSAGE = 1000


class ApiError(Exception):
    """The application refused a request; `code` is its own."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Api:
    """The application, as a function has it."""

    def __init__(self, answers: BinaryIO, requests: BinaryIO) -> None:
        self._answers = answers
        self._requests = requests

    def call(self, product: str, action: str, **parameters: Any) -> Any:
        """Return the answer of an operation of the cloud's API. Raises `ApiError`."""
        return self._ask({"product": product, "action": action, "parameters": parameters})

    def run(self, argv: list[str]) -> Any:
        """Run a program on the desktop. Return `code`, `out` and `err`. Raises
        `ApiError`."""
        return self._ask({"argv": argv})

    def _ask(self, request: Any) -> Any:
        write(self._requests, {"request": request})
        answer = read(self._answers)
        if "code" in answer:
            raise ApiError(str(answer["code"]), str(answer["message"]))
        return answer["answer"]


def write(stream: BinaryIO, content: object) -> None:
    """One frame."""
    told = json.dumps(content).encode()
    stream.write(len(told).to_bytes(_HEADER, "big") + told)
    stream.flush()


def read(stream: BinaryIO) -> Any:
    """One frame. Raises EOFError."""
    header = stream.read(_HEADER)
    content = stream.read(int.from_bytes(header, "big"))
    if not content:
        raise EOFError("nobody answers")
    return json.loads(content)


def outcome(code: str, name: str, arguments: Any, api: Api) -> Any:
    """What the call came to, as the last frame."""
    try:
        names: dict[str, Any] = {"__name__": "function", "ApiError": ApiError}
        exec(compile(code, "function.py", "exec"), names)  # noqa: S102  # what this process is for
        returned = names[name](api, **arguments)
        json.dumps(returned)
    except MemoryError:
        return {"raised": "MemoryError", "message": ""}
    except BaseException as error:
        place = next(
            (
                f" (line {one.lineno})"
                for one in reversed(traceback.extract_tb(error.__traceback__))
                if one.filename == "function.py"
            ),
            "",
        )
        refused = isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM)
        return {
            "raised": type(error).__name__,
            "message": (str(error)[:_MESSAGE] + place),
            "refused": refused,
        }
    return {"returned": returned}


def main() -> None:
    """Run one order."""
    requests, answers = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    write(requests, {"begun": True})
    order = read(answers)
    ended = outcome(order["code"], order["name"], order["arguments"], Api(answers, requests))
    sys.stdout.flush()
    write(requests, ended)


if __name__ == "__main__":
    main()
