"""What is asked for when a task of a suite is walked once."""

from __future__ import annotations

from proofwalk.orders.body import read_request
from proofwalk.orders.order import SCRIPTED, VerificationRequest
from proofwalk.suites.model import Task


def request_of(task: Task, *, target: str, policy: str, scenario: str) -> VerificationRequest:
    """Raises `request.malformed` for a task that no request can ask for."""
    document = {"text": task.document, "name": task.document_name, "media_type": task.media_type}
    return read_request(
        {
            "document": document,
            "target": target,
            "procedure_id": task.procedure_id,
            "policy": policy,
            "meta": task.meta_yaml,
            "rule": task.rule_yaml,
            "script": task.script_yaml if policy == SCRIPTED else "",
            "scenario": scenario,
        }
    )
