import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Image(_message.Message):
    __slots__ = ("jpeg", "width", "height")
    JPEG_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    jpeg: bytes
    width: int
    height: int
    def __init__(self, jpeg: _Optional[bytes] = ..., width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("role", "text", "images")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    role: str
    text: str
    images: _containers.RepeatedCompositeFieldContainer[Image]
    def __init__(self, role: _Optional[str] = ..., text: _Optional[str] = ..., images: _Optional[_Iterable[_Union[Image, _Mapping]]] = ...) -> None: ...

class GenerateRequest(_message.Message):
    __slots__ = ("request_id", "messages", "json_schema", "n", "max_tokens", "temperature", "seed", "prompt_token_ids", "top_p", "stop", "prompt_logprobs")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    JSON_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    N_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    TOP_P_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    PROMPT_LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    json_schema: str
    n: int
    max_tokens: int
    temperature: float
    seed: int
    prompt_token_ids: _containers.RepeatedScalarFieldContainer[int]
    top_p: float
    stop: _containers.RepeatedScalarFieldContainer[str]
    prompt_logprobs: bool
    def __init__(self, request_id: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., json_schema: _Optional[str] = ..., n: _Optional[int] = ..., max_tokens: _Optional[int] = ..., temperature: _Optional[float] = ..., seed: _Optional[int] = ..., prompt_token_ids: _Optional[_Iterable[int]] = ..., top_p: _Optional[float] = ..., stop: _Optional[_Iterable[str]] = ..., prompt_logprobs: _Optional[bool] = ...) -> None: ...

class Sample(_message.Message):
    __slots__ = ("text", "token_ids", "logprobs", "finish_reason", "constrained_logprobs")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    CONSTRAINED_LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    text: str
    token_ids: _containers.RepeatedScalarFieldContainer[int]
    logprobs: _containers.RepeatedScalarFieldContainer[float]
    finish_reason: str
    constrained_logprobs: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, text: _Optional[str] = ..., token_ids: _Optional[_Iterable[int]] = ..., logprobs: _Optional[_Iterable[float]] = ..., finish_reason: _Optional[str] = ..., constrained_logprobs: _Optional[_Iterable[float]] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("tokens_in", "tokens_cached", "tokens_out", "cost", "currency")
    TOKENS_IN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_CACHED_FIELD_NUMBER: _ClassVar[int]
    TOKENS_OUT_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    cost: float
    currency: str
    def __init__(self, tokens_in: _Optional[int] = ..., tokens_cached: _Optional[int] = ..., tokens_out: _Optional[int] = ..., cost: _Optional[float] = ..., currency: _Optional[str] = ...) -> None: ...

class GenerateResponse(_message.Message):
    __slots__ = ("policy_version", "prompt_token_ids", "samples", "prompt_logprobs", "usage")
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    PROMPT_LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    policy_version: str
    prompt_token_ids: _containers.RepeatedScalarFieldContainer[int]
    samples: _containers.RepeatedCompositeFieldContainer[Sample]
    prompt_logprobs: _containers.RepeatedScalarFieldContainer[float]
    usage: Usage
    def __init__(self, policy_version: _Optional[str] = ..., prompt_token_ids: _Optional[_Iterable[int]] = ..., samples: _Optional[_Iterable[_Union[Sample, _Mapping]]] = ..., prompt_logprobs: _Optional[_Iterable[float]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ...) -> None: ...

class Delta(_message.Message):
    __slots__ = ("index", "text", "token_ids", "logprobs", "constrained_logprobs", "finish_reason")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    CONSTRAINED_LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    index: int
    text: str
    token_ids: _containers.RepeatedScalarFieldContainer[int]
    logprobs: _containers.RepeatedScalarFieldContainer[float]
    constrained_logprobs: _containers.RepeatedScalarFieldContainer[float]
    finish_reason: str
    def __init__(self, index: _Optional[int] = ..., text: _Optional[str] = ..., token_ids: _Optional[_Iterable[int]] = ..., logprobs: _Optional[_Iterable[float]] = ..., constrained_logprobs: _Optional[_Iterable[float]] = ..., finish_reason: _Optional[str] = ...) -> None: ...

class GenerateStreamResponse(_message.Message):
    __slots__ = ("delta", "end")
    DELTA_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    delta: Delta
    end: GenerateResponse
    def __init__(self, delta: _Optional[_Union[Delta, _Mapping]] = ..., end: _Optional[_Union[GenerateResponse, _Mapping]] = ...) -> None: ...

class Continuation(_message.Message):
    __slots__ = ("prompt_token_ids", "completion_token_ids")
    PROMPT_TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    prompt_token_ids: _containers.RepeatedScalarFieldContainer[int]
    completion_token_ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, prompt_token_ids: _Optional[_Iterable[int]] = ..., completion_token_ids: _Optional[_Iterable[int]] = ...) -> None: ...

class TokenLogprobs(_message.Message):
    __slots__ = ("logprobs",)
    LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    logprobs: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, logprobs: _Optional[_Iterable[float]] = ...) -> None: ...

class ScoreRequest(_message.Message):
    __slots__ = ("continuations",)
    CONTINUATIONS_FIELD_NUMBER: _ClassVar[int]
    continuations: _containers.RepeatedCompositeFieldContainer[Continuation]
    def __init__(self, continuations: _Optional[_Iterable[_Union[Continuation, _Mapping]]] = ...) -> None: ...

class ScoreResponse(_message.Message):
    __slots__ = ("policy_version", "continuations")
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTINUATIONS_FIELD_NUMBER: _ClassVar[int]
    policy_version: str
    continuations: _containers.RepeatedCompositeFieldContainer[TokenLogprobs]
    def __init__(self, policy_version: _Optional[str] = ..., continuations: _Optional[_Iterable[_Union[TokenLogprobs, _Mapping]]] = ...) -> None: ...

class LoadWeightsRequest(_message.Message):
    __slots__ = ("policy_version", "uri", "digest")
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    policy_version: str
    uri: str
    digest: str
    def __init__(self, policy_version: _Optional[str] = ..., uri: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class LoadWeightsResponse(_message.Message):
    __slots__ = ("policy_version", "digest")
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    policy_version: str
    digest: str
    def __init__(self, policy_version: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class ListVersionsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Version(_message.Message):
    __slots__ = ("policy_version", "uri", "digest", "base", "loaded_at")
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    LOADED_AT_FIELD_NUMBER: _ClassVar[int]
    policy_version: str
    uri: str
    digest: str
    base: str
    loaded_at: _timestamp_pb2.Timestamp
    def __init__(self, policy_version: _Optional[str] = ..., uri: _Optional[str] = ..., digest: _Optional[str] = ..., base: _Optional[str] = ..., loaded_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListVersionsResponse(_message.Message):
    __slots__ = ("versions", "serving")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    SERVING_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[Version]
    serving: str
    def __init__(self, versions: _Optional[_Iterable[_Union[Version, _Mapping]]] = ..., serving: _Optional[str] = ...) -> None: ...
