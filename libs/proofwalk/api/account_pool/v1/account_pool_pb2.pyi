import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CredentialKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CREDENTIAL_KIND_UNSPECIFIED: _ClassVar[CredentialKind]
    CREDENTIAL_KIND_CONSOLE_LOGIN: _ClassVar[CredentialKind]
    CREDENTIAL_KIND_ACCESS_KEY: _ClassVar[CredentialKind]
CREDENTIAL_KIND_UNSPECIFIED: CredentialKind
CREDENTIAL_KIND_CONSOLE_LOGIN: CredentialKind
CREDENTIAL_KIND_ACCESS_KEY: CredentialKind

class Money(_message.Message):
    __slots__ = ("micros", "currency")
    MICROS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    micros: int
    currency: str
    def __init__(self, micros: _Optional[int] = ..., currency: _Optional[str] = ...) -> None: ...

class Lease(_message.Message):
    __slots__ = ("lease_id", "account_id", "external_id", "target", "epoch", "expires_at")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    account_id: str
    external_id: str
    target: str
    epoch: int
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, lease_id: _Optional[str] = ..., account_id: _Optional[str] = ..., external_id: _Optional[str] = ..., target: _Optional[str] = ..., epoch: _Optional[int] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AcquireLeaseRequest(_message.Message):
    __slots__ = ("request_id", "target", "holder", "ttl", "role", "max_cost", "wait", "site", "purpose")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    MAX_COST_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    target: str
    holder: str
    ttl: _duration_pb2.Duration
    role: str
    max_cost: float
    wait: _duration_pb2.Duration
    site: str
    purpose: str
    def __init__(self, request_id: _Optional[str] = ..., target: _Optional[str] = ..., holder: _Optional[str] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., role: _Optional[str] = ..., max_cost: _Optional[float] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., site: _Optional[str] = ..., purpose: _Optional[str] = ...) -> None: ...

class AcquireLeaseResponse(_message.Message):
    __slots__ = ("lease",)
    LEASE_FIELD_NUMBER: _ClassVar[int]
    lease: Lease
    def __init__(self, lease: _Optional[_Union[Lease, _Mapping]] = ...) -> None: ...

