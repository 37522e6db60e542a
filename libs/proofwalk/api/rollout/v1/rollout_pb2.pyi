import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from proofwalk.api.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Caller(_message.Message):
    __slots__ = ("principal", "operator")
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    principal: str
    operator: bool
    def __init__(self, principal: _Optional[str] = ..., operator: _Optional[bool] = ...) -> None: ...

class DocumentSource(_message.Message):
    __slots__ = ("url", "content", "name", "media_type")
    URL_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    url: str
    content: bytes
    name: str
    media_type: str
    def __init__(self, url: _Optional[str] = ..., content: _Optional[bytes] = ..., name: _Optional[str] = ..., media_type: _Optional[str] = ...) -> None: ...

class CreateVerificationRequest(_message.Message):
    __slots__ = ("verification_id", "document", "procedure_id", "target", "policy", "attempts", "meta_yaml", "meta_id", "rule_yaml", "region", "principal", "script_yaml", "scenario", "trace", "accept", "max_unfinished", "purpose", "role", "max_price_per_hour", "max_price_at_once", "resources_ttl_s", "site", "account_purpose")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    PROCEDURE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    META_YAML_FIELD_NUMBER: _ClassVar[int]
    META_ID_FIELD_NUMBER: _ClassVar[int]
    RULE_YAML_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    SCRIPT_YAML_FIELD_NUMBER: _ClassVar[int]
    SCENARIO_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    MAX_UNFINISHED_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    MAX_PRICE_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    MAX_PRICE_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_TTL_S_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_PURPOSE_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    document: DocumentSource
    procedure_id: str
    target: str
    policy: str
    attempts: int
    meta_yaml: str
    meta_id: str
    rule_yaml: str
    region: str
    principal: str
    script_yaml: str
    scenario: str
    trace: bool
    accept: _common_pb2.Evidence
    max_unfinished: int
    purpose: str
    role: str
    max_price_per_hour: float
    max_price_at_once: float
    resources_ttl_s: int
    site: str
    account_purpose: str
    def __init__(self, verification_id: _Optional[str] = ..., document: _Optional[_Union[DocumentSource, _Mapping]] = ..., procedure_id: _Optional[str] = ..., target: _Optional[str] = ..., policy: _Optional[str] = ..., attempts: _Optional[int] = ..., meta_yaml: _Optional[str] = ..., meta_id: _Optional[str] = ..., rule_yaml: _Optional[str] = ..., region: _Optional[str] = ..., principal: _Optional[str] = ..., script_yaml: _Optional[str] = ..., scenario: _Optional[str] = ..., trace: _Optional[bool] = ..., accept: _Optional[_Union[_common_pb2.Evidence, str]] = ..., max_unfinished: _Optional[int] = ..., purpose: _Optional[str] = ..., role: _Optional[str] = ..., max_price_per_hour: _Optional[float] = ..., max_price_at_once: _Optional[float] = ..., resources_ttl_s: _Optional[int] = ..., site: _Optional[str] = ..., account_purpose: _Optional[str] = ...) -> None: ...

class CreateVerificationResponse(_message.Message):
    __slots__ = ("verification",)
    VERIFICATION_FIELD_NUMBER: _ClassVar[int]
    verification: Verification
    def __init__(self, verification: _Optional[_Union[Verification, _Mapping]] = ...) -> None: ...

