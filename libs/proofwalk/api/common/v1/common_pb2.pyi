import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_VERIFIED: _ClassVar[Outcome]
    OUTCOME_UNPROVEN: _ClassVar[Outcome]
    OUTCOME_DOC_DEFECT: _ClassVar[Outcome]
    OUTCOME_SUSPECTED: _ClassVar[Outcome]
    OUTCOME_AGENT_FAILURE: _ClassVar[Outcome]
    OUTCOME_ENV_FAILURE: _ClassVar[Outcome]
    OUTCOME_JUDGE_SPLIT: _ClassVar[Outcome]
    OUTCOME_CANCELLED: _ClassVar[Outcome]

class EnvironmentCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENVIRONMENT_CAUSE_UNSPECIFIED: _ClassVar[EnvironmentCause]
    ENVIRONMENT_CAUSE_PROVISION: _ClassVar[EnvironmentCause]
    ENVIRONMENT_CAUSE_QUOTA: _ClassVar[EnvironmentCause]
    ENVIRONMENT_CAUSE_ACCOUNT: _ClassVar[EnvironmentCause]
    ENVIRONMENT_CAUSE_SANDBOX: _ClassVar[EnvironmentCause]
    ENVIRONMENT_CAUSE_MODEL: _ClassVar[EnvironmentCause]
    ENVIRONMENT_CAUSE_AUDIT_LATE: _ClassVar[EnvironmentCause]

class Evidence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVIDENCE_UNSPECIFIED: _ClassVar[Evidence]
    EVIDENCE_AUDIT: _ClassVar[Evidence]
    EVIDENCE_VALIDATOR: _ClassVar[Evidence]
    EVIDENCE_JUDGES: _ClassVar[Evidence]
    EVIDENCE_PAGE: _ClassVar[Evidence]
    EVIDENCE_NONE: _ClassVar[Evidence]

