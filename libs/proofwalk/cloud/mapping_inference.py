"""Finds where the fields of an event are in the records of a log that nobody described.
Pure.

Values decide, and names among what the values leave open: a time is what reads as
plausible moments in every record, an id is another one in every record, the actor is
where the signed-in user's name stands, an outcome is a status of HTTP, a truth value or
a word for success. What is found is a proposal for a person: each `Guess` says why, and
is written as `options.audit.map` of a target file has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from proofwalk.cloud.record_columns import Column, columns, objects
from proofwalk.cloud.time_formats import time_format, utc_offset
from proofwalk.kernel.json_values import JsonObject, JsonValue

ENOUGH = 0.9
"""Least share of the records that have a time and a name: an odd one hides no field."""
TIMES = ("time", "timestamp", "when", "eventtime", "createdat", "created", "datetime", "date", "ts")
IDS = ("id", "uid", "uuid", "eventid", "recordid", "guid", "logid", "requestid")
NAMES = (
    *("eventname", "operation", "action", "event", "activity", "what", "verb", "type"),
    *("eventtype", "actiontype", "name", "command", "method", "kind", "message"),
)
SERVICES = (
    *("service", "servicename", "product", "area", "module", "component", "eventsource"),
    *(
        "resourcetype",
        "changedobjecttype",
        "targettype",
        "objecttype",
        "contenttype",
        "model",
        "entity",
        "category",
        "source",
    ),
)
ACTORS = (
    *("actor", "username", "user", "who", "createdby", "login", "principal", "by", "author"),
    *("useridentity", "email", "subject", "performedby", "initiator", "account", "owner"),
)
REQUESTS = (
    *("request", "requestparameters", "parameters", "params", "payload", "body", "data"),
    *("after", "newvalue", "objectdata", "changes", "details", "attributes", "arguments"),
)
RESPONSES = ("response", "responseelements", "result", "answer", "before", "predata", "oldvalue")
WRITES = ("write", "iswrite", "mutation", "mutating", "changed")
READS = ("readonly", "isreadonly")
SUCCESSES = ("ok", "success", "succeeded", "successful", "issuccess")
STATUSES = ("status", "statuscode", "httpstatus", "httpstatuscode", "responsecode", "outcome")
ERRORS = ("errorcode", "error", "failurereason", "errormessage")
FINE = frozenset({"success", "succeeded", "successful", "ok", "completed", "done", "allowed"})
VERBS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
CHANGING = ["DELETE", "PATCH", "POST", "PUT"]
_ORDER = (
    *("id", "time", "service", "name", "write", "ok", "error_code", "actor"),
    *("request", "response", "account"),
)
_OF_A_CHOICE = ("value", "code", "key", "name", "label")
"""Keys under which one of a set is told: `action: {value: create, label: Created}`."""
_NAME = re.compile(r"[^\W\d][\w.:/\- ]{0,79}")


Place = str | JsonObject
"""A path, or what `field_mapping` has instead of one."""


class NoMapping(ValueError):
    """Records in which a field that every event has is not to be seen."""


@dataclass(frozen=True, kw_only=True)
class Guess:
    """Where a field is, as a target file says it, and why."""

    place: Place
    why: str


def guess_mapping(
    records: Sequence[JsonObject], *, user: str, now: datetime, recorded: datetime | None = None
) -> Mapping[str, Guess]:
    """Return the fields of an event that are seen in the records, by name. `user` is
    who was signed in; `recorded` is about when the first record was written, if that is
    known. Raises `NoMapping` where there is no time, or nothing that names what
    happened."""
    if not records:
        raise NoMapping("there are no entries to look at")
    plain = columns(records)
    time, written = _time(plain, now)
    others = [one for one in plain if one.path != time.path and not time_format(one.values, now)]
    guesses = {"time": _time_guess(time, written, recorded)}
    if (identity := _identity(others, len(records))) is not None:
        guesses["id"] = Guess(place=identity.path, why="another one in every entry")
    actor = _actor(others, user)
    if actor is not None:
        guesses["actor"] = Guess(place=actor.path, why=f"it says {user}, who was signed in")
        if actor.share == 1.0:
            guesses["account"] = Guess(place=actor.path, why="entries of others are left out")
    taken = {time.path, *(one.path for one in (identity, actor) if one is not None)}
    bodies = dict(_bodies(objects(records)))
    inside = tuple(f"{guess.place}." for guess in bodies.values())
    words = [
        one
        for one in others
        if one.path not in taken and _is_words(one) and not one.path.startswith(inside)
    ]
    name = _name(words)
    guesses["name"] = Guess(place=name.path, why=f"such as {name.values[0]}")
    service = _called([one for one in words if one.path != name.path], SERVICES)
    if service is not None:
        guesses["service"] = Guess(place=service.path, why=f"such as {service.values[0]}")
    guesses.update(bodies)
    guesses.update(_outcomes([one for one in others if one.path not in taken]))
    return guesses


def declared(guesses: Mapping[str, Guess], *, service: str) -> JsonObject:
    """Return `options.audit.map` of a target file. `service` is said of every event if
    the records do not name one."""
    places = {field: guess.place for field, guess in guesses.items()}
    return {field: places[field] for field in _ORDER if field in places} | (
        {} if "service" in places else {"service": {"const": service}}
    )


def _time(plain: Sequence[Column], now: datetime) -> tuple[Column, str]:
    moments = [
        (one, written)
        for one in plain
        if one.share >= ENOUGH and (written := time_format(one.values, now))
    ]
    if not moments:
        raise NoMapping("no field of the entries reads as a time in all of them")
    return min(moments, key=lambda moment: (moment[0].rank(TIMES), moment[0].depth))


def _time_guess(time: Column, written: str, recorded: datetime | None) -> Guess:
    offset = utc_offset(time.values[0], written, recorded) if recorded is not None else ""
    place: dict[str, JsonValue] = {"path": time.path}
    if written != "iso":
        place["format"] = written
    if offset:
        place["utc_offset"] = offset
    why = f"a time in every entry, {written}{f', {offset} of UTC' if offset else ''}"
    return Guess(place=place, why=why)


def _identity(plain: Sequence[Column], number: int) -> Column | None:
    """Return a column with another value in every record."""
    several = [
        one
        for one in plain
        if one.share == 1.0
        and len({str(value) for value in one.values}) == number
        and not any(isinstance(value, float | bool) for value in one.values)
        and (one.depth == 1 or one.names[0] in IDS)
    ]
    named = [one for one in several if one.names[0] in IDS]
    return min(named, key=lambda one: (one.depth, one.rank(IDS)), default=None)


def _actor(plain: Sequence[Column], user: str) -> Column | None:
    """Return the column in which the user's name stands most often."""
    names = {user.casefold()} if user else set()

    def times(one: Column) -> int:
        return sum(str(value).casefold() in names for value in one.values)

    seen = [one for one in plain if times(one)]
    return min(seen, key=lambda one: (one.rank(ACTORS), -times(one), one.depth), default=None)


