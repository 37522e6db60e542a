import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Sandbox(_message.Message):
    __slots__ = ("sandbox_id", "tool", "epoch", "state", "holder", "expires_at", "cdp_endpoint", "warm")
    SANDBOX_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CDP_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    WARM_FIELD_NUMBER: _ClassVar[int]
    sandbox_id: str
    tool: str
    epoch: int
    state: str
    holder: str
    expires_at: _timestamp_pb2.Timestamp
    cdp_endpoint: str
    warm: bool
    def __init__(self, sandbox_id: _Optional[str] = ..., tool: _Optional[str] = ..., epoch: _Optional[int] = ..., state: _Optional[str] = ..., holder: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., cdp_endpoint: _Optional[str] = ..., warm: _Optional[bool] = ...) -> None: ...

class AcquireSandboxRequest(_message.Message):
    __slots__ = ("request_id", "tool", "holder", "ttl", "allowed_hosts")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_HOSTS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tool: str
    holder: str
    ttl: _duration_pb2.Duration
    allowed_hosts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, request_id: _Optional[str] = ..., tool: _Optional[str] = ..., holder: _Optional[str] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., allowed_hosts: _Optional[_Iterable[str]] = ...) -> None: ...

class AcquireSandboxResponse(_message.Message):
    __slots__ = ("sandbox",)
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    sandbox: Sandbox
    def __init__(self, sandbox: _Optional[_Union[Sandbox, _Mapping]] = ...) -> None: ...

class RenewSandboxRequest(_message.Message):
    __slots__ = ("sandbox_id", "epoch", "ttl")
    SANDBOX_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    sandbox_id: str
    epoch: int
    ttl: _duration_pb2.Duration
    def __init__(self, sandbox_id: _Optional[str] = ..., epoch: _Optional[int] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RenewSandboxResponse(_message.Message):
    __slots__ = ("sandbox",)
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    sandbox: Sandbox
    def __init__(self, sandbox: _Optional[_Union[Sandbox, _Mapping]] = ...) -> None: ...

class ReleaseSandboxRequest(_message.Message):
    __slots__ = ("sandbox_id", "epoch")
    SANDBOX_ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    sandbox_id: str
    epoch: int
    def __init__(self, sandbox_id: _Optional[str] = ..., epoch: _Optional[int] = ...) -> None: ...

class ReleaseSandboxResponse(_message.Message):
    __slots__ = ("refused_hosts",)
    class RefusedHostsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    REFUSED_HOSTS_FIELD_NUMBER: _ClassVar[int]
    refused_hosts: _containers.ScalarMap[str, int]
    def __init__(self, refused_hosts: _Optional[_Mapping[str, int]] = ...) -> None: ...

class ListToolsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListToolsResponse(_message.Message):
    __slots__ = ("tools",)
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[Tool]
    def __init__(self, tools: _Optional[_Iterable[_Union[Tool, _Mapping]]] = ...) -> None: ...

class Tool(_message.Message):
    __slots__ = ("name", "version", "backend", "warm", "leased", "quota", "ticket_key")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    WARM_FIELD_NUMBER: _ClassVar[int]
    LEASED_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    TICKET_KEY_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    backend: str
    warm: int
    leased: int
    quota: int
    ticket_key: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., backend: _Optional[str] = ..., warm: _Optional[int] = ..., leased: _Optional[int] = ..., quota: _Optional[int] = ..., ticket_key: _Optional[str] = ...) -> None: ...

class ListSandboxesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListSandboxesResponse(_message.Message):
    __slots__ = ("sandboxes",)
    SANDBOXES_FIELD_NUMBER: _ClassVar[int]
    sandboxes: _containers.RepeatedCompositeFieldContainer[Sandbox]
    def __init__(self, sandboxes: _Optional[_Iterable[_Union[Sandbox, _Mapping]]] = ...) -> None: ...
