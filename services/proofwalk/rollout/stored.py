"""What the JSON columns of episodes and intents hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict


class EpisodeFacts(TypedDict, total=False):
    """What a successor needs to know of an episode, beside its judgement."""

    trace_id: str
    """Of the trace that its spans belong to."""
    start: str
    """Of the walk, as ISO 8601; so is `end`."""
    end: str
    artefacts: Mapping[str, str]
    """Kind -> address in the blob store."""
    artefacts_missing: Mapping[str, str]
    """Kind -> why there is none."""
    policy_versions: Sequence[str]
    completed: bool
    """The policy said that it was done; where it did not, nothing."""


class IntentResult(TypedDict, total=False):
    """What a side effect gave, or what became of it when it was taken back."""

    lease_id: str
    epoch: int
    account_id: str
    external_id: str
    sandbox_id: str
    warm: bool
    provisioning_id: str
    meta_id: str
    """Of the record that met a need, and its version."""
    meta_version: int
    refused_hosts: Mapping[str, int]
    refused: str
    """Code of the error with which a peer refused the effect."""
    left: str
    """Code of the error for which the effect was left as it is."""
    swept: int
    stale: bool
    clean: bool