class Verification(_message.Message):
    __slots__ = ("verification_id", "state", "document", "title", "procedure_id", "target", "policy", "attempts", "created_at", "finished_at", "progress", "verdict", "episodes", "principal", "scenario", "group_id", "accept", "signed_in_as", "kept_meta")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    PROCEDURE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    SCENARIO_FIELD_NUMBER: _ClassVar[int]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    SIGNED_IN_AS_FIELD_NUMBER: _ClassVar[int]
    KEPT_META_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    state: str
    document: str
    title: str
    procedure_id: str
    target: str
    policy: str
    attempts: int
    created_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    progress: Progress
    verdict: Verdict
    episodes: _containers.RepeatedCompositeFieldContainer[Episode]
    principal: str
    scenario: str
    group_id: str
    accept: _common_pb2.Evidence
    signed_in_as: SignedInAs
    kept_meta: str
    def __init__(self, verification_id: _Optional[str] = ..., state: _Optional[str] = ..., document: _Optional[str] = ..., title: _Optional[str] = ..., procedure_id: _Optional[str] = ..., target: _Optional[str] = ..., policy: _Optional[str] = ..., attempts: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., episodes: _Optional[_Iterable[_Union[Episode, _Mapping]]] = ..., principal: _Optional[str] = ..., scenario: _Optional[str] = ..., group_id: _Optional[str] = ..., accept: _Optional[_Union[_common_pb2.Evidence, str]] = ..., signed_in_as: _Optional[_Union[SignedInAs, _Mapping]] = ..., kept_meta: _Optional[str] = ...) -> None: ...

