"""When and where a session types the tester's credentials: while it signs in, at the
place of the sign-in, and nowhere else.

A policy can be made to write anything, `<secret:password>` too. So a reference is not
enough: the session's `SecretGate` is closed, and only the executor that signs in opens
it, for the place of the form that it fills in. No action of a policy is carried out in
between. Which kind of field takes a password is checked separately (`fields`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from proofwalk.console.faults import Refused
from proofwalk.console.safety.addresses import Place


class SecretGate:
    """Whether secrets may be typed now, and where."""

    def __init__(self, *, anywhere: bool = False) -> None:
        """`anywhere`: on every allowed host at any time, for environments in which
        typing secrets is the task."""
        self._anywhere = anywhere
        self._place: Place | None = None

    @contextmanager
    def opened(self, place: Place) -> Iterator[None]:
        """Allow typing secrets at `place` within the context."""
        self._place, before = place, self._place
        try:
            yield
        finally:
            self._place = before

    def check(self, address: str) -> None:
        """Raise `action.secret_refused` if no secret may be typed now. `address` is
        that of the document with the field."""
        if self._anywhere:
            return
        if self._place is None:
            raise Refused(
                "action.secret_refused",
                "the tester's credentials are typed by the sign-in alone, before the walk",
            )
        if Place.of(address) != self._place:
            raise Refused(
                "action.secret_refused",
                f"the tester's credentials are typed at {self._place} alone",
            )
