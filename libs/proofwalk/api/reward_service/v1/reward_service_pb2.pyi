import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from proofwalk.api.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ValidateRuleRequest(_message.Message):
    __slots__ = ("rule_yaml",)
    RULE_YAML_FIELD_NUMBER: _ClassVar[int]
    rule_yaml: str
    def __init__(self, rule_yaml: _Optional[str] = ...) -> None: ...

class ValidateRuleResponse(_message.Message):
    __slots__ = ("rule",)
    RULE_FIELD_NUMBER: _ClassVar[int]
    rule: str
    def __init__(self, rule: _Optional[str] = ...) -> None: ...

class JudgeRequest(_message.Message):
    __slots__ = ("request_id", "lease", "rule_yaml", "start", "end", "outputs", "pauses", "answer", "clock_off_s")
    class OutputsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    RULE_YAML_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    PAUSES_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    CLOCK_OFF_S_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    lease: _common_pb2.LeaseRef
    rule_yaml: str
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    outputs: _containers.ScalarMap[str, str]
    pauses: _containers.RepeatedCompositeFieldContainer[Pause]
    answer: str
    clock_off_s: float
    def __init__(self, request_id: _Optional[str] = ..., lease: _Optional[_Union[_common_pb2.LeaseRef, _Mapping]] = ..., rule_yaml: _Optional[str] = ..., start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., outputs: _Optional[_Mapping[str, str]] = ..., pauses: _Optional[_Iterable[_Union[Pause, _Mapping]]] = ..., answer: _Optional[str] = ..., clock_off_s: _Optional[float] = ...) -> None: ...

