import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from proofwalk.api.common.v1 import common_pb2 as _common_pb2
from proofwalk.api.rollout.v1 import rollout_pb2 as _rollout_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StoredFinding(_message.Message):
    __slots__ = ("finding_id", "principal", "fingerprint", "target", "document", "procedure_id", "product", "policy", "finding", "certainty", "state", "review", "assignee", "version", "sightings", "fixed_by", "created_at", "seen_at", "acts")
    FINDING_ID_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    PROCEDURE_ID_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    FINDING_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REVIEW_FIELD_NUMBER: _ClassVar[int]
    ASSIGNEE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SIGHTINGS_FIELD_NUMBER: _ClassVar[int]
    FIXED_BY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SEEN_AT_FIELD_NUMBER: _ClassVar[int]
    ACTS_FIELD_NUMBER: _ClassVar[int]
    finding_id: str
    principal: str
    fingerprint: str
    target: str
    document: str
    procedure_id: str
    product: str
    policy: str
    finding: _common_pb2.Finding
    certainty: str
    state: str
    review: str
    assignee: str
    version: int
    sightings: int
    fixed_by: str
    created_at: _timestamp_pb2.Timestamp
    seen_at: _timestamp_pb2.Timestamp
    acts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, finding_id: _Optional[str] = ..., principal: _Optional[str] = ..., fingerprint: _Optional[str] = ..., target: _Optional[str] = ..., document: _Optional[str] = ..., procedure_id: _Optional[str] = ..., product: _Optional[str] = ..., policy: _Optional[str] = ..., finding: _Optional[_Union[_common_pb2.Finding, _Mapping]] = ..., certainty: _Optional[str] = ..., state: _Optional[str] = ..., review: _Optional[str] = ..., assignee: _Optional[str] = ..., version: _Optional[int] = ..., sightings: _Optional[int] = ..., fixed_by: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seen_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., acts: _Optional[_Iterable[str]] = ...) -> None: ...

class FindingEvent(_message.Message):
    __slots__ = ("number", "act", "state", "at", "actor", "words", "verification_id")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    number: int
    act: str
    state: str
    at: _timestamp_pb2.Timestamp
    actor: str
    words: str
    verification_id: str
    def __init__(self, number: _Optional[int] = ..., act: _Optional[str] = ..., state: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., actor: _Optional[str] = ..., words: _Optional[str] = ..., verification_id: _Optional[str] = ...) -> None: ...

