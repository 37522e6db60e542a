"""A process that reads what strangers wrote, started by `readers`, one order at a time.
Run with `-m`.

An order names a *reader* (`package.module:function`), its arguments and a body of
bytes; the reader gives bytes back or raises a `ProofwalkError`. The reader's module is
imported on its first order. Then the process says that it begins, bounds itself
(processor seconds, address space beyond what it has, no files to write, no core), and
reads. A reader that uses more is ended by the kernel, or by our parent, who watches the
clock. The environment that it was started with holds no secret.

Frames on both pipes are a length of four bytes and as many bytes. In: the order as
JSON, then the body. Out: one letter with its content: `B` it begins, `A` the answer,
`E` the error as JSON, `M` out of memory, `X` a bug of ours, as text. A small letter
says that it is the process's last answer: it is much larger than before, or not to be
trusted any more.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
from collections.abc import Callable
from typing import BinaryIO

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject

Reader = Callable[[JsonObject, bytes], bytes]
_HEADER = 4
_PAGE = os.sysconf("SC_PAGE_SIZE")


def write_frame(stream: BinaryIO, content: bytes) -> None:
    """Blocks."""
    stream.write(len(content).to_bytes(_HEADER, "big"))
    stream.write(content)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Blocks; None at the end of the stream."""
    header = stream.read(_HEADER)
    if len(header) < _HEADER:
        return None
    length = int.from_bytes(header, "big")
    content = stream.read(length)
    return content if len(content) == length else None


def reader_of(name: str) -> Reader:
    """The function that `package.module:function` names."""
    module, _, function = name.partition(":")
    reader: Reader = getattr(importlib.import_module(module), function)
    return reader


def error_as_json(error: ProofwalkError) -> bytes:
    """An error as it travels to the parent."""
    fields = {
        "code": error.code,
        "message": error.message,
        "status": error.status.value,
        "hint": error.hint,
        "retryable": error.retryable,
        "details": error.details,
    }
    return json.dumps(fields).encode()


def answer(read: Reader, arguments: JsonObject, body: bytes) -> tuple[bytes, bytes]:
    """The letter and the content of what `read` gave."""
    try:
        return b"A", read(arguments, body)
    except ProofwalkError as error:
        return b"E", error_as_json(error)
    except MemoryError:
        return b"m", b""
    except Exception as error:
        return b"x", f"{type(error).__name__}: {error}"[:2000].encode("utf-8", "replace")


def _size() -> int:
    """Bytes of address space in use."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[0]) * _PAGE


def _bound(cpu_s: int, memory_bytes: int) -> None:
    spent = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(
        resource.RLIMIT_CPU,
        (int(spent.ru_utime + spent.ru_stime) + 1 + cpu_s, resource.RLIM_INFINITY),
    )
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, resource.RLIM_INFINITY))


def serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Answer orders until the stream ends or a reader has left the process unfit."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    while (order := read_frame(orders)) is not None and (body := read_frame(orders)) is not None:
        asked = json.loads(order)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        read = reader_of(asked["reader"])
        before = _size()
        allowed = int(asked["memory_bytes"])
        write_frame(answers, b"B")
        _bound(int(asked["cpu_s"]), before + allowed)
        letter, content = answer(read, asked["arguments"], body)
        letter = letter.lower() if _size() > before + allowed // 4 else letter
        write_frame(answers, letter + content)
        if letter.islower():
            return


def main() -> None:
    """Serve on the pipes that were standard input and output, which nothing else can
    then write to."""
    answers = os.fdopen(os.dup(1), "wb")
    orders = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    try:
        serve(orders, answers)
    except BrokenPipeError:
        sys.exit(0)


if __name__ == "__main__":
    main()
