import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LeaseRef(_message.Message):
    __slots__ = ("lease_id", "epoch", "target")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    epoch: int
    target: str
    def __init__(self, lease_id: _Optional[str] = ..., epoch: _Optional[int] = ..., target: _Optional[str] = ...) -> None: ...

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
    __slots__ = ("request_id", "lease", "rule_yaml", "start", "end", "outputs")
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
    request_id: str
    lease: LeaseRef
    rule_yaml: str
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    outputs: _containers.ScalarMap[str, str]
    def __init__(self, request_id: _Optional[str] = ..., lease: _Optional[_Union[LeaseRef, _Mapping]] = ..., rule_yaml: _Optional[str] = ..., start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., outputs: _Optional[_Mapping[str, str]] = ...) -> None: ...

class JudgeResponse(_message.Message):
    __slots__ = ("reward", "decision", "reason", "rule", "matched", "missing", "violations", "observed", "polls")
    REWARD_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_FIELD_NUMBER: _ClassVar[int]
    POLLS_FIELD_NUMBER: _ClassVar[int]
    reward: float
    decision: str
    reason: str
    rule: str
    matched: _containers.RepeatedCompositeFieldContainer[AuditEvent]
    missing: _containers.RepeatedScalarFieldContainer[str]
    violations: _containers.RepeatedCompositeFieldContainer[AuditEvent]
    observed: _containers.RepeatedCompositeFieldContainer[AuditEvent]
    polls: int
    def __init__(self, reward: _Optional[float] = ..., decision: _Optional[str] = ..., reason: _Optional[str] = ..., rule: _Optional[str] = ..., matched: _Optional[_Iterable[_Union[AuditEvent, _Mapping]]] = ..., missing: _Optional[_Iterable[str]] = ..., violations: _Optional[_Iterable[_Union[AuditEvent, _Mapping]]] = ..., observed: _Optional[_Iterable[_Union[AuditEvent, _Mapping]]] = ..., polls: _Optional[int] = ...) -> None: ...

class AuditEvent(_message.Message):
    __slots__ = ("id", "time", "service", "name", "kind", "ok", "error_code", "actor", "request_json", "resources", "expectation")
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
    def __init__(self, id: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., service: _Optional[str] = ..., name: _Optional[str] = ..., kind: _Optional[str] = ..., ok: _Optional[bool] = ..., error_code: _Optional[str] = ..., actor: _Optional[str] = ..., request_json: _Optional[str] = ..., resources: _Optional[_Iterable[str]] = ..., expectation: _Optional[str] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("lease", "start", "end")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    lease: LeaseRef
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    def __init__(self, lease: _Optional[_Union[LeaseRef, _Mapping]] = ..., start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[AuditEvent]
    def __init__(self, events: _Optional[_Iterable[_Union[AuditEvent, _Mapping]]] = ...) -> None: ...

class RescoreRequest(_message.Message):
    __slots__ = ("request_id", "rule_yaml")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RULE_YAML_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    rule_yaml: str
    def __init__(self, request_id: _Optional[str] = ..., rule_yaml: _Optional[str] = ...) -> None: ...

class JudgeByModelsRequest(_message.Message):
    __slots__ = ("request_id",)
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    def __init__(self, request_id: _Optional[str] = ...) -> None: ...
