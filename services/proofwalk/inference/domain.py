"""What is asked of a model and what it answers, and the errors that say why not. Pure:
engines, rows and the contract are built on it.

Log-probabilities are natural logarithms; which of the two kinds a field holds is said
in the contract (proto/proofwalk/api/inference/v1/inference.proto).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from proofwalk.kernel.errors import (
    ProofwalkError,
    Status,
    conflict,
    exhausted,
    invalid,
    not_found,
    unavailable,
    unimplemented,
)
from proofwalk.models.client import Message

MAX_CONTINUATIONS = 256
MAX_STOPS = 16
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}")


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A question: a conversation or a prompt's tokens, and how its answers are
    sampled."""

    messages: tuple[Message, ...] = ()
    token_ids: tuple[int, ...] = ()
    schema: str = ""
    """JSON schema of the answer; empty for free text."""
    n: int = 1
    max_tokens: int
    temperature: float = 1.0
    """0 takes the likeliest token."""
    top_p: float = 1.0
    seed: int
    stop: tuple[str, ...] = ()
    prompt_logprobs: bool = False


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """One answer. Token lists are as long as each other, or empty where the engine has
    none."""

    text: str
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    constrained_logprobs: tuple[float, ...] = ()
    finish_reason: str


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Tokens of one question: the prompt's once, those of them from a cache, and those
    of all answers."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0


@dataclass(frozen=True, kw_only=True)
class Generation:
    """The answers to a question and the policy version that gave them."""

    version: str
    prompt_token_ids: tuple[int, ...] = ()
    prompt_logprobs: tuple[float, ...] = ()
    """For each token of the prompt but the first."""
    samples: tuple[Sampled, ...]
    spent: Spent


@dataclass(frozen=True, kw_only=True)
class Delta:
    """How one sample goes on; its last one has a `finish_reason`."""

    index: int
    text: str = ""
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    constrained_logprobs: tuple[float, ...] = ()
    finish_reason: str = ""


OnDelta = Callable[[Delta], None]


@dataclass(frozen=True, kw_only=True)
class Continuation:
    """Tokens whose log-probabilities are wanted, after others."""

    prompt: tuple[int, ...]
    completion: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Scored:
    """Raw log-probabilities, one for each token of each completion, and the version
    that they are of."""

    version: str
    logprobs: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Weights under their name: a folder of this machine, or a model that an endpoint
    serves (no folder)."""

    version: str
    folder: Path | None
    digest: str


@dataclass(frozen=True, kw_only=True)
class Version:
    """Weights that were loaded once. `base` names the model that they are of."""

    version: str
    uri: str
    digest: str
    base: str
    loaded_at: datetime
    serving: bool = False


def check_ask(ask: Ask, *, max_samples: int) -> None:
    """Raises `inference.bad_request` for what no engine could answer,
    `inference.bad_schema` for a schema that is no JSON object."""
    if bool(ask.messages) == bool(ask.token_ids):
        raise bad_request("give either messages or prompt_token_ids")
    if not 1 <= ask.n <= max_samples:
        raise bad_request(f"n is {ask.n}, and 1 to {max_samples} samples can be asked for")
    if ask.max_tokens < 1:
        raise bad_request(f"max_tokens is {ask.max_tokens}, and at least 1 is needed")
    if not 0 <= ask.temperature <= 100:
        raise bad_request(f"temperature is {ask.temperature:g}, and 0 to 100 is possible")
    if not 0 < ask.top_p <= 1:
        raise bad_request(f"top_p is {ask.top_p:g}, and more than 0, at most 1 is possible")
    if len(ask.stop) > MAX_STOPS or not all(ask.stop):
        raise bad_request(f"stop takes at most {MAX_STOPS} texts, none of them empty")
    if ask.schema:
        try:
            schema = json.loads(ask.schema)
        except ValueError as error:
            raise bad_schema(str(error)) from error
        if not isinstance(schema, dict):
            raise bad_schema("it is not an object")


def check_continuations(rows: Sequence[Continuation]) -> None:
    """Raises `inference.bad_request`."""
    if not 1 <= len(rows) <= MAX_CONTINUATIONS:
        raise bad_request(
            f"{len(rows)} continuations were given, and 1 to {MAX_CONTINUATIONS} can be scored at"
            " once"
        )
    for number, row in enumerate(rows):
        if not row.prompt or not row.completion:
            raise bad_request(
                f"continuation {number} needs at least one token of prompt and one of completion"
            )


def check_version(name: str) -> None:
    """Raises `inference.bad_request` for a name that cannot be a policy version's."""
    if not _VERSION.fullmatch(name):
        raise bad_request(
            f"{name[:140]!r} cannot be a policy version: letters, digits and . _ @ + : -, at"
            " most 128"
        )