class RenewLeaseRequest(_message.Message):
    __slots__ = ("lease_id", "epoch", "ttl")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    epoch: int
    ttl: _duration_pb2.Duration
    def __init__(self, lease_id: _Optional[str] = ..., epoch: _Optional[int] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RenewLeaseResponse(_message.Message):
    __slots__ = ("lease",)
    LEASE_FIELD_NUMBER: _ClassVar[int]
    lease: Lease
    def __init__(self, lease: _Optional[_Union[Lease, _Mapping]] = ...) -> None: ...

class ReleaseLeaseRequest(_message.Message):
    __slots__ = ("lease_id", "epoch")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    epoch: int
    def __init__(self, lease_id: _Optional[str] = ..., epoch: _Optional[int] = ...) -> None: ...

class ReleaseLeaseResponse(_message.Message):
    __slots__ = ("clean", "leftovers", "unproven")
    CLEAN_FIELD_NUMBER: _ClassVar[int]
    LEFTOVERS_FIELD_NUMBER: _ClassVar[int]
    UNPROVEN_FIELD_NUMBER: _ClassVar[int]
    clean: bool
    leftovers: _containers.RepeatedCompositeFieldContainer[Leftover]
    unproven: bool
    def __init__(self, clean: _Optional[bool] = ..., leftovers: _Optional[_Iterable[_Union[Leftover, _Mapping]]] = ..., unproven: _Optional[bool] = ...) -> None: ...

class Leftover(_message.Message):
    __slots__ = ("product", "type", "id", "region", "name")
    PRODUCT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    product: str
    type: str
    id: str
    region: str
    name: str
    def __init__(self, product: _Optional[str] = ..., type: _Optional[str] = ..., id: _Optional[str] = ..., region: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetCredentialRequest(_message.Message):
    __slots__ = ("lease_id", "epoch", "kind")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    epoch: int
    kind: CredentialKind
    def __init__(self, lease_id: _Optional[str] = ..., epoch: _Optional[int] = ..., kind: _Optional[_Union[CredentialKind, str]] = ...) -> None: ...

class GetCredentialResponse(_message.Message):
    __slots__ = ("fields", "external_id")
    class FieldsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    fields: _containers.ScalarMap[str, str]
    external_id: str
    def __init__(self, fields: _Optional[_Mapping[str, str]] = ..., external_id: _Optional[str] = ...) -> None: ...

class InspectAccountRequest(_message.Message):
    __slots__ = ("lease_id", "epoch")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    epoch: int
    def __init__(self, lease_id: _Optional[str] = ..., epoch: _Optional[int] = ...) -> None: ...

class InspectAccountResponse(_message.Message):
    __slots__ = ("leftovers", "unproven")
    LEFTOVERS_FIELD_NUMBER: _ClassVar[int]
    UNPROVEN_FIELD_NUMBER: _ClassVar[int]
    leftovers: _containers.RepeatedCompositeFieldContainer[Leftover]
    unproven: bool
    def __init__(self, leftovers: _Optional[_Iterable[_Union[Leftover, _Mapping]]] = ..., unproven: _Optional[bool] = ...) -> None: ...

class ListRolesRequest(_message.Message):
    __slots__ = ("target",)
    TARGET_FIELD_NUMBER: _ClassVar[int]
    target: str
    def __init__(self, target: _Optional[str] = ...) -> None: ...

class ListRolesResponse(_message.Message):
    __slots__ = ("roles", "default_role", "documents_choose")
    ROLES_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_ROLE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_CHOOSE_FIELD_NUMBER: _ClassVar[int]
    roles: _containers.RepeatedCompositeFieldContainer[AccountRole]
    default_role: str
    documents_choose: bool
    def __init__(self, roles: _Optional[_Iterable[_Union[AccountRole, _Mapping]]] = ..., default_role: _Optional[str] = ..., documents_choose: _Optional[bool] = ...) -> None: ...

class AccountRole(_message.Message):
    __slots__ = ("name", "aliases", "has_account")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    HAS_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    name: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    has_account: bool
    def __init__(self, name: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ..., has_account: _Optional[bool] = ...) -> None: ...

class ListAccountsRequest(_message.Message):
    __slots__ = ("target",)
    TARGET_FIELD_NUMBER: _ClassVar[int]
    target: str
    def __init__(self, target: _Optional[str] = ...) -> None: ...

class ListAccountsResponse(_message.Message):
    __slots__ = ("accounts",)
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[Account]
    def __init__(self, accounts: _Optional[_Iterable[_Union[Account, _Mapping]]] = ...) -> None: ...

class Account(_message.Message):
    __slots__ = ("account_id", "external_id", "target", "state", "epoch", "holder", "expires_at", "reason", "role", "balance", "site", "purposes")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    BALANCE_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    PURPOSES_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    external_id: str
    target: str
    state: str
    epoch: int
    holder: str
    expires_at: _timestamp_pb2.Timestamp
    reason: str
    role: str
    balance: Money
    site: str
    purposes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, account_id: _Optional[str] = ..., external_id: _Optional[str] = ..., target: _Optional[str] = ..., state: _Optional[str] = ..., epoch: _Optional[int] = ..., holder: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ..., role: _Optional[str] = ..., balance: _Optional[_Union[Money, _Mapping]] = ..., site: _Optional[str] = ..., purposes: _Optional[_Iterable[str]] = ...) -> None: ...

class ListLeasesRequest(_message.Message):
    __slots__ = ("target", "account_id", "limit")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    target: str
    account_id: str
    limit: int
    def __init__(self, target: _Optional[str] = ..., account_id: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListLeasesResponse(_message.Message):
    __slots__ = ("leases",)
    LEASES_FIELD_NUMBER: _ClassVar[int]
    leases: _containers.RepeatedCompositeFieldContainer[LedgerLine]
    def __init__(self, leases: _Optional[_Iterable[_Union[LedgerLine, _Mapping]]] = ...) -> None: ...

class LedgerLine(_message.Message):
    __slots__ = ("lease_id", "account_id", "target", "epoch", "holder", "request_id", "granted_at", "ended_at", "cost", "costed_at", "max_cost", "ending", "proof", "site", "purpose")
    LEASE_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    GRANTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    COSTED_AT_FIELD_NUMBER: _ClassVar[int]
    MAX_COST_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    lease_id: str
    account_id: str
    target: str
    epoch: int
    holder: str
    request_id: str
    granted_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    cost: Money
    costed_at: _timestamp_pb2.Timestamp
    max_cost: Money
    ending: str
    proof: str
    site: str
    purpose: str
    def __init__(self, lease_id: _Optional[str] = ..., account_id: _Optional[str] = ..., target: _Optional[str] = ..., epoch: _Optional[int] = ..., holder: _Optional[str] = ..., request_id: _Optional[str] = ..., granted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., cost: _Optional[_Union[Money, _Mapping]] = ..., costed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., max_cost: _Optional[_Union[Money, _Mapping]] = ..., ending: _Optional[str] = ..., proof: _Optional[str] = ..., site: _Optional[str] = ..., purpose: _Optional[str] = ...) -> None: ...

class RestoreAccountRequest(_message.Message):
    __slots__ = ("account_id",)
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    def __init__(self, account_id: _Optional[str] = ...) -> None: ...

class RestoreAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class SweepOrphansRequest(_message.Message):
    __slots__ = ("target", "older_than", "dry_run")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    OLDER_THAN_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    target: str
    older_than: _duration_pb2.Duration
    dry_run: bool
    def __init__(self, target: _Optional[str] = ..., older_than: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class SweepOrphansResponse(_message.Message):
    __slots__ = ("orphans",)
    ORPHANS_FIELD_NUMBER: _ClassVar[int]
    orphans: _containers.RepeatedCompositeFieldContainer[Orphan]
    def __init__(self, orphans: _Optional[_Iterable[_Union[Orphan, _Mapping]]] = ...) -> None: ...

class Orphan(_message.Message):
    __slots__ = ("target", "external_id", "resource", "run", "fate", "reason")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    FATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    target: str
    external_id: str
    resource: Leftover
    run: str
    fate: str
    reason: str
    def __init__(self, target: _Optional[str] = ..., external_id: _Optional[str] = ..., resource: _Optional[_Union[Leftover, _Mapping]] = ..., run: _Optional[str] = ..., fate: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
