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

class Source(_message.Message):
    __slots__ = ("kind", "address", "subfolder", "branch")
    KIND_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    SUBFOLDER_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    kind: str
    address: str
    subfolder: str
    branch: str
    def __init__(self, kind: _Optional[str] = ..., address: _Optional[str] = ..., subfolder: _Optional[str] = ..., branch: _Optional[str] = ...) -> None: ...

class Budget(_message.Message):
    __slots__ = ("walks", "cost", "seconds")
    WALKS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    walks: int
    cost: float
    seconds: float
    def __init__(self, walks: _Optional[int] = ..., cost: _Optional[float] = ..., seconds: _Optional[float] = ...) -> None: ...

class Schedule(_message.Message):
    __slots__ = ("cron", "time_zone")
    CRON_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    cron: str
    time_zone: str
    def __init__(self, cron: _Optional[str] = ..., time_zone: _Optional[str] = ...) -> None: ...

class Weight(_message.Message):
    __slots__ = ("pattern", "weight")
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    pattern: str
    weight: float
    def __init__(self, pattern: _Optional[str] = ..., weight: _Optional[float] = ...) -> None: ...

class CollectionSpec(_message.Message):
    __slots__ = ("name", "source", "order", "budget", "schedule", "paused", "weights", "concurrency", "refresh_s", "never_replay", "all_procedures")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    REFRESH_S_FIELD_NUMBER: _ClassVar[int]
    NEVER_REPLAY_FIELD_NUMBER: _ClassVar[int]
    ALL_PROCEDURES_FIELD_NUMBER: _ClassVar[int]
    name: str
    source: Source
    order: _rollout_pb2.CreateVerificationRequest
    budget: Budget
    schedule: Schedule
    paused: bool
    weights: _containers.RepeatedCompositeFieldContainer[Weight]
    concurrency: int
    refresh_s: float
    never_replay: bool
    all_procedures: bool
    def __init__(self, name: _Optional[str] = ..., source: _Optional[_Union[Source, _Mapping]] = ..., order: _Optional[_Union[_rollout_pb2.CreateVerificationRequest, _Mapping]] = ..., budget: _Optional[_Union[Budget, _Mapping]] = ..., schedule: _Optional[_Union[Schedule, _Mapping]] = ..., paused: _Optional[bool] = ..., weights: _Optional[_Iterable[_Union[Weight, _Mapping]]] = ..., concurrency: _Optional[int] = ..., refresh_s: _Optional[float] = ..., never_replay: _Optional[bool] = ..., all_procedures: _Optional[bool] = ...) -> None: ...