class FindingSeen(_message.Message):
    __slots__ = ("verification_id", "at", "policy", "certainty", "line", "message")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    at: _timestamp_pb2.Timestamp
    policy: str
    certainty: str
    line: int
    message: str
    def __init__(self, verification_id: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., policy: _Optional[str] = ..., certainty: _Optional[str] = ..., line: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class ListFindingsRequest(_message.Message):
    __slots__ = ("states", "kinds", "product", "path", "target", "assignee", "limit", "page_token", "policy", "text", "order", "caller")
    STATES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    ASSIGNEE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    states: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[_common_pb2.FindingKind]
    product: str
    path: str
    target: str
    assignee: str
    limit: int
    page_token: str
    policy: str
    text: str
    order: str
    caller: _rollout_pb2.Caller
    def __init__(self, states: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[_Union[_common_pb2.FindingKind, str]]] = ..., product: _Optional[str] = ..., path: _Optional[str] = ..., target: _Optional[str] = ..., assignee: _Optional[str] = ..., limit: _Optional[int] = ..., page_token: _Optional[str] = ..., policy: _Optional[str] = ..., text: _Optional[str] = ..., order: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ListFindingsResponse(_message.Message):
    __slots__ = ("findings", "next_page_token")
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedCompositeFieldContainer[StoredFinding]
    next_page_token: str
    def __init__(self, findings: _Optional[_Iterable[_Union[StoredFinding, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetFindingRequest(_message.Message):
    __slots__ = ("finding_id", "caller")
    FINDING_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    finding_id: str
    caller: _rollout_pb2.Caller
    def __init__(self, finding_id: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class GetFindingResponse(_message.Message):
    __slots__ = ("finding", "events", "sightings")
    FINDING_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SIGHTINGS_FIELD_NUMBER: _ClassVar[int]
    finding: StoredFinding
    events: _containers.RepeatedCompositeFieldContainer[FindingEvent]
    sightings: _containers.RepeatedCompositeFieldContainer[FindingSeen]
    def __init__(self, finding: _Optional[_Union[StoredFinding, _Mapping]] = ..., events: _Optional[_Iterable[_Union[FindingEvent, _Mapping]]] = ..., sightings: _Optional[_Iterable[_Union[FindingSeen, _Mapping]]] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("act", "words")
    ACT_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    act: str
    words: str
    def __init__(self, act: _Optional[str] = ..., words: _Optional[str] = ...) -> None: ...

class ReviewFindingRequest(_message.Message):
    __slots__ = ("finding_id", "version", "decision", "caller")
    FINDING_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    finding_id: str
    version: int
    decision: Decision
    caller: _rollout_pb2.Caller
    def __init__(self, finding_id: _Optional[str] = ..., version: _Optional[int] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ReviewFindingResponse(_message.Message):
    __slots__ = ("finding",)
    FINDING_FIELD_NUMBER: _ClassVar[int]
    finding: StoredFinding
    def __init__(self, finding: _Optional[_Union[StoredFinding, _Mapping]] = ...) -> None: ...

class FindingVersion(_message.Message):
    __slots__ = ("finding_id", "version")
    FINDING_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    finding_id: str
    version: int
    def __init__(self, finding_id: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class ReviewFindingsRequest(_message.Message):
    __slots__ = ("findings", "decision", "caller")
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedCompositeFieldContainer[FindingVersion]
    decision: Decision
    caller: _rollout_pb2.Caller
    def __init__(self, findings: _Optional[_Iterable[_Union[FindingVersion, _Mapping]]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ReviewedFinding(_message.Message):
    __slots__ = ("finding_id", "finding", "code", "reason")
    FINDING_ID_FIELD_NUMBER: _ClassVar[int]
    FINDING_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    finding_id: str
    finding: StoredFinding
    code: str
    reason: str
    def __init__(self, finding_id: _Optional[str] = ..., finding: _Optional[_Union[StoredFinding, _Mapping]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ReviewFindingsResponse(_message.Message):
    __slots__ = ("findings",)
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedCompositeFieldContainer[ReviewedFinding]
    def __init__(self, findings: _Optional[_Iterable[_Union[ReviewedFinding, _Mapping]]] = ...) -> None: ...

class RecordVerificationRequest(_message.Message):
    __slots__ = ("verification_id", "product", "caller")
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    verification_id: str
    product: str
    caller: _rollout_pb2.Caller
    def __init__(self, verification_id: _Optional[str] = ..., product: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class RecordVerificationResponse(_message.Message):
    __slots__ = ("findings",)
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedCompositeFieldContainer[StoredFinding]
    def __init__(self, findings: _Optional[_Iterable[_Union[StoredFinding, _Mapping]]] = ...) -> None: ...

class GetPrecisionRequest(_message.Message):
    __slots__ = ("caller",)
    CALLER_FIELD_NUMBER: _ClassVar[int]
    caller: _rollout_pb2.Caller
    def __init__(self, caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class Precision(_message.Message):
    __slots__ = ("facet", "name", "accepted", "rejected", "waiting", "share", "low", "high")
    FACET_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    facet: str
    name: str
    accepted: int
    rejected: int
    waiting: int
    share: float
    low: float
    high: float
    def __init__(self, facet: _Optional[str] = ..., name: _Optional[str] = ..., accepted: _Optional[int] = ..., rejected: _Optional[int] = ..., waiting: _Optional[int] = ..., share: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class GetPrecisionResponse(_message.Message):
    __slots__ = ("precisions",)
    PRECISIONS_FIELD_NUMBER: _ClassVar[int]
    precisions: _containers.RepeatedCompositeFieldContainer[Precision]
    def __init__(self, precisions: _Optional[_Iterable[_Union[Precision, _Mapping]]] = ...) -> None: ...

class GetWeeklyPrecisionRequest(_message.Message):
    __slots__ = ("weeks", "caller")
    WEEKS_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    weeks: int
    caller: _rollout_pb2.Caller
    def __init__(self, weeks: _Optional[int] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class WeeklyPrecision(_message.Message):
    __slots__ = ("week", "product", "accepted", "rejected", "waiting")
    WEEK_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    week: str
    product: str
    accepted: int
    rejected: int
    waiting: int
    def __init__(self, week: _Optional[str] = ..., product: _Optional[str] = ..., accepted: _Optional[int] = ..., rejected: _Optional[int] = ..., waiting: _Optional[int] = ...) -> None: ...

class GetWeeklyPrecisionResponse(_message.Message):
    __slots__ = ("weeks",)
    WEEKS_FIELD_NUMBER: _ClassVar[int]
    weeks: _containers.RepeatedCompositeFieldContainer[WeeklyPrecision]
    def __init__(self, weeks: _Optional[_Iterable[_Union[WeeklyPrecision, _Mapping]]] = ...) -> None: ...

class ProposePatchRequest(_message.Message):
    __slots__ = ("finding_id", "caller")
    FINDING_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    finding_id: str
    caller: _rollout_pb2.Caller
    def __init__(self, finding_id: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ProposePatchResponse(_message.Message):
    __slots__ = ("diff", "code", "reason", "verification_id", "proven_by")
    DIFF_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    PROVEN_BY_FIELD_NUMBER: _ClassVar[int]
    diff: str
    code: str
    reason: str
    verification_id: str
    proven_by: str
    def __init__(self, diff: _Optional[str] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., verification_id: _Optional[str] = ..., proven_by: _Optional[str] = ...) -> None: ...
