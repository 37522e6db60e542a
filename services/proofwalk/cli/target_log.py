"""Learns where a console's record of changes is and what its fields are, from entries
that it has: those of one change that a person has just made, or the newest ones.

The log is read with no mapping at first (`cloud.logs`), and the mapping is found by
the entries' values (`mapping_inference`). What is found is told with an example before
it is taken; `field=path` corrects it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import SecretStr, ValidationError

from proofwalk.cli.target_questions import Answers, Question, resolved
from proofwalk.cloud.field_mapping import EventMapping, at
from proofwalk.cloud.logs.declared import DeclaredLog, open_log
from proofwalk.cloud.logs.http import opened_endpoint
from proofwalk.cloud.logs.options import AuditOptions, HttpSource
from proofwalk.cloud.mapping_inference import (
    Guess,
    NoMapping,
    Place,
    declared,
    guess_mapping,
)
from proofwalk.cloud.record_columns import list_path
from proofwalk.cloud.references import References
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable
from proofwalk.kernel.json_values import JsonObject

NEWEST = "newest"
SAMPLE = 200
"""Most entries that are looked at."""
_WINDOW = timedelta(days=7)
_APPEARS_S = 60
_PAUSE_S = 1.0
_LEAST_BOUND_S = 3
_UNMAPPED = EventMapping.model_validate(
    {"time": "time", "service": {"const": "log"}, "name": {"const": "entry"}}
)
_HEADERS = Question(
    key="log_headers",
    text="A header that the address wants, `Name: value`; nothing to go on",
    proposed="",
    hidden=True,
)
Say = Callable[[str], None]
Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class LearnedLog:
    """What is known of a log."""

    audit: JsonObject
    """`options.audit` of a target file, without headers."""
    headers: Mapping[str, str]
    """As they were answered."""
    external_id: str
    """Whose entries are the account's; empty if the log does not tell accounts
    apart."""


@dataclass(frozen=True, kw_only=True)
class LogInterview:
    """What is asked about one console's log, and with what."""

    answers: Answers
    folder: Path
    """Folder of the target's file."""
    user: str
    """Who is signed in."""
    service: str
    """What events are said to be of, where the log does not say."""
    clock: Clock
    pause: Pause
    say: Say

    async def learn(self) -> LearnedLog | None:
        """Return what was learned; None if there is no log. Raises `target.*`,
        `cloud.*`."""
        place = await self.answers.answer(
            Question(
                key="log",
                text="Where is the record of changes? An http address or a JSON-lines file;"
                " nothing if there is none",
                proposed="",
            )
        )
        if not place:
            self.say("  no log: verdicts will rest on the page alone")
            return None
        headers: Mapping[str, str] = {}
        if place.startswith(("http://", "https://")):
            headers = await self._headers()
            options = await self._over_http(place, self._resolved(headers))
        else:
            options = AuditOptions(jsonl=_whole_path(place), map=_UNMAPPED)
        async with open_log(options, self.folder) as log:
            records, own, waited = await self._entries(log)
        guesses = await self._guesses(records, own, waited)
        return LearnedLog(
            audit={
                **options.model_dump(mode="json", exclude_defaults=True, exclude={"map"}),
                "delivery_bound_s": max(_LEAST_BOUND_S, math.ceil(2 * waited)),
                "map": declared(guesses, service=self.service),
            },
            headers=headers,
            external_id=self._external_id(guesses, records),
        )

    def _resolved(self, headers: Mapping[str, str]) -> Mapping[str, SecretStr]:
        """The target's file has the headers, so a reference's path begins at its
        folder."""
        references = References(environment=os.environ, folder=self.folder)
        return {
            name: SecretStr(resolved(references, _HEADERS, value))
            for name, value in headers.items()
        }

    async def _headers(self) -> Mapping[str, str]:
        lines = await self.answers.answers(_HEADERS)
        pairs = [line.partition(":") for line in lines]
        for name, colon, _ in pairs:
            if not colon or not name.strip():
                raise invalid(
                    "target.bad_header",
                    "a header is not of the form `Name: value`",
                    hint="write, for example, `Authorization: Bearer ${env:LOG_TOKEN}`",
                )
        return {name.strip(): value.strip() for name, _, value in pairs}

    async def _over_http(self, address: str, headers: Mapping[str, SecretStr]) -> AuditOptions:
        parts = urlsplit(address)
        source = HttpSource(
            url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            params=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers=headers,
        )
        now = self.clock.now()
        async with opened_endpoint(source) as endpoint:
            try:
                answer = await endpoint.first_answer("", start=now - _WINDOW, end=now)
            except ProofwalkError as error:
                if error.code == "cloud.denied":
                    error.hint = "answer log_headers with the header that the address wants"
                raise
        items = list_path(answer)
        if items is None:
            keys = ", ".join(map(str, answer)) if isinstance(answer, Mapping) else "no keys"
            raise invalid(
                "target.no_list",
                f"the answer of {source.url} has no list of objects; at its root: {keys[:200]}",
                hint="name the address that lists changes; it may have parameters: ?limit=100",
            )
        self.say(f"  entries are at {items or 'the root'} of the answer")
        http = source.model_copy(update={"items": items})
        return AuditOptions(http=http, map=_UNMAPPED)

    async def _entries(
        self, log: DeclaredLog
    ) -> tuple[Sequence[JsonObject], Sequence[JsonObject], float]:
        """Return entries to look at, those of the change that was made, and after how
        many seconds these were there."""
        before = await self._records(log)
        answer = await self.answers.answer(
            Question(
                key="change",
                text=f"Make one change in the console as {self.user or 'the user'}, then press"
                f" Enter; or write `{NEWEST}` to take what the log has",
                proposed="",
            )
        )
        if answer == NEWEST:
            return before[-SAMPLE:] or await self._refuse_empty(), (), 0.0
        known = {_text(record) for record in before}
        began = self.clock.monotonic()
        while True:
            records = await self._records(log)
            own = [record for record in records if _text(record) not in known]
            waited = self.clock.monotonic() - began
            if own:
                self.say(f"  {len(own)} new entries after {waited:.0f} s")
                return [*own, *before[-SAMPLE:]], own, waited
            if waited > _APPEARS_S:
                raise unavailable(
                    "target.no_change_seen",
                    f"no new entry came within {_APPEARS_S} s",
                    hint=f"is it the right log? Else answer `change: {NEWEST}`",
                )
            await self.pause(_PAUSE_S)

    async def _refuse_empty(self) -> Sequence[JsonObject]:
        raise unavailable(
            "target.log_empty",
            "the log has no entries yet",
            hint="make a change in the console, then begin again",
        )

    async def _records(self, log: DeclaredLog) -> Sequence[JsonObject]:
        now = self.clock.now()
        records = await log.records("", start=now - _WINDOW, end=now + timedelta(days=1))
        return [record for record in records if isinstance(record, dict)]

    async def _guesses(
        self, records: Sequence[JsonObject], own: Sequence[JsonObject], waited: float
    ) -> Mapping[str, Guess]:
        now = self.clock.now()
        recorded = now - timedelta(seconds=waited) if own else None
        try:
            guesses = dict(guess_mapping(records, user=self.user, now=now, recorded=recorded))
        except NoMapping as error:
            raise invalid(
                "target.log_unreadable",
                f"of {len(records)} entries: {error}; the first has"
                f" {', '.join(records[0]) if records else 'nothing'}",
                hint="every entry needs a time and what happened; write options.audit.map by hand",
            ) from None
        for field, guess in guesses.items():
            self.say(f"  {field:<10}  {_place_words(guess)}  ({guess.why})")
        corrections = await self.answers.answers(
            Question(
                key="map",
                text="What is wrong of that, as `field=path`; nothing to go on",
                proposed="",
            )
        )
        for line in corrections:
            field, _, path = line.partition("=")
            guesses[field.strip()] = _corrected(guesses, field.strip(), path.strip())
        return guesses

    def _external_id(self, guesses: Mapping[str, Guess], records: Sequence[JsonObject]) -> str:
        place = guesses["account"].place if "account" in guesses else ""
        if not isinstance(place, str) or not place:
            return ""
        values = [str(at(record, place)) for record in records]
        named = [value for value in values if value.casefold() == self.user.casefold()]
        return (named or values)[0]


def _corrected(guesses: Mapping[str, Guess], field: str, path: str) -> Guess:
    known = guesses[field].place if field in guesses else path
    place: Place = path
    if field == "time" and isinstance(known, Mapping):
        place = {**known, "path": path}  # its format stays
    guess = Guess(place=place, why="as answered")
    try:
        EventMapping.model_validate(declared({**guesses, field: guess}, service="log"))
        if field not in EventMapping.model_fields or not path:
            raise ValueError(field)
    except (ValidationError, ValueError):
        raise invalid(
            "target.bad_map",
            f"{field}={path} is no field of an event and a path",
            hint=f"fields: {', '.join(EventMapping.model_fields)}; a path is dotted: who.name",
        ) from None
    return replace(guess)


def _whole_path(place: str) -> str:
    return str(Path(place).expanduser().absolute())


def _place_words(guess: Guess) -> str:
    if isinstance(guess.place, str):
        return guess.place
    return ", ".join(f"{key} {value}" for key, value in guess.place.items())


def _text(record: JsonObject) -> str:
    return json.dumps(record, sort_keys=True, default=str)