def folder_of(uri: str) -> Path:
    """The folder that a path or a file:// address names. Raises
    `inference.bad_request`."""
    parts = urlsplit(uri)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        path = Path(unquote(parts.path))
    elif not parts.scheme and not parts.netloc:
        path = Path(uri)
    else:
        raise bad_request(
            f"weights cannot be read from {uri[:200]!r}", hint="give a folder of the role's machine"
        )
    if not path.is_absolute():
        raise bad_request(f"{uri[:200]!r} is not an absolute path")
    return path


def bad_request(what: str, *, hint: str = "") -> ProofwalkError:
    return invalid("inference.bad_request", what, hint=hint)


def bad_schema(why: str) -> ProofwalkError:
    return invalid("inference.bad_schema", f"the JSON schema cannot be used: {why[:500]}")


def context_exceeded(tokens: int, limit: int) -> ProofwalkError:
    what = f"the question and its answer need {tokens} tokens, and the model holds {limit}"
    details = {"tokens": str(tokens), "limit": str(limit)}
    return invalid("inference.context_exceeded", what, hint="show it less", details=details)


def no_images() -> ProofwalkError:
    return invalid(
        "inference.images_unsupported",
        "this engine's model reads text, and the question has images",
        hint="PROOFWALK_ROLLOUT__MODEL__VISION=false shows none",
    )


def not_offered(engine: str, what: str, *, hint: str = "") -> ProofwalkError:
    return unimplemented("inference.not_offered", f"the {engine} engine has no {what}", hint=hint)


def engine_away(why: str) -> ProofwalkError:
    return unavailable("inference.engine_away", why)


def form_refused(why: str) -> ProofwalkError:
    return ProofwalkError(
        "inference.form_refused",
        why,
        status=Status.UNAVAILABLE,
        hint="ask for free text and say in the prompt what is wanted",
    )


def overloaded(depth: int, retry_after_s: float) -> ProofwalkError:
    error = exhausted(
        "inference.overloaded",
        f"{depth} questions are waiting or being answered, which is the limit",
        hint=f"ask again in {retry_after_s:.1f} s, or raise the limit",
    )
    error.details["retry_after_s"] = f"{retry_after_s:.3f}"
    return error


def no_engine() -> ProofwalkError:
    return conflict(
        "inference.no_engine",
        "no inference engine is configured",
        hint="set PROOFWALK_INFERENCE__ENGINE and what it needs; the literal policy needs no model",
    )


def weights_lost(version: str, why: ProofwalkError) -> ProofwalkError:
    return conflict(
        "inference.weights_lost",
        f"the version {version!r} served before the restart and cannot be loaded: {why.message}",
        hint="bring its folder back and restart, or load another version",
        details={"policy_version": version, "cause": why.code},
    )


def unknown_version(version: str) -> ProofwalkError:
    return not_found(
        "inference.unknown_version",
        f"no version {version!r} was loaded",
        hint="give the uri of its weights",
    )


def weights_not_found(folder: Path) -> ProofwalkError:
    return not_found(
        "inference.weights_not_found",
        f"there is no folder {folder} on the inference role's machine",
    )


def bad_weights(folder: Path, why: str) -> ProofwalkError:
    return invalid("inference.bad_weights", f"the weights in {folder} cannot be used: {why[:500]}")


def digest_mismatch(folder: Path, expected: str, found: str) -> ProofwalkError:
    return invalid(
        "inference.digest_mismatch",
        f"{folder} has the digest {found}, not {expected}",
        hint="was it written to the end, and not changed since?",
        details={"expected": expected, "found": found},
    )


def version_taken(version: str, known: str, given: str) -> ProofwalkError:
    return ProofwalkError(
        "inference.version_taken",
        f"{version!r} names weights with the digest {known}, not {given}",
        status=Status.ALREADY_EXISTS,
        hint="give other weights a name of their own",
        details={"known": known, "given": given},
    )