class SignedInAs(_message.Message):
    __slots__ = ("role", "asked_by", "why", "code")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    ASKED_BY_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    role: str
    asked_by: str
    why: str
    code: str
    def __init__(self, role: _Optional[str] = ..., asked_by: _Optional[str] = ..., why: _Optional[str] = ..., code: _Optional[str] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("done", "total", "message")
    DONE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    done: int
    total: int
    message: str
    def __init__(self, done: _Optional[int] = ..., total: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ("outcome", "cause", "code", "reason", "blame", "evidence", "finding", "audit_events", "substeps", "seconds", "cost", "judges", "goal", "sightings", "second_sighting_seconds", "noted", "answer", "answered")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    BLAME_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    FINDING_FIELD_NUMBER: _ClassVar[int]
    AUDIT_EVENTS_FIELD_NUMBER: _ClassVar[int]
    SUBSTEPS_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    JUDGES_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    SIGHTINGS_FIELD_NUMBER: _ClassVar[int]
    SECOND_SIGHTING_SECONDS_FIELD_NUMBER: _ClassVar[int]
    NOTED_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    cause: _common_pb2.EnvironmentCause
    code: str
    reason: str
    blame: _common_pb2.Blame
    evidence: _common_pb2.Evidence
    finding: _common_pb2.Finding
    audit_events: _containers.RepeatedScalarFieldContainer[str]
    substeps: _containers.RepeatedCompositeFieldContainer[SubStepResult]
    seconds: float
    cost: float
    judges: _containers.RepeatedCompositeFieldContainer[Judge]
    goal: _common_pb2.Goal
    sightings: _containers.RepeatedCompositeFieldContainer[FindingSighting]
    second_sighting_seconds: float
    noted: _containers.RepeatedCompositeFieldContainer[_common_pb2.Finding]
    answer: str
    answered: _containers.RepeatedCompositeFieldContainer[_common_pb2.AnsweredField]
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ..., cause: _Optional[_Union[_common_pb2.EnvironmentCause, str]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., blame: _Optional[_Union[_common_pb2.Blame, str]] = ..., evidence: _Optional[_Union[_common_pb2.Evidence, str]] = ..., finding: _Optional[_Union[_common_pb2.Finding, _Mapping]] = ..., audit_events: _Optional[_Iterable[str]] = ..., substeps: _Optional[_Iterable[_Union[SubStepResult, _Mapping]]] = ..., seconds: _Optional[float] = ..., cost: _Optional[float] = ..., judges: _Optional[_Iterable[_Union[Judge, _Mapping]]] = ..., goal: _Optional[_Union[_common_pb2.Goal, str]] = ..., sightings: _Optional[_Iterable[_Union[FindingSighting, _Mapping]]] = ..., second_sighting_seconds: _Optional[float] = ..., noted: _Optional[_Iterable[_Union[_common_pb2.Finding, _Mapping]]] = ..., answer: _Optional[str] = ..., answered: _Optional[_Iterable[_Union[_common_pb2.AnsweredField, _Mapping]]] = ...) -> None: ...

class FindingSighting(_message.Message):
    __slots__ = ("episode", "outcome", "code", "reason", "goal", "finding", "seconds")
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    FINDING_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    episode: int
    outcome: _common_pb2.Outcome
    code: str
    reason: str
    goal: _common_pb2.Goal
    finding: _common_pb2.Finding
    seconds: float
    def __init__(self, episode: _Optional[int] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., goal: _Optional[_Union[_common_pb2.Goal, str]] = ..., finding: _Optional[_Union[_common_pb2.Finding, _Mapping]] = ..., seconds: _Optional[float] = ...) -> None: ...

class Judge(_message.Message):
    __slots__ = ("judge", "family", "model", "verdict", "reason", "evidence", "tokens_in", "tokens_out", "cost", "currency")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_IN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_OUT_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    judge: str
    family: str
    model: str
    verdict: str
    reason: str
    evidence: _containers.RepeatedCompositeFieldContainer[_common_pb2.Citation]
    tokens_in: int
    tokens_out: int
    cost: float
    currency: str
    def __init__(self, judge: _Optional[str] = ..., family: _Optional[str] = ..., model: _Optional[str] = ..., verdict: _Optional[str] = ..., reason: _Optional[str] = ..., evidence: _Optional[_Iterable[_Union[_common_pb2.Citation, _Mapping]]] = ..., tokens_in: _Optional[int] = ..., tokens_out: _Optional[int] = ..., cost: _Optional[float] = ..., currency: _Optional[str] = ...) -> None: ...

class SubStepResult(_message.Message):
    __slots__ = ("number", "text", "line", "status", "reason", "steps", "audit_events", "unplaced", "sightings", "reading")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    AUDIT_EVENTS_FIELD_NUMBER: _ClassVar[int]
    UNPLACED_FIELD_NUMBER: _ClassVar[int]
    SIGHTINGS_FIELD_NUMBER: _ClassVar[int]
    READING_FIELD_NUMBER: _ClassVar[int]
    number: str
    text: str
    line: int
    status: _common_pb2.SubStepStatus
    reason: str
    steps: int
    audit_events: _containers.RepeatedScalarFieldContainer[str]
    unplaced: _containers.RepeatedScalarFieldContainer[str]
    sightings: _containers.RepeatedCompositeFieldContainer[Sighting]
    reading: SubStepReading
    def __init__(self, number: _Optional[str] = ..., text: _Optional[str] = ..., line: _Optional[int] = ..., status: _Optional[_Union[_common_pb2.SubStepStatus, str]] = ..., reason: _Optional[str] = ..., steps: _Optional[int] = ..., audit_events: _Optional[_Iterable[str]] = ..., unplaced: _Optional[_Iterable[str]] = ..., sightings: _Optional[_Iterable[_Union[Sighting, _Mapping]]] = ..., reading: _Optional[_Union[SubStepReading, _Mapping]] = ...) -> None: ...

class Expectation(_message.Message):
    __slots__ = ("kind", "text", "subject", "said_by", "line", "sentence")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    SAID_BY_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    text: str
    subject: str
    said_by: str
    line: int
    sentence: str
    def __init__(self, kind: _Optional[str] = ..., text: _Optional[str] = ..., subject: _Optional[str] = ..., said_by: _Optional[str] = ..., line: _Optional[int] = ..., sentence: _Optional[str] = ...) -> None: ...

class Sighting(_message.Message):
    __slots__ = ("expectation", "seen", "step", "grounded", "fresh", "after_last_act")
    EXPECTATION_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    GROUNDED_FIELD_NUMBER: _ClassVar[int]
    FRESH_FIELD_NUMBER: _ClassVar[int]
    AFTER_LAST_ACT_FIELD_NUMBER: _ClassVar[int]
    expectation: Expectation
    seen: str
    step: int
    grounded: bool
    fresh: bool
    after_last_act: bool
    def __init__(self, expectation: _Optional[_Union[Expectation, _Mapping]] = ..., seen: _Optional[str] = ..., step: _Optional[int] = ..., grounded: _Optional[bool] = ..., fresh: _Optional[bool] = ..., after_last_act: _Optional[bool] = ...) -> None: ...

class SubStepReading(_message.Message):
    __slots__ = ("acts", "not_understood")
    ACTS_FIELD_NUMBER: _ClassVar[int]
    NOT_UNDERSTOOD_FIELD_NUMBER: _ClassVar[int]
    acts: _containers.RepeatedCompositeFieldContainer[ReadAct]
    not_understood: _containers.RepeatedCompositeFieldContainer[Span]
    def __init__(self, acts: _Optional[_Iterable[_Union[ReadAct, _Mapping]]] = ..., not_understood: _Optional[_Iterable[_Union[Span, _Mapping]]] = ...) -> None: ...

class ReadAct(_message.Message):
    __slots__ = ("asked", "executed", "waived")
    ASKED_FIELD_NUMBER: _ClassVar[int]
    EXECUTED_FIELD_NUMBER: _ClassVar[int]
    WAIVED_FIELD_NUMBER: _ClassVar[int]
    asked: str
    executed: str
    waived: str
    def __init__(self, asked: _Optional[str] = ..., executed: _Optional[str] = ..., waived: _Optional[str] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("file", "line", "text")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    text: str
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Episode(_message.Message):
    __slots__ = ("episode_id", "number", "phase", "outcome", "cause", "reason", "steps", "started_at", "finished_at", "trace_id")
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    number: int
    phase: str
    outcome: _common_pb2.Outcome
    cause: _common_pb2.EnvironmentCause
    reason: str
    steps: int
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    trace_id: str
    def __init__(self, episode_id: _Optional[str] = ..., number: _Optional[int] = ..., phase: _Optional[str] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ..., cause: _Optional[_Union[_common_pb2.EnvironmentCause, str]] = ..., reason: _Optional[str] = ..., steps: _Optional[int] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., trace_id: _Optional[str] = ...) -> None: ...

class GetVerificationRequest(_message.Message):
    __slots__ = ("verification_id", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class GetVerificationResponse(_message.Message):
    __slots__ = ("verification",)
    VERIFICATION_FIELD_NUMBER: _ClassVar[int]
    verification: Verification
    def __init__(self, verification: _Optional[_Union[Verification, _Mapping]] = ...) -> None: ...

class ListVerificationsRequest(_message.Message):
    __slots__ = ("limit", "page_token", "principal", "group_id", "state", "outcome", "target", "with_members", "caller")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    WITH_MEMBERS_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    page_token: str
    principal: str
    group_id: str
    state: str
    outcome: _common_pb2.Outcome
    target: str
    with_members: bool
    caller: Caller
    def __init__(self, limit: _Optional[int] = ..., page_token: _Optional[str] = ..., principal: _Optional[str] = ..., group_id: _Optional[str] = ..., state: _Optional[str] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ..., target: _Optional[str] = ..., with_members: _Optional[bool] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class ListVerificationsResponse(_message.Message):
    __slots__ = ("verifications", "next_page_token")
    VERIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    verifications: _containers.RepeatedCompositeFieldContainer[Verification]
    next_page_token: str
    def __init__(self, verifications: _Optional[_Iterable[_Union[Verification, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SummariseVerificationsRequest(_message.Message):
    __slots__ = ("days", "caller")
    DAYS_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    days: int
    caller: Caller
    def __init__(self, days: _Optional[int] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class SummariseVerificationsResponse(_message.Message):
    __slots__ = ("queued", "running", "cancelling", "verdicts", "documents")
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    CANCELLING_FIELD_NUMBER: _ClassVar[int]
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    queued: int
    running: int
    cancelling: int
    verdicts: _containers.RepeatedCompositeFieldContainer[VerdictCount]
    documents: _containers.RepeatedCompositeFieldContainer[DocumentDrift]
    def __init__(self, queued: _Optional[int] = ..., running: _Optional[int] = ..., cancelling: _Optional[int] = ..., verdicts: _Optional[_Iterable[_Union[VerdictCount, _Mapping]]] = ..., documents: _Optional[_Iterable[_Union[DocumentDrift, _Mapping]]] = ...) -> None: ...

class VerdictCount(_message.Message):
    __slots__ = ("day", "outcome", "count")
    DAY_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    day: str
    outcome: _common_pb2.Outcome
    count: int
    def __init__(self, day: _Optional[str] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ..., count: _Optional[int] = ...) -> None: ...

class DocumentDrift(_message.Message):
    __slots__ = ("document", "verdicts", "defects", "last_finished_at")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    DEFECTS_FIELD_NUMBER: _ClassVar[int]
    LAST_FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    document: str
    verdicts: int
    defects: int
    last_finished_at: _timestamp_pb2.Timestamp
    def __init__(self, document: _Optional[str] = ..., verdicts: _Optional[int] = ..., defects: _Optional[int] = ..., last_finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CancelVerificationRequest(_message.Message):
    __slots__ = ("verification_id", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class CancelVerificationResponse(_message.Message):
    __slots__ = ("verification",)
    VERIFICATION_FIELD_NUMBER: _ClassVar[int]
    verification: Verification
    def __init__(self, verification: _Optional[_Union[Verification, _Mapping]] = ...) -> None: ...

class WatchEventsRequest(_message.Message):
    __slots__ = ("verification_id", "after", "stored_only", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    STORED_ONLY_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    after: int
    stored_only: bool
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., after: _Optional[int] = ..., stored_only: _Optional[bool] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("sequence", "type", "time", "episode_id", "data_json")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_JSON_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    type: str
    time: _timestamp_pb2.Timestamp
    episode_id: str
    data_json: str
    def __init__(self, sequence: _Optional[int] = ..., type: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., episode_id: _Optional[str] = ..., data_json: _Optional[str] = ...) -> None: ...

class GetReportRequest(_message.Message):
    __slots__ = ("verification_id", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class GetScriptRequest(_message.Message):
    __slots__ = ("verification_id", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class GetScriptResponse(_message.Message):
    __slots__ = ("script_json", "sign_in_json")
    SCRIPT_JSON_FIELD_NUMBER: _ClassVar[int]
    SIGN_IN_JSON_FIELD_NUMBER: _ClassVar[int]
    script_json: str
    sign_in_json: str
    def __init__(self, script_json: _Optional[str] = ..., sign_in_json: _Optional[str] = ...) -> None: ...

class GetArtefactRequest(_message.Message):
    __slots__ = ("verification_id", "kind", "episode", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    kind: str
    episode: int
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., kind: _Optional[str] = ..., episode: _Optional[int] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class ReportChunk(_message.Message):
    __slots__ = ("data",)
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    def __init__(self, data: _Optional[bytes] = ...) -> None: ...

class ListStepsRequest(_message.Message):
    __slots__ = ("verification_id", "episode", "after", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    episode: int
    after: int
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., episode: _Optional[int] = ..., after: _Optional[int] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class ListStepsResponse(_message.Message):
    __slots__ = ("episode", "steps", "more", "open")
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    episode: int
    steps: _containers.RepeatedCompositeFieldContainer[Step]
    more: bool
    open: bool
    def __init__(self, episode: _Optional[int] = ..., steps: _Optional[_Iterable[_Union[Step, _Mapping]]] = ..., more: _Optional[bool] = ..., open: _Optional[bool] = ...) -> None: ...

class Step(_message.Message):
    __slots__ = ("number", "substep", "thought", "action_json", "result", "ok", "url", "picture", "started_at", "ended_at")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SUBSTEP_FIELD_NUMBER: _ClassVar[int]
    THOUGHT_FIELD_NUMBER: _ClassVar[int]
    ACTION_JSON_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    OK_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    PICTURE_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    number: int
    substep: str
    thought: str
    action_json: str
    result: str
    ok: bool
    url: str
    picture: str
    started_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    def __init__(self, number: _Optional[int] = ..., substep: _Optional[str] = ..., thought: _Optional[str] = ..., action_json: _Optional[str] = ..., result: _Optional[str] = ..., ok: _Optional[bool] = ..., url: _Optional[str] = ..., picture: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetPictureRequest(_message.Message):
    __slots__ = ("verification_id", "address", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    address: str
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., address: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class GetDocumentRequest(_message.Message):
    __slots__ = ("verification_id", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class GetDocumentResponse(_message.Message):
    __slots__ = ("name", "media_type", "text", "size", "substeps")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SUBSTEPS_FIELD_NUMBER: _ClassVar[int]
    name: str
    media_type: str
    text: str
    size: int
    substeps: _containers.RepeatedCompositeFieldContainer[DocumentSubStep]
    def __init__(self, name: _Optional[str] = ..., media_type: _Optional[str] = ..., text: _Optional[str] = ..., size: _Optional[int] = ..., substeps: _Optional[_Iterable[_Union[DocumentSubStep, _Mapping]]] = ...) -> None: ...

class DocumentSubStep(_message.Message):
    __slots__ = ("number", "text", "line")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    number: str
    text: str
    line: int
    def __init__(self, number: _Optional[str] = ..., text: _Optional[str] = ..., line: _Optional[int] = ...) -> None: ...

class GetEvidenceRequest(_message.Message):
    __slots__ = ("verification_id", "episode", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    episode: int
    caller: Caller
    def __init__(self, verification_id: _Optional[str] = ..., episode: _Optional[int] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class GetEvidenceResponse(_message.Message):
    __slots__ = ("episode", "events", "missing", "provisions", "phases", "cost")
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    PROVISIONS_FIELD_NUMBER: _ClassVar[int]
    PHASES_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    episode: int
    events: _containers.RepeatedCompositeFieldContainer[WindowEvent]
    missing: _containers.RepeatedScalarFieldContainer[str]
    provisions: _containers.RepeatedCompositeFieldContainer[Provision]
    phases: _containers.RepeatedCompositeFieldContainer[PhaseTime]
    cost: float
    def __init__(self, episode: _Optional[int] = ..., events: _Optional[_Iterable[_Union[WindowEvent, _Mapping]]] = ..., missing: _Optional[_Iterable[str]] = ..., provisions: _Optional[_Iterable[_Union[Provision, _Mapping]]] = ..., phases: _Optional[_Iterable[_Union[PhaseTime, _Mapping]]] = ..., cost: _Optional[float] = ...) -> None: ...

class WindowEvent(_message.Message):
    __slots__ = ("event", "matched", "forbidden")
    EVENT_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    FORBIDDEN_FIELD_NUMBER: _ClassVar[int]
    event: _common_pb2.AuditEvent
    matched: bool
    forbidden: bool
    def __init__(self, event: _Optional[_Union[_common_pb2.AuditEvent, _Mapping]] = ..., matched: _Optional[bool] = ..., forbidden: _Optional[bool] = ...) -> None: ...

class Provision(_message.Message):
    __slots__ = ("meta", "text", "resources", "on_demand")
    META_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    ON_DEMAND_FIELD_NUMBER: _ClassVar[int]
    meta: str
    text: str
    resources: _containers.RepeatedScalarFieldContainer[str]
    on_demand: bool
    def __init__(self, meta: _Optional[str] = ..., text: _Optional[str] = ..., resources: _Optional[_Iterable[str]] = ..., on_demand: _Optional[bool] = ...) -> None: ...

class PhaseTime(_message.Message):
    __slots__ = ("phase", "seconds")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    phase: str
    seconds: float
    def __init__(self, phase: _Optional[str] = ..., seconds: _Optional[float] = ...) -> None: ...

class ListTargetsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListTargetsResponse(_message.Message):
    __slots__ = ("targets",)
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedCompositeFieldContainer[Target]
    def __init__(self, targets: _Optional[_Iterable[_Union[Target, _Mapping]]] = ...) -> None: ...

class Target(_message.Message):
    __slots__ = ("id", "title", "console_url", "adapter", "has_audit_log", "has_provisioning", "has_scenarios")
    ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    CONSOLE_URL_FIELD_NUMBER: _ClassVar[int]
    ADAPTER_FIELD_NUMBER: _ClassVar[int]
    HAS_AUDIT_LOG_FIELD_NUMBER: _ClassVar[int]
    HAS_PROVISIONING_FIELD_NUMBER: _ClassVar[int]
    HAS_SCENARIOS_FIELD_NUMBER: _ClassVar[int]
    id: str
    title: str
    console_url: str
    adapter: str
    has_audit_log: bool
    has_provisioning: bool
    has_scenarios: bool
    def __init__(self, id: _Optional[str] = ..., title: _Optional[str] = ..., console_url: _Optional[str] = ..., adapter: _Optional[str] = ..., has_audit_log: _Optional[bool] = ..., has_provisioning: _Optional[bool] = ..., has_scenarios: _Optional[bool] = ...) -> None: ...

class RunGroupRequest(_message.Message):
    __slots__ = ("group_id", "task", "episodes", "temperature")
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    task: CreateVerificationRequest
    episodes: int
    temperature: float
    def __init__(self, group_id: _Optional[str] = ..., task: _Optional[_Union[CreateVerificationRequest, _Mapping]] = ..., episodes: _Optional[int] = ..., temperature: _Optional[float] = ...) -> None: ...

class RunGroupResponse(_message.Message):
    __slots__ = ("group",)
    GROUP_FIELD_NUMBER: _ClassVar[int]
    group: Group
    def __init__(self, group: _Optional[_Union[Group, _Mapping]] = ...) -> None: ...

class Group(_message.Message):
    __slots__ = ("group_id", "episodes", "finished", "created_at")
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    episodes: int
    finished: int
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, group_id: _Optional[str] = ..., episodes: _Optional[int] = ..., finished: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class WatchGroupRequest(_message.Message):
    __slots__ = ("group_id", "after", "caller")
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    after: int
    caller: Caller
    def __init__(self, group_id: _Optional[str] = ..., after: _Optional[int] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class GroupMember(_message.Message):
    __slots__ = ("sequence", "verification_id", "number", "outcome", "cause", "code", "reason", "finding", "policy_versions", "episode", "met", "missing", "forbidden", "evidence", "completed")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FINDING_FIELD_NUMBER: _ClassVar[int]
    POLICY_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    MET_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    FORBIDDEN_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    verification_id: str
    number: int
    outcome: _common_pb2.Outcome
    cause: _common_pb2.EnvironmentCause
    code: str
    reason: str
    finding: _common_pb2.Finding
    policy_versions: _containers.RepeatedScalarFieldContainer[str]
    episode: int
    met: int
    missing: int
    forbidden: int
    evidence: _common_pb2.Evidence
    completed: bool
    def __init__(self, sequence: _Optional[int] = ..., verification_id: _Optional[str] = ..., number: _Optional[int] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ..., cause: _Optional[_Union[_common_pb2.EnvironmentCause, str]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., finding: _Optional[_Union[_common_pb2.Finding, _Mapping]] = ..., policy_versions: _Optional[_Iterable[str]] = ..., episode: _Optional[int] = ..., met: _Optional[int] = ..., missing: _Optional[int] = ..., forbidden: _Optional[int] = ..., evidence: _Optional[_Union[_common_pb2.Evidence, str]] = ..., completed: _Optional[bool] = ...) -> None: ...

class CancelGroupRequest(_message.Message):
    __slots__ = ("group_id", "caller")
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    caller: Caller
    def __init__(self, group_id: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ...) -> None: ...

class CancelGroupResponse(_message.Message):
    __slots__ = ("group",)
    GROUP_FIELD_NUMBER: _ClassVar[int]
    group: Group
    def __init__(self, group: _Optional[_Union[Group, _Mapping]] = ...) -> None: ...
