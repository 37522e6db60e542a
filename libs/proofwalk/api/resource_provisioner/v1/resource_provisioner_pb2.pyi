import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from proofwalk.api.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Meta(_message.Message):
    __slots__ = ("id", "yaml", "digest", "origin", "version", "state", "product", "document_digest", "intent", "lineage", "created_at", "state_at", "state_run", "target_kind", "state_reason", "checked_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    YAML_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    LINEAGE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    STATE_AT_FIELD_NUMBER: _ClassVar[int]
    STATE_RUN_FIELD_NUMBER: _ClassVar[int]
    TARGET_KIND_FIELD_NUMBER: _ClassVar[int]
    STATE_REASON_FIELD_NUMBER: _ClassVar[int]
    CHECKED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    yaml: str
    digest: str
    origin: str
    version: int
    state: str
    product: str
    document_digest: str
    intent: str
    lineage: MetaLineage
    created_at: _timestamp_pb2.Timestamp
    state_at: _timestamp_pb2.Timestamp
    state_run: str
    target_kind: str
    state_reason: str
    checked_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., yaml: _Optional[str] = ..., digest: _Optional[str] = ..., origin: _Optional[str] = ..., version: _Optional[int] = ..., state: _Optional[str] = ..., product: _Optional[str] = ..., document_digest: _Optional[str] = ..., intent: _Optional[str] = ..., lineage: _Optional[_Union[MetaLineage, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state_run: _Optional[str] = ..., target_kind: _Optional[str] = ..., state_reason: _Optional[str] = ..., checked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MetaLineage(_message.Message):
    __slots__ = ("writer", "run", "provider_version")
    WRITER_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_VERSION_FIELD_NUMBER: _ClassVar[int]
    writer: str
    run: str
    provider_version: str
    def __init__(self, writer: _Optional[str] = ..., run: _Optional[str] = ..., provider_version: _Optional[str] = ...) -> None: ...

class GetMetaRequest(_message.Message):
    __slots__ = ("id", "version")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: int
    def __init__(self, id: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class GetMetaResponse(_message.Message):
    __slots__ = ("meta",)
    META_FIELD_NUMBER: _ClassVar[int]
    meta: Meta
    def __init__(self, meta: _Optional[_Union[Meta, _Mapping]] = ...) -> None: ...

class FindMetaRequest(_message.Message):
    __slots__ = ("product", "document_digest", "intent", "target")
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    product: str
    document_digest: str
    intent: str
    target: str
    def __init__(self, product: _Optional[str] = ..., document_digest: _Optional[str] = ..., intent: _Optional[str] = ..., target: _Optional[str] = ...) -> None: ...

class FindMetaResponse(_message.Message):
    __slots__ = ("metas",)
    METAS_FIELD_NUMBER: _ClassVar[int]
    metas: _containers.RepeatedCompositeFieldContainer[Meta]
    def __init__(self, metas: _Optional[_Iterable[_Union[Meta, _Mapping]]] = ...) -> None: ...

class MarkMetaRequest(_message.Message):
    __slots__ = ("id", "version", "state", "run", "provider_version", "target", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_VERSION_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: int
    state: str
    run: str
    provider_version: str
    target: str
    reason: str
    def __init__(self, id: _Optional[str] = ..., version: _Optional[int] = ..., state: _Optional[str] = ..., run: _Optional[str] = ..., provider_version: _Optional[str] = ..., target: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class MarkMetaResponse(_message.Message):
    __slots__ = ("meta",)
    META_FIELD_NUMBER: _ClassVar[int]
    meta: Meta
    def __init__(self, meta: _Optional[_Union[Meta, _Mapping]] = ...) -> None: ...

class ConfirmMetaRequest(_message.Message):
    __slots__ = ("id", "version")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: int
    def __init__(self, id: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class ConfirmMetaResponse(_message.Message):
    __slots__ = ("meta",)
    META_FIELD_NUMBER: _ClassVar[int]
    meta: Meta
    def __init__(self, meta: _Optional[_Union[Meta, _Mapping]] = ...) -> None: ...

class PlanMetaRequest(_message.Message):
    __slots__ = ("meta", "target", "region")
    META_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    meta: Meta
    target: str
    region: str
    def __init__(self, meta: _Optional[_Union[Meta, _Mapping]] = ..., target: _Optional[str] = ..., region: _Optional[str] = ...) -> None: ...

class PlanMetaResponse(_message.Message):
    __slots__ = ("run", "makes", "provider_version")
    RUN_FIELD_NUMBER: _ClassVar[int]
    MAKES_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_VERSION_FIELD_NUMBER: _ClassVar[int]
    run: str
    makes: int
    provider_version: str
    def __init__(self, run: _Optional[str] = ..., makes: _Optional[int] = ..., provider_version: _Optional[str] = ...) -> None: ...

class ValidateMetaRequest(_message.Message):
    __slots__ = ("meta", "target")
    META_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    meta: Meta
    target: str
    def __init__(self, meta: _Optional[_Union[Meta, _Mapping]] = ..., target: _Optional[str] = ...) -> None: ...

class ValidateMetaResponse(_message.Message):
    __slots__ = ("digest", "role")
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    digest: str
    role: str
    def __init__(self, digest: _Optional[str] = ..., role: _Optional[str] = ...) -> None: ...

class PutMetaRequest(_message.Message):
    __slots__ = ("meta",)
    META_FIELD_NUMBER: _ClassVar[int]
    meta: Meta
    def __init__(self, meta: _Optional[_Union[Meta, _Mapping]] = ...) -> None: ...

class PutMetaResponse(_message.Message):
    __slots__ = ("meta",)
    META_FIELD_NUMBER: _ClassVar[int]
    meta: Meta
    def __init__(self, meta: _Optional[_Union[Meta, _Mapping]] = ...) -> None: ...

class TryMetaRequest(_message.Message):
    __slots__ = ("id", "version", "target", "asked_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    ASKED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: int
    target: str
    asked_by: str
    def __init__(self, id: _Optional[str] = ..., version: _Optional[int] = ..., target: _Optional[str] = ..., asked_by: _Optional[str] = ...) -> None: ...

class TryMetaResponse(_message.Message):
    __slots__ = ("trial",)
    TRIAL_FIELD_NUMBER: _ClassVar[int]
    trial: MetaTrial
    def __init__(self, trial: _Optional[_Union[MetaTrial, _Mapping]] = ...) -> None: ...

class MetaTrial(_message.Message):
    __slots__ = ("trial_id", "meta_id", "version", "target", "asked_by", "stage", "end", "error_code", "error_message", "provisioning_id", "created_at", "started_at", "ended_at")
    TRIAL_ID_FIELD_NUMBER: _ClassVar[int]
    META_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    ASKED_BY_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PROVISIONING_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    trial_id: str
    meta_id: str
    version: int
    target: str
    asked_by: str
    stage: str
    end: str
    error_code: str
    error_message: str
    provisioning_id: str
    created_at: _timestamp_pb2.Timestamp
    started_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    def __init__(self, trial_id: _Optional[str] = ..., meta_id: _Optional[str] = ..., version: _Optional[int] = ..., target: _Optional[str] = ..., asked_by: _Optional[str] = ..., stage: _Optional[str] = ..., end: _Optional[str] = ..., error_code: _Optional[str] = ..., error_message: _Optional[str] = ..., provisioning_id: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListTrialsRequest(_message.Message):
    __slots__ = ("id", "limit")
    ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    id: str
    limit: int
    def __init__(self, id: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListTrialsResponse(_message.Message):
    __slots__ = ("trials",)
    TRIALS_FIELD_NUMBER: _ClassVar[int]
    trials: _containers.RepeatedCompositeFieldContainer[MetaTrial]
    def __init__(self, trials: _Optional[_Iterable[_Union[MetaTrial, _Mapping]]] = ...) -> None: ...

class ListMetasRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListMetasResponse(_message.Message):
    __slots__ = ("metas",)
    METAS_FIELD_NUMBER: _ClassVar[int]
    metas: _containers.RepeatedCompositeFieldContainer[Meta]
    def __init__(self, metas: _Optional[_Iterable[_Union[Meta, _Mapping]]] = ...) -> None: ...

class ProvisionRequest(_message.Message):
    __slots__ = ("request_id", "lease", "meta_id", "meta", "region", "limits")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    META_ID_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    lease: _common_pb2.LeaseRef
    meta_id: str
    meta: Meta
    region: str
    limits: Limits
    def __init__(self, request_id: _Optional[str] = ..., lease: _Optional[_Union[_common_pb2.LeaseRef, _Mapping]] = ..., meta_id: _Optional[str] = ..., meta: _Optional[_Union[Meta, _Mapping]] = ..., region: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_per_hour", "max_at_once", "ttl_s")
    MAX_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    MAX_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    TTL_S_FIELD_NUMBER: _ClassVar[int]
    max_per_hour: float
    max_at_once: float
    ttl_s: float
    def __init__(self, max_per_hour: _Optional[float] = ..., max_at_once: _Optional[float] = ..., ttl_s: _Optional[float] = ...) -> None: ...

class Price(_message.Message):
    __slots__ = ("currency", "per_hour", "at_once", "unpriced")
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    UNPRICED_FIELD_NUMBER: _ClassVar[int]
    currency: str
    per_hour: float
    at_once: float
    unpriced: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, currency: _Optional[str] = ..., per_hour: _Optional[float] = ..., at_once: _Optional[float] = ..., unpriced: _Optional[_Iterable[str]] = ...) -> None: ...

class ProvisionResponse(_message.Message):
    __slots__ = ("provisioning", "provider_version")
    PROVISIONING_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_VERSION_FIELD_NUMBER: _ClassVar[int]
    provisioning: Provisioning
    provider_version: str
    def __init__(self, provisioning: _Optional[_Union[Provisioning, _Mapping]] = ..., provider_version: _Optional[str] = ...) -> None: ...

class Provisioning(_message.Message):
    __slots__ = ("provisioning_id", "request_id", "state", "outputs", "binds", "description", "resources", "error_code", "error_message", "created_at", "seconds", "price", "expires_at")
    class OutputsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class BindsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    PROVISIONING_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    BINDS_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    PRICE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    provisioning_id: str
    request_id: str
    state: str
    outputs: _containers.ScalarMap[str, str]
    binds: _containers.ScalarMap[str, str]
    description: str
    resources: _containers.RepeatedCompositeFieldContainer[Resource]
    error_code: str
    error_message: str
    created_at: _timestamp_pb2.Timestamp
    seconds: float
    price: Price
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, provisioning_id: _Optional[str] = ..., request_id: _Optional[str] = ..., state: _Optional[str] = ..., outputs: _Optional[_Mapping[str, str]] = ..., binds: _Optional[_Mapping[str, str]] = ..., description: _Optional[str] = ..., resources: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ..., error_code: _Optional[str] = ..., error_message: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seconds: _Optional[float] = ..., price: _Optional[_Union[Price, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Resource(_message.Message):
    __slots__ = ("product", "type", "id", "name", "region", "state")
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    product: str
    type: str
    id: str
    name: str
    region: str
    state: str
    def __init__(self, product: _Optional[str] = ..., type: _Optional[str] = ..., id: _Optional[str] = ..., name: _Optional[str] = ..., region: _Optional[str] = ..., state: _Optional[str] = ...) -> None: ...

class ProvisionOnDemandRequest(_message.Message):
    __slots__ = ("request_id", "lease", "need", "document_context", "region", "intent", "limits")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    NEED_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    lease: _common_pb2.LeaseRef
    need: str
    document_context: str
    region: str
    intent: NeedIntent
    limits: Limits
    def __init__(self, request_id: _Optional[str] = ..., lease: _Optional[_Union[_common_pb2.LeaseRef, _Mapping]] = ..., need: _Optional[str] = ..., document_context: _Optional[str] = ..., region: _Optional[str] = ..., intent: _Optional[_Union[NeedIntent, _Mapping]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ...) -> None: ...

class NeedIntent(_message.Message):
    __slots__ = ("product", "resource", "states", "values", "document_digest")
    class ValuesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    product: str
    resource: str
    states: _containers.RepeatedScalarFieldContainer[str]
    values: _containers.ScalarMap[str, str]
    document_digest: str
    def __init__(self, product: _Optional[str] = ..., resource: _Optional[str] = ..., states: _Optional[_Iterable[str]] = ..., values: _Optional[_Mapping[str, str]] = ..., document_digest: _Optional[str] = ...) -> None: ...

class ProvisionOnDemandResponse(_message.Message):
    __slots__ = ("provisioning", "report", "rounds", "made", "record")
    PROVISIONING_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    provisioning: Provisioning
    report: str
    rounds: int
    made: _containers.RepeatedCompositeFieldContainer[Resource]
    record: Meta
    def __init__(self, provisioning: _Optional[_Union[Provisioning, _Mapping]] = ..., report: _Optional[str] = ..., rounds: _Optional[int] = ..., made: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ..., record: _Optional[_Union[Meta, _Mapping]] = ...) -> None: ...

class DestroyRequest(_message.Message):
    __slots__ = ("provisioning_id", "lease")
    PROVISIONING_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    provisioning_id: str
    lease: _common_pb2.LeaseRef
    def __init__(self, provisioning_id: _Optional[str] = ..., lease: _Optional[_Union[_common_pb2.LeaseRef, _Mapping]] = ...) -> None: ...

class DestroyResponse(_message.Message):
    __slots__ = ("destroyed", "swept")
    DESTROYED_FIELD_NUMBER: _ClassVar[int]
    SWEPT_FIELD_NUMBER: _ClassVar[int]
    destroyed: _containers.RepeatedCompositeFieldContainer[Resource]
    swept: _containers.RepeatedCompositeFieldContainer[Resource]
    def __init__(self, destroyed: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ..., swept: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ...) -> None: ...

class SweepRequest(_message.Message):
    __slots__ = ("lease", "resources")
    LEASE_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    lease: _common_pb2.LeaseRef
    resources: _containers.RepeatedCompositeFieldContainer[Resource]
    def __init__(self, lease: _Optional[_Union[_common_pb2.LeaseRef, _Mapping]] = ..., resources: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ...) -> None: ...

class SweepResponse(_message.Message):
    __slots__ = ("swept",)
    SWEPT_FIELD_NUMBER: _ClassVar[int]
    swept: _containers.RepeatedCompositeFieldContainer[Resource]
    def __init__(self, swept: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ...) -> None: ...

class GetProvisioningRequest(_message.Message):
    __slots__ = ("provisioning_id", "request_id")
    PROVISIONING_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    provisioning_id: str
    request_id: str
    def __init__(self, provisioning_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class GetProvisioningResponse(_message.Message):
    __slots__ = ("provisioning",)
    PROVISIONING_FIELD_NUMBER: _ClassVar[int]
    provisioning: Provisioning
    def __init__(self, provisioning: _Optional[_Union[Provisioning, _Mapping]] = ...) -> None: ...

class ListProvisioningsRequest(_message.Message):
    __slots__ = ("states", "provisioning_id", "limit")
    STATES_FIELD_NUMBER: _ClassVar[int]
    PROVISIONING_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    states: _containers.RepeatedScalarFieldContainer[str]
    provisioning_id: str
    limit: int
    def __init__(self, states: _Optional[_Iterable[str]] = ..., provisioning_id: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListProvisioningsResponse(_message.Message):
    __slots__ = ("provisionings",)
    PROVISIONINGS_FIELD_NUMBER: _ClassVar[int]
    provisionings: _containers.RepeatedCompositeFieldContainer[Provisioning]
    def __init__(self, provisionings: _Optional[_Iterable[_Union[Provisioning, _Mapping]]] = ...) -> None: ...