class Pause(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    def __init__(self, start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class JudgeResponse(_message.Message):
    __slots__ = ("decision", "reason", "rule", "matched", "missing", "violations", "observed", "polls", "answers", "answered")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_FIELD_NUMBER: _ClassVar[int]
    POLLS_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_FIELD_NUMBER: _ClassVar[int]
    decision: _common_pb2.Decision
    reason: str
    rule: str
    matched: _containers.RepeatedCompositeFieldContainer[_common_pb2.AuditEvent]
    missing: _containers.RepeatedScalarFieldContainer[str]
    violations: _containers.RepeatedCompositeFieldContainer[_common_pb2.AuditEvent]
    observed: _containers.RepeatedCompositeFieldContainer[_common_pb2.AuditEvent]
    polls: int
    answers: _containers.RepeatedCompositeFieldContainer[JudgeAnswer]
    answered: _containers.RepeatedCompositeFieldContainer[_common_pb2.AnsweredField]
    def __init__(self, decision: _Optional[_Union[_common_pb2.Decision, str]] = ..., reason: _Optional[str] = ..., rule: _Optional[str] = ..., matched: _Optional[_Iterable[_Union[_common_pb2.AuditEvent, _Mapping]]] = ..., missing: _Optional[_Iterable[str]] = ..., violations: _Optional[_Iterable[_Union[_common_pb2.AuditEvent, _Mapping]]] = ..., observed: _Optional[_Iterable[_Union[_common_pb2.AuditEvent, _Mapping]]] = ..., polls: _Optional[int] = ..., answers: _Optional[_Iterable[_Union[JudgeAnswer, _Mapping]]] = ..., answered: _Optional[_Iterable[_Union[_common_pb2.AnsweredField, _Mapping]]] = ...) -> None: ...

class JudgeAnswer(_message.Message):
    __slots__ = ("judge", "family", "model", "verdict", "reason", "substeps", "evidence", "calls", "malformed", "tokens_in", "tokens_out", "cost", "currency", "fields")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUBSTEPS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    MALFORMED_FIELD_NUMBER: _ClassVar[int]
    TOKENS_IN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_OUT_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    judge: str
    family: str
    model: str
    verdict: str
    reason: str
    substeps: _containers.RepeatedCompositeFieldContainer[JudgedSubStep]
    evidence: _containers.RepeatedCompositeFieldContainer[_common_pb2.Citation]
    calls: int
    malformed: int
    tokens_in: int
    tokens_out: int
    cost: float
    currency: str
    fields: _containers.RepeatedCompositeFieldContainer[JudgedField]
    def __init__(self, judge: _Optional[str] = ..., family: _Optional[str] = ..., model: _Optional[str] = ..., verdict: _Optional[str] = ..., reason: _Optional[str] = ..., substeps: _Optional[_Iterable[_Union[JudgedSubStep, _Mapping]]] = ..., evidence: _Optional[_Iterable[_Union[_common_pb2.Citation, _Mapping]]] = ..., calls: _Optional[int] = ..., malformed: _Optional[int] = ..., tokens_in: _Optional[int] = ..., tokens_out: _Optional[int] = ..., cost: _Optional[float] = ..., currency: _Optional[str] = ..., fields: _Optional[_Iterable[_Union[JudgedField, _Mapping]]] = ...) -> None: ...

class JudgedField(_message.Message):
    __slots__ = ("name", "right")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    name: str
    right: str
    def __init__(self, name: _Optional[str] = ..., right: _Optional[str] = ...) -> None: ...

class JudgedSubStep(_message.Message):
    __slots__ = ("number", "done")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    number: str
    done: str
    def __init__(self, number: _Optional[str] = ..., done: _Optional[str] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("lease", "start", "end", "pauses")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    PAUSES_FIELD_NUMBER: _ClassVar[int]
    lease: _common_pb2.LeaseRef
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    pauses: _containers.RepeatedCompositeFieldContainer[Pause]
    def __init__(self, lease: _Optional[_Union[_common_pb2.LeaseRef, _Mapping]] = ..., start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., pauses: _Optional[_Iterable[_Union[Pause, _Mapping]]] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_common_pb2.AuditEvent]
    def __init__(self, events: _Optional[_Iterable[_Union[_common_pb2.AuditEvent, _Mapping]]] = ...) -> None: ...

class RescoreRequest(_message.Message):
    __slots__ = ("request_id", "rule_yaml")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RULE_YAML_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    rule_yaml: str
    def __init__(self, request_id: _Optional[str] = ..., rule_yaml: _Optional[str] = ...) -> None: ...

class ListJudgementsRequest(_message.Message):
    __slots__ = ("limit", "page_token")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    limit: int
    page_token: str
    def __init__(self, limit: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListJudgementsResponse(_message.Message):
    __slots__ = ("judgements", "next_page_token")
    JUDGEMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    judgements: _containers.RepeatedCompositeFieldContainer[StoredJudgement]
    next_page_token: str
    def __init__(self, judgements: _Optional[_Iterable[_Union[StoredJudgement, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class StoredJudgement(_message.Message):
    __slots__ = ("request_id", "target", "rule", "decision", "judged_at")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    JUDGED_AT_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    target: str
    rule: str
    decision: _common_pb2.Decision
    judged_at: _timestamp_pb2.Timestamp
    def __init__(self, request_id: _Optional[str] = ..., target: _Optional[str] = ..., rule: _Optional[str] = ..., decision: _Optional[_Union[_common_pb2.Decision, str]] = ..., judged_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class JudgeByModelsRequest(_message.Message):
    __slots__ = ("request_id", "lease", "start", "end", "walk", "pauses", "clock_off_s")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    WALK_FIELD_NUMBER: _ClassVar[int]
    PAUSES_FIELD_NUMBER: _ClassVar[int]
    CLOCK_OFF_S_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    lease: _common_pb2.LeaseRef
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    walk: Walked
    pauses: _containers.RepeatedCompositeFieldContainer[Pause]
    clock_off_s: float
    def __init__(self, request_id: _Optional[str] = ..., lease: _Optional[_Union[_common_pb2.LeaseRef, _Mapping]] = ..., start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., walk: _Optional[_Union[Walked, _Mapping]] = ..., pauses: _Optional[_Iterable[_Union[Pause, _Mapping]]] = ..., clock_off_s: _Optional[float] = ...) -> None: ...

class JudgeFreeTextRequest(_message.Message):
    __slots__ = ("request_id", "walk")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    WALK_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    walk: Walked
    def __init__(self, request_id: _Optional[str] = ..., walk: _Optional[_Union[Walked, _Mapping]] = ...) -> None: ...

class Walked(_message.Message):
    __slots__ = ("title", "console", "prepared", "binds", "substeps", "steps", "page")
    class BindsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TITLE_FIELD_NUMBER: _ClassVar[int]
    CONSOLE_FIELD_NUMBER: _ClassVar[int]
    PREPARED_FIELD_NUMBER: _ClassVar[int]
    BINDS_FIELD_NUMBER: _ClassVar[int]
    SUBSTEPS_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    title: str
    console: str
    prepared: str
    binds: _containers.ScalarMap[str, str]
    substeps: _containers.RepeatedCompositeFieldContainer[WalkedSubStep]
    steps: _containers.RepeatedCompositeFieldContainer[WalkedStep]
    page: FinalPage
    def __init__(self, title: _Optional[str] = ..., console: _Optional[str] = ..., prepared: _Optional[str] = ..., binds: _Optional[_Mapping[str, str]] = ..., substeps: _Optional[_Iterable[_Union[WalkedSubStep, _Mapping]]] = ..., steps: _Optional[_Iterable[_Union[WalkedStep, _Mapping]]] = ..., page: _Optional[_Union[FinalPage, _Mapping]] = ...) -> None: ...

class WalkedSubStep(_message.Message):
    __slots__ = ("number", "text", "optional")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OPTIONAL_FIELD_NUMBER: _ClassVar[int]
    number: str
    text: str
    optional: bool
    def __init__(self, number: _Optional[str] = ..., text: _Optional[str] = ..., optional: _Optional[bool] = ...) -> None: ...

class WalkedStep(_message.Message):
    __slots__ = ("number", "substep", "action", "element", "result", "ok")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SUBSTEP_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    OK_FIELD_NUMBER: _ClassVar[int]
    number: int
    substep: str
    action: str
    element: str
    result: str
    ok: bool
    def __init__(self, number: _Optional[int] = ..., substep: _Optional[str] = ..., action: _Optional[str] = ..., element: _Optional[str] = ..., result: _Optional[str] = ..., ok: _Optional[bool] = ...) -> None: ...

class FinalPage(_message.Message):
    __slots__ = ("text", "screenshot", "width", "height")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SCREENSHOT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    text: str
    screenshot: bytes
    width: int
    height: int
    def __init__(self, text: _Optional[str] = ..., screenshot: _Optional[bytes] = ..., width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...