class Collection(_message.Message):
    __slots__ = ("collection_id", "principal", "spec", "created_at", "next_run_at")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    NEXT_RUN_AT_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    principal: str
    spec: CollectionSpec
    created_at: _timestamp_pb2.Timestamp
    next_run_at: _timestamp_pb2.Timestamp
    def __init__(self, collection_id: _Optional[str] = ..., principal: _Optional[str] = ..., spec: _Optional[_Union[CollectionSpec, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., next_run_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Inspection(_message.Message):
    __slots__ = ("inspection_id", "collection_id", "principal", "state", "started_by", "created_at", "started_at", "finished_at", "code", "reason", "progress", "spent", "everything", "outcomes", "cause")
    class OutcomesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STARTED_BY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    SPENT_FIELD_NUMBER: _ClassVar[int]
    EVERYTHING_FIELD_NUMBER: _ClassVar[int]
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    inspection_id: str
    collection_id: str
    principal: str
    state: str
    started_by: str
    created_at: _timestamp_pb2.Timestamp
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    code: str
    reason: str
    progress: Progress
    spent: Budget
    everything: bool
    outcomes: _containers.ScalarMap[str, int]
    cause: str
    def __init__(self, inspection_id: _Optional[str] = ..., collection_id: _Optional[str] = ..., principal: _Optional[str] = ..., state: _Optional[str] = ..., started_by: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., spent: _Optional[_Union[Budget, _Mapping]] = ..., everything: _Optional[bool] = ..., outcomes: _Optional[_Mapping[str, int]] = ..., cause: _Optional[str] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("done", "total", "skipped", "seconds_left", "measured", "waits_for")
    DONE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    SECONDS_LEFT_FIELD_NUMBER: _ClassVar[int]
    MEASURED_FIELD_NUMBER: _ClassVar[int]
    WAITS_FOR_FIELD_NUMBER: _ClassVar[int]
    done: int
    total: int
    skipped: int
    seconds_left: float
    measured: int
    waits_for: str
    def __init__(self, done: _Optional[int] = ..., total: _Optional[int] = ..., skipped: _Optional[int] = ..., seconds_left: _Optional[float] = ..., measured: _Optional[int] = ..., waits_for: _Optional[str] = ...) -> None: ...

class Inputs(_message.Message):
    __slots__ = ("document", "meta", "rule", "map", "target", "blob")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    MAP_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    BLOB_FIELD_NUMBER: _ClassVar[int]
    document: str
    meta: str
    rule: str
    map: str
    target: str
    blob: str
    def __init__(self, document: _Optional[str] = ..., meta: _Optional[str] = ..., rule: _Optional[str] = ..., map: _Optional[str] = ..., target: _Optional[str] = ..., blob: _Optional[str] = ...) -> None: ...

class Item(_message.Message):
    __slots__ = ("inspection_id", "number", "procedure_id", "page", "title", "due", "state", "how", "why", "code", "verification_id", "outcome", "reason", "cost", "seconds", "changed", "inputs", "asked_at", "finished_at")
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PROCEDURE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DUE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    HOW_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    VERIFICATION_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    ASKED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    inspection_id: str
    number: int
    procedure_id: str
    page: str
    title: str
    due: str
    state: str
    how: str
    why: str
    code: str
    verification_id: str
    outcome: _common_pb2.Outcome
    reason: str
    cost: float
    seconds: float
    changed: _containers.RepeatedScalarFieldContainer[str]
    inputs: Inputs
    asked_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    def __init__(self, inspection_id: _Optional[str] = ..., number: _Optional[int] = ..., procedure_id: _Optional[str] = ..., page: _Optional[str] = ..., title: _Optional[str] = ..., due: _Optional[str] = ..., state: _Optional[str] = ..., how: _Optional[str] = ..., why: _Optional[str] = ..., code: _Optional[str] = ..., verification_id: _Optional[str] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ..., reason: _Optional[str] = ..., cost: _Optional[float] = ..., seconds: _Optional[float] = ..., changed: _Optional[_Iterable[str]] = ..., inputs: _Optional[_Union[Inputs, _Mapping]] = ..., asked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateCollectionRequest(_message.Message):
    __slots__ = ("collection_id", "spec", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    spec: CollectionSpec
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., spec: _Optional[_Union[CollectionSpec, _Mapping]] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class CreateCollectionResponse(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: Collection
    def __init__(self, collection: _Optional[_Union[Collection, _Mapping]] = ...) -> None: ...

class GetCollectionRequest(_message.Message):
    __slots__ = ("collection_id", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class GetCollectionResponse(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: Collection
    def __init__(self, collection: _Optional[_Union[Collection, _Mapping]] = ...) -> None: ...

class ListCollectionsRequest(_message.Message):
    __slots__ = ("name", "caller")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    name: str
    caller: _rollout_pb2.Caller
    def __init__(self, name: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ListCollectionsResponse(_message.Message):
    __slots__ = ("collections",)
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    collections: _containers.RepeatedCompositeFieldContainer[Collection]
    def __init__(self, collections: _Optional[_Iterable[_Union[Collection, _Mapping]]] = ...) -> None: ...

class UpdateCollectionRequest(_message.Message):
    __slots__ = ("collection_id", "spec", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    spec: CollectionSpec
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., spec: _Optional[_Union[CollectionSpec, _Mapping]] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class UpdateCollectionResponse(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: Collection
    def __init__(self, collection: _Optional[_Union[Collection, _Mapping]] = ...) -> None: ...

class DeleteCollectionRequest(_message.Message):
    __slots__ = ("collection_id", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class DeleteCollectionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StartInspectionRequest(_message.Message):
    __slots__ = ("inspection_id", "collection_id", "everything", "caller")
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    EVERYTHING_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    inspection_id: str
    collection_id: str
    everything: bool
    caller: _rollout_pb2.Caller
    def __init__(self, inspection_id: _Optional[str] = ..., collection_id: _Optional[str] = ..., everything: _Optional[bool] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class StartInspectionResponse(_message.Message):
    __slots__ = ("inspection",)
    INSPECTION_FIELD_NUMBER: _ClassVar[int]
    inspection: Inspection
    def __init__(self, inspection: _Optional[_Union[Inspection, _Mapping]] = ...) -> None: ...

class GetInspectionRequest(_message.Message):
    __slots__ = ("inspection_id", "caller")
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    inspection_id: str
    caller: _rollout_pb2.Caller
    def __init__(self, inspection_id: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class GetInspectionResponse(_message.Message):
    __slots__ = ("inspection",)
    INSPECTION_FIELD_NUMBER: _ClassVar[int]
    inspection: Inspection
    def __init__(self, inspection: _Optional[_Union[Inspection, _Mapping]] = ...) -> None: ...

class ListInspectionsRequest(_message.Message):
    __slots__ = ("collection_id", "limit", "page_token", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    limit: int
    page_token: str
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., limit: _Optional[int] = ..., page_token: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ListInspectionsResponse(_message.Message):
    __slots__ = ("inspections", "next_page_token")
    INSPECTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    inspections: _containers.RepeatedCompositeFieldContainer[Inspection]
    next_page_token: str
    def __init__(self, inspections: _Optional[_Iterable[_Union[Inspection, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CancelInspectionRequest(_message.Message):
    __slots__ = ("inspection_id", "caller")
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    inspection_id: str
    caller: _rollout_pb2.Caller
    def __init__(self, inspection_id: _Optional[str] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class CancelInspectionResponse(_message.Message):
    __slots__ = ("inspection",)
    INSPECTION_FIELD_NUMBER: _ClassVar[int]
    inspection: Inspection
    def __init__(self, inspection: _Optional[_Union[Inspection, _Mapping]] = ...) -> None: ...

class ListItemsRequest(_message.Message):
    __slots__ = ("inspection_id", "after", "limit", "caller")
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    inspection_id: str
    after: int
    limit: int
    caller: _rollout_pb2.Caller
    def __init__(self, inspection_id: _Optional[str] = ..., after: _Optional[int] = ..., limit: _Optional[int] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ListItemsResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Item]
    def __init__(self, items: _Optional[_Iterable[_Union[Item, _Mapping]]] = ...) -> None: ...

class ListHistoryRequest(_message.Message):
    __slots__ = ("collection_id", "procedure_id", "limit", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    PROCEDURE_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    procedure_id: str
    limit: int
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., procedure_id: _Optional[str] = ..., limit: _Optional[int] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class ListHistoryResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Item]
    def __init__(self, items: _Optional[_Iterable[_Union[Item, _Mapping]]] = ...) -> None: ...

class GetCoverageRequest(_message.Message):
    __slots__ = ("collection_id", "limit", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    limit: int
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., limit: _Optional[int] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class FolderCoverage(_message.Message):
    __slots__ = ("folder", "procedures", "outcomes", "unreached", "unreadable")
    class OutcomesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    PROCEDURES_FIELD_NUMBER: _ClassVar[int]
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    UNREACHED_FIELD_NUMBER: _ClassVar[int]
    UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    folder: str
    procedures: int
    outcomes: _containers.ScalarMap[str, int]
    unreached: int
    unreadable: int
    def __init__(self, folder: _Optional[str] = ..., procedures: _Optional[int] = ..., outcomes: _Optional[_Mapping[str, int]] = ..., unreached: _Optional[int] = ..., unreadable: _Optional[int] = ...) -> None: ...

class DueProcedure(_message.Message):
    __slots__ = ("procedure_id", "page", "title", "due", "why", "outcome")
    PROCEDURE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DUE_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    procedure_id: str
    page: str
    title: str
    due: str
    why: str
    outcome: _common_pb2.Outcome
    def __init__(self, procedure_id: _Optional[str] = ..., page: _Optional[str] = ..., title: _Optional[str] = ..., due: _Optional[str] = ..., why: _Optional[str] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, str]] = ...) -> None: ...

class GetCoverageResponse(_message.Message):
    __slots__ = ("inspection_id", "listed_at", "folders", "due", "due_counts")
    class DueCountsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    LISTED_AT_FIELD_NUMBER: _ClassVar[int]
    FOLDERS_FIELD_NUMBER: _ClassVar[int]
    DUE_FIELD_NUMBER: _ClassVar[int]
    DUE_COUNTS_FIELD_NUMBER: _ClassVar[int]
    inspection_id: str
    listed_at: _timestamp_pb2.Timestamp
    folders: _containers.RepeatedCompositeFieldContainer[FolderCoverage]
    due: _containers.RepeatedCompositeFieldContainer[DueProcedure]
    due_counts: _containers.ScalarMap[str, int]
    def __init__(self, inspection_id: _Optional[str] = ..., listed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., folders: _Optional[_Iterable[_Union[FolderCoverage, _Mapping]]] = ..., due: _Optional[_Iterable[_Union[DueProcedure, _Mapping]]] = ..., due_counts: _Optional[_Mapping[str, int]] = ...) -> None: ...

class GetCalendarRequest(_message.Message):
    __slots__ = ("collection_id", "first", "last", "caller")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    first: _timestamp_pb2.Timestamp
    last: _timestamp_pb2.Timestamp
    caller: _rollout_pb2.Caller
    def __init__(self, collection_id: _Optional[str] = ..., first: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., caller: _Optional[_Union[_rollout_pb2.Caller, _Mapping]] = ...) -> None: ...

class CalendarEntry(_message.Message):
    __slots__ = ("collection_id", "collection", "at", "inspection_id", "state")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    INSPECTION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    collection: str
    at: _timestamp_pb2.Timestamp
    inspection_id: str
    state: str
    def __init__(self, collection_id: _Optional[str] = ..., collection: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., inspection_id: _Optional[str] = ..., state: _Optional[str] = ...) -> None: ...

class GetCalendarResponse(_message.Message):
    __slots__ = ("entries", "more")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[CalendarEntry]
    more: bool
    def __init__(self, entries: _Optional[_Iterable[_Union[CalendarEntry, _Mapping]]] = ..., more: _Optional[bool] = ...) -> None: ...
