"""Errors as the cloud tells them: a code, a message and an HTTP status, the same for a
console action and an API call.

These are answers, part of the emulated behaviour, and are recorded in the audit log;
they are not failures of this process, which use `proofwalk.kernel.errors`.
"""

from __future__ import annotations


class CloudError(Exception):
    """A refusal with the real service's error code."""

    def __init__(
        self, code: str, message: str, status: int = 400, *, field: str | None = None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
        self.field = field
        self.request_id = ""
        """Set by the dispatch, so that the answer and the audit event carry the same
        one."""


def missing_parameter(param: str, *, field: str | None = None) -> CloudError:
    """A mandatory parameter is not there."""
    message = (
        f'The input parameter "{param}" that is mandatory for processing this request is not'
        " supplied."
    )
    return CloudError("MissingParameter", message, 400, field=field)


def invalid_action(action: str) -> CloudError:
    """No such operation in this API version."""
    message = f"Specified api is not found, please check your url and method. ({action})"
    return CloudError("InvalidAction.NotFound", message, 404)