def _name(words: Sequence[Column]) -> Column:
    frequent = [one for one in words if one.share >= ENOUGH]
    called = _called(frequent, NAMES)
    if called is not None:
        return called
    if not frequent:
        raise NoMapping("no field of the entries names what happened in all of them")
    return max(frequent, key=lambda one: (len(set(map(str, one.values))), -one.depth))


def _called(plain: Sequence[Column], words: Sequence[str]) -> Column | None:
    """Return the column that is called by the first of these words; a shallow one
    first."""
    called = [(one, name) for one in plain if (name := _own_name(one)) in words]
    chosen = min(
        called,
        key=lambda pair: (pair[0].depth, words.index(pair[1]), pair[0].rank(_OF_A_CHOICE)),
        default=None,
    )
    return chosen[0] if chosen else None


def _own_name(one: Column) -> str:
    """What a column is called: by the key before, where its own one is any choice's."""
    own, _, *before = one.names
    return before[0] if before and own in _OF_A_CHOICE and before[0] else own


def _is_words(one: Column) -> bool:
    return all(isinstance(value, str) and _NAME.fullmatch(value) for value in one.values)


def _bodies(bodies: Sequence[Column]) -> Iterator[tuple[str, Guess]]:
    for field, words in (("request", REQUESTS), ("response", RESPONSES)):
        body = _called(bodies, words)
        if body is not None:
            yield field, Guess(place=body.path, why="an object of that name")


def _outcomes(plain: Sequence[Column]) -> Iterator[tuple[str, Guess]]:
    """Yield what says whether something was changed, and whether it worked."""
    flags = [one for one in plain if all(isinstance(value, bool) for value in one.values)]
    if (write := _called(flags, WRITES)) is not None:
        yield "write", Guess(place={"path": write.path, "eq": True}, why="true for a change")
    elif (read := _called(flags, READS)) is not None:
        yield "write", Guess(place={"path": read.path, "eq": False}, why="false for a change")
    elif (verb := next((one for one in plain if set(one.values) <= VERBS), None)) is not None:
        yield "write", Guess(place={"path": verb.path, "in": CHANGING}, why="HTTP's verbs")
    error = _called(plain, ERRORS)
    if (success := _called(flags, SUCCESSES)) is not None:
        yield "ok", Guess(place={"path": success.path, "eq": True}, why="true for success")
    elif (status := _status(plain)) is not None:
        yield "ok", status
    elif error is not None and error.share < 1.0:
        yield "ok", Guess(place={"path": error.path, "absent": True}, why="no error is success")
    if error is not None:
        yield "error_code", Guess(place=error.path, why="an error's field")


def _status(plain: Sequence[Column]) -> Guess | None:
    for one in plain:
        values = set(one.values)
        if one.names[0] not in STATUSES:
            continue
        if all(isinstance(value, int) and 100 <= value < 600 for value in values):
            fine = {value for value in values if isinstance(value, int) and value < 400}
            return Guess(
                place={"path": one.path, "in": sorted(fine | {200, 201, 202, 204})},
                why="a status of HTTP",
            )
        words = sorted(str(value) for value in values if str(value).lower() in FINE)
        if words:
            return Guess(place={"path": one.path, "in": words}, why="a word for success")
    return None
