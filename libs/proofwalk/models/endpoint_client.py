"""A client of an endpoint in its own dialect: `EndpointClient` answers
`client.ModelClient`.

Where a parameter is refused (HTTP 400, 422) the client goes on without it, and where
the constraint on answers is refused it says `model.form_refused` and offers the next
weaker form. What it has learned it keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import FORM_REFUSED, AnswerForm, Completion, Message
from proofwalk.models.endpoint import REFUSED, Endpoint
from proofwalk.models.endpoint_messages import text_of, wire
from proofwalk.models.endpoint_replies import Reply
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import count_text

_ADAPTATIONS = 6
"""How many parameters one question may have to do without."""


@dataclass(frozen=True, kw_only=True)
class _Dialect:
    """What the endpoint takes, as far as is known."""

    form: AnswerForm
    limit: str = "max_tokens"
    temperature: float | None
    logprobs: bool
    token_ids: bool


class EndpointClient:
    """Answers `client.ModelClient`."""

    def __init__(self, endpoint: Endpoint, settings: ModelSettings, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._name = settings.name
        self._clock = clock
        self._fixed = settings.answers != "auto"
        first = AnswerForm.SCHEMA if settings.answers == "auto" else AnswerForm(settings.answers)
        self._dialect = _Dialect(
            form=first,
            temperature=settings.temperature,
            logprobs=settings.logprobs,
            token_ids=settings.token_ids,
        )

    @property
    def form(self) -> AnswerForm:
        return self._dialect.form

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonObject,
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        """Raises what `client` says, and `model.several` when no model is named and the
        endpoint does not list exactly one.

        `seed` is not sent: not every endpoint takes one, and hardly one keeps to it.
        """
        if not self._name:
            self._name = await only_model(self._endpoint)
        wired = [wire(message) for message in messages]
        for _ in range(_ADAPTATIONS):
            dialect = self._dialect
            started = self._clock.monotonic()
            try:
                answer = await self._endpoint.chat(self._body(wired, dialect, schema, max_tokens))
            except ProofwalkError as error:
                if error.code != REFUSED:
                    raise
                self._adapt(error, dialect)
                continue
            return self._completion(answer, messages, self._clock.monotonic() - started)
        raise unavailable(
            "model.away", f"the model {self._name!r} refuses one parameter after the other"
        )

    def _body(
        self,
        wired: list[dict[str, Any]],
        dialect: _Dialect,
        schema: JsonObject,
        max_tokens: int,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._name, "messages": wired, dialect.limit: max_tokens}
        if dialect.temperature is not None:
            body["temperature"] = dialect.temperature
        if dialect.logprobs:
            body["logprobs"] = True
        if dialect.token_ids:
            body["return_token_ids"] = True
        if dialect.form is AnswerForm.SCHEMA:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "decision", "schema": dict(schema)},
            }
        elif dialect.form is AnswerForm.JSON:
            body["response_format"] = {"type": "json_object"}
        return body

    def _adapt(self, error: ProofwalkError, asked: _Dialect) -> None:
        """Do without what was refused. Raises `error` when nothing is left to do
        without, `model.form_refused` for the constraint."""
        if self._dialect != asked:  # another episode has learned it meanwhile
            if self._dialect.form is not asked.form:
                raise _form_refused(error)
            return
        said = error.details.get("said", "").casefold()
        if asked.limit == "max_tokens" and "max_completion_tokens" in said:
            self._dialect = replace(asked, limit="max_completion_tokens")
        elif asked.temperature is not None and "temperature" in said:
            self._dialect = replace(asked, temperature=None)
        elif asked.logprobs and "logprob" in said:
            self._dialect = replace(asked, logprobs=False)
        elif asked.token_ids and "token_ids" in said:
            self._dialect = replace(asked, token_ids=False)
        else:
            weaker = None if self._fixed else asked.form.weaker
            if weaker is None:
                # It was not the constraint, then.
                self._dialect = asked if self._fixed else replace(asked, form=AnswerForm.SCHEMA)
                raise error
            self._dialect = replace(asked, form=weaker)
            raise _form_refused(error)

    def _completion(self, answer: Reply, messages: Sequence[Message], seconds: float) -> Completion:
        choice, usage = answer.choices[0], answer.usage
        text = text_of(choice.message.content)
        logprobs = choice.logprobs.content if choice.logprobs else None
        details = usage.prompt_tokens_details if usage else None
        return Completion(
            text=text,
            finish_reason=choice.finish_reason or "",
            model=answer.model or self._name,
            tokens_in=(
                usage.prompt_tokens
                if usage
                else sum(count_text(message.text) for message in messages)
            ),
            tokens_out=usage.completion_tokens if usage else count_text(text),
            tokens_cached=(details.cached_tokens or 0) if details else 0,
            counted=usage is not None,
            prompt_token_ids=tuple(answer.prompt_token_ids or ()),
            token_ids=tuple(choice.token_ids or ()),
            logprobs=tuple(token.logprob for token in logprobs or ()),
            seconds=seconds,
        )


def _form_refused(error: ProofwalkError) -> ProofwalkError:
    return ProofwalkError(
        FORM_REFUSED,
        error.message,
        status=Status.UNAVAILABLE,
        hint=error.hint,
        details=error.details,
    )


async def only_model(endpoint: Endpoint) -> str:
    """The name of the one model that an endpoint lists. Raises `model.several`."""
    names = [str(one["id"]) for one in await endpoint.models()]
    if len(names) != 1:
        listed = ", ".join(names[:12]) or "none"
        raise ProofwalkError(
            "model.several",
            f"the endpoint lists {len(names)} models: {listed}",
            status=Status.UNAVAILABLE,
            hint="name the model",
        )
    return names[0]