class Goal(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GOAL_UNSPECIFIED: _ClassVar[Goal]
    GOAL_YES: _ClassVar[Goal]
    GOAL_NO: _ClassVar[Goal]
    GOAL_UNKNOWN: _ClassVar[Goal]

class Blame(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BLAME_UNSPECIFIED: _ClassVar[Blame]
    BLAME_NOBODY: _ClassVar[Blame]
    BLAME_DOCUMENT: _ClassVar[Blame]
    BLAME_AGENT: _ClassVar[Blame]
    BLAME_ENVIRONMENT: _ClassVar[Blame]

class Decision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECISION_UNSPECIFIED: _ClassVar[Decision]
    DECISION_CONFIRMED: _ClassVar[Decision]
    DECISION_DENIED: _ClassVar[Decision]
    DECISION_AUDIT_LATE: _ClassVar[Decision]
    DECISION_NO_AUDIT_LOG: _ClassVar[Decision]
    DECISION_NO_RULE: _ClassVar[Decision]
    DECISION_JUDGED_SUCCESS: _ClassVar[Decision]
    DECISION_JUDGED_FAILURE: _ClassVar[Decision]
    DECISION_JUDGE_SPLIT: _ClassVar[Decision]
    DECISION_JUDGE_AWAY: _ClassVar[Decision]
    DECISION_RULE_TOO_COSTLY: _ClassVar[Decision]
    DECISION_ANSWER_WRONG: _ClassVar[Decision]
    DECISION_ANSWER_MISSING: _ClassVar[Decision]
    DECISION_ANSWER_NOT_JUDGED: _ClassVar[Decision]

class FindingKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FINDING_KIND_UNSPECIFIED: _ClassVar[FindingKind]
    FINDING_KIND_RENAMED: _ClassVar[FindingKind]
    FINDING_KIND_MISSING: _ClassVar[FindingKind]
    FINDING_KIND_MOVED: _ClassVar[FindingKind]
    FINDING_KIND_WRONG_VALUE: _ClassVar[FindingKind]
    FINDING_KIND_WRONG_OUTCOME: _ClassVar[FindingKind]
    FINDING_KIND_MISSING_STEP: _ClassVar[FindingKind]
    FINDING_KIND_DISABLED: _ClassVar[FindingKind]

class SubStepStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUB_STEP_STATUS_UNSPECIFIED: _ClassVar[SubStepStatus]
    SUB_STEP_STATUS_VERIFIED: _ClassVar[SubStepStatus]
    SUB_STEP_STATUS_DEFECT: _ClassVar[SubStepStatus]
    SUB_STEP_STATUS_NOT_VERIFIED: _ClassVar[SubStepStatus]
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_VERIFIED: Outcome
OUTCOME_UNPROVEN: Outcome
OUTCOME_DOC_DEFECT: Outcome
OUTCOME_SUSPECTED: Outcome
OUTCOME_AGENT_FAILURE: Outcome
OUTCOME_ENV_FAILURE: Outcome
OUTCOME_JUDGE_SPLIT: Outcome
OUTCOME_CANCELLED: Outcome
ENVIRONMENT_CAUSE_UNSPECIFIED: EnvironmentCause
ENVIRONMENT_CAUSE_PROVISION: EnvironmentCause
ENVIRONMENT_CAUSE_QUOTA: EnvironmentCause
ENVIRONMENT_CAUSE_ACCOUNT: EnvironmentCause
ENVIRONMENT_CAUSE_SANDBOX: EnvironmentCause
ENVIRONMENT_CAUSE_MODEL: EnvironmentCause
ENVIRONMENT_CAUSE_AUDIT_LATE: EnvironmentCause
EVIDENCE_UNSPECIFIED: Evidence
EVIDENCE_AUDIT: Evidence
EVIDENCE_VALIDATOR: Evidence
EVIDENCE_JUDGES: Evidence
EVIDENCE_PAGE: Evidence
EVIDENCE_NONE: Evidence
GOAL_UNSPECIFIED: Goal
GOAL_YES: Goal
GOAL_NO: Goal
GOAL_UNKNOWN: Goal
BLAME_UNSPECIFIED: Blame
BLAME_NOBODY: Blame
BLAME_DOCUMENT: Blame
BLAME_AGENT: Blame
BLAME_ENVIRONMENT: Blame
DECISION_UNSPECIFIED: Decision
DECISION_CONFIRMED: Decision
DECISION_DENIED: Decision
DECISION_AUDIT_LATE: Decision
DECISION_NO_AUDIT_LOG: Decision
DECISION_NO_RULE: Decision
DECISION_JUDGED_SUCCESS: Decision
DECISION_JUDGED_FAILURE: Decision
DECISION_JUDGE_SPLIT: Decision
DECISION_JUDGE_AWAY: Decision
DECISION_RULE_TOO_COSTLY: Decision
DECISION_ANSWER_WRONG: Decision
DECISION_ANSWER_MISSING: Decision
DECISION_ANSWER_NOT_JUDGED: Decision
FINDING_KIND_UNSPECIFIED: FindingKind
FINDING_KIND_RENAMED: FindingKind
FINDING_KIND_MISSING: FindingKind
FINDING_KIND_MOVED: FindingKind
FINDING_KIND_WRONG_VALUE: FindingKind
FINDING_KIND_WRONG_OUTCOME: FindingKind
FINDING_KIND_MISSING_STEP: FindingKind
FINDING_KIND_DISABLED: FindingKind
SUB_STEP_STATUS_UNSPECIFIED: SubStepStatus
SUB_STEP_STATUS_VERIFIED: SubStepStatus
SUB_STEP_STATUS_DEFECT: SubStepStatus
SUB_STEP_STATUS_NOT_VERIFIED: SubStepStatus

class LeaseRef(_message.Message):
    __slots__ = ("lease_id", "epoch", "target")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    epoch: int
    target: str
    def __init__(self, lease_id: _Optional[str] = ..., epoch: _Optional[int] = ..., target: _Optional[str] = ...) -> None: ...

class AuditEvent(_message.Message):
    __slots__ = ("id", "time", "service", "name", "kind", "ok", "error_code", "actor", "request_json", "resources", "expectation", "write")
    ID_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    OK_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    REQUEST_JSON_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    EXPECTATION_FIELD_NUMBER: _ClassVar[int]
    WRITE_FIELD_NUMBER: _ClassVar[int]
    id: str
    time: _timestamp_pb2.Timestamp
    service: str
    name: str
    kind: str
    ok: bool
    error_code: str
    actor: str
    request_json: str
    resources: _containers.RepeatedScalarFieldContainer[str]
    expectation: str
    write: bool
    def __init__(self, id: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., service: _Optional[str] = ..., name: _Optional[str] = ..., kind: _Optional[str] = ..., ok: _Optional[bool] = ..., error_code: _Optional[str] = ..., actor: _Optional[str] = ..., request_json: _Optional[str] = ..., resources: _Optional[_Iterable[str]] = ..., expectation: _Optional[str] = ..., write: _Optional[bool] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("file", "line", "sentence", "kind", "message", "candidates", "asked", "offered", "place", "way")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    WAY_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    sentence: str
    kind: FindingKind
    message: str
    candidates: _containers.RepeatedScalarFieldContainer[str]
    asked: str
    offered: str
    place: str
    way: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., sentence: _Optional[str] = ..., kind: _Optional[_Union[FindingKind, str]] = ..., message: _Optional[str] = ..., candidates: _Optional[_Iterable[str]] = ..., asked: _Optional[str] = ..., offered: _Optional[str] = ..., place: _Optional[str] = ..., way: _Optional[_Iterable[str]] = ...) -> None: ...

class AnsweredField(_message.Message):
    __slots__ = ("name", "value", "verdict", "criterion")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    CRITERION_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    verdict: str
    criterion: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ..., verdict: _Optional[str] = ..., criterion: _Optional[str] = ...) -> None: ...

class Citation(_message.Message):
    __slots__ = ("source", "quote")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    source: str
    quote: str
    def __init__(self, source: _Optional[str] = ..., quote: _Optional[str] = ...) -> None: ...
