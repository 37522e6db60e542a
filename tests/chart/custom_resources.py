"""Strict schemas of the custom resources that the chart makes, cut down to the fields
that it uses.

Kubernetes' own schemas do not have them. Field names, types and nesting were compared
by hand with the custom resource definitions of KEDA 2.16, of the Prometheus operator
and of cert-manager 1.19; `additionalProperties: false` everywhere makes a field that
nobody compared fail.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string", "minLength": 1}
_TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
_METADATA: Schema = {
    "type": "object",
    "properties": {"name": _TEXT, "labels": _TEXTS},
    "required": ["name"],
    "additionalProperties": False,
}


def _object(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items, "minItems": 1}


def _resource(version: str, kind: str, spec: Schema) -> Schema:
    return _object(
        ("apiVersion", "kind", "metadata", "spec"),
        apiVersion={"const": version},
        kind={"const": kind},
        metadata=_METADATA,
        spec=spec,
    )


_REDIS_STREAMS = _object(
    ("type", "metadata", "authenticationRef"),
    type={"const": "redis-streams"},
    # KEDA takes every value of a trigger's metadata as text.
    metadata=_object(
        ("address", "stream", "consumerGroup", "lagCount"),
        address={"type": "string", "pattern": r"^[^:]+:[0-9]+$"},
        enableTLS={"enum": ["true", "false"]},
        databaseIndex={"type": "string", "pattern": "^[0-9]+$"},
        stream=_TEXT,
        consumerGroup=_TEXT,
        lagCount={"type": "string", "pattern": "^[1-9][0-9]*$"},
    ),
    authenticationRef=_object(("name",), name=_TEXT),
)
_POSTGRESQL = _object(
    ("type", "metadata", "authenticationRef"),
    type={"const": "postgresql"},
    metadata=_object(
        ("query", "targetQueryValue"),
        query=_TEXT,
        targetQueryValue={"type": "string", "pattern": "^[1-9][0-9]*$"},
    ),
    authenticationRef=_object(("name",), name=_TEXT),
)
_HOURS: Schema = {"type": "string", "pattern": r"^[1-9][0-9]*h$"}
_KEY = _object(
    ("algorithm", "size"),
    algorithm={"const": "ECDSA"},
    size={"enum": [256, 384, 521]},
    rotationPolicy={"enum": ["Always", "Never"]},
)
_ISSUER_REF = _object(
    ("name", "kind", "group"),
    name=_TEXT,
    kind={"enum": ["Issuer", "ClusterIssuer"]},
    group={"const": "cert-manager.io"},
)
_WHOLE: Schema = {"type": "integer", "minimum": 0}

SCHEMAS: dict[str, Schema] = {
    "ScaledObject": _resource(
        "keda.sh/v1alpha1",
        "ScaledObject",
        _object(
            ("scaleTargetRef", "triggers"),
            scaleTargetRef=_object(
                ("name",), apiVersion={"const": "apps/v1"}, kind={"const": "Deployment"}, name=_TEXT
            ),
            minReplicaCount=_WHOLE,
            maxReplicaCount=_WHOLE,
            pollingInterval=_WHOLE,
            advanced=_object(
                horizontalPodAutoscalerConfig=_object(
                    behavior=_object(
                        scaleDown=_object(
                            stabilizationWindowSeconds={
                                "type": "integer",
                                "minimum": 0,
                                "maximum": 3600,
                            },
                            policies=_list(
                                _object(
                                    ("type", "value", "periodSeconds"),
                                    type={"const": "Pods"},
                                    value=_WHOLE,
                                    periodSeconds=_WHOLE,
                                )
                            ),
                        )
                    )
                )
            ),
            triggers=_list({"oneOf": [_REDIS_STREAMS, _POSTGRESQL]}),
        ),
    ),
    "TriggerAuthentication": _resource(
        "keda.sh/v1alpha1",
        "TriggerAuthentication",
        _object(
            ("secretTargetRef",),
            secretTargetRef=_list(
                _object(("parameter", "name", "key"), parameter=_TEXT, name=_TEXT, key=_TEXT)
            ),
        ),
    ),
    "Issuer": _resource(
        "cert-manager.io/v1",
        "Issuer",
        {
            "oneOf": [
                _object(("selfSigned",), selfSigned=_object()),
                _object(("ca",), ca=_object(("secretName",), secretName=_TEXT)),
            ]
        },
    ),
    "Certificate": _resource(
        "cert-manager.io/v1",
        "Certificate",
        _object(
            ("secretName", "issuerRef", "privateKey"),
            isCA={"const": True},
            commonName={"type": "string", "minLength": 1, "maxLength": 64},
            secretName=_TEXT,
            duration=_HOURS,
            renewBefore=_HOURS,
            privateKey=_KEY,
            usages=_list({"enum": ["digital signature", "client auth", "server auth"]}),
            uris=_list({"type": "string", "pattern": "^spiffe://"}),
            dnsNames=_list(_TEXT),
            issuerRef=_ISSUER_REF,
        ),
    ),
    "ServiceMonitor": _resource(
        "monitoring.coreos.com/v1",
        "ServiceMonitor",
        _object(
            ("selector", "endpoints"),
            jobLabel=_TEXT,
            targetLabels=_list(_TEXT),
            selector=_object(("matchLabels",), matchLabels=_TEXTS),
            endpoints=_list(
                _object(
                    ("port",),
                    port=_TEXT,
                    path=_TEXT,
                    interval={"type": "string", "pattern": r"^[0-9]+(ms|s|m)$"},
                )
            ),
        ),
    ),
    "PrometheusRule": _resource(
        "monitoring.coreos.com/v1",
        "PrometheusRule",
        _object(
            ("groups",),
            groups=_list(
                _object(
                    ("name", "rules"),
                    name=_TEXT,
                    rules=_list(
                        _object(
                            ("alert", "expr", "labels", "annotations"),
                            alert=_TEXT,
                            expr=_TEXT,
                            labels=_TEXTS,
                            annotations=_TEXTS,
                            **{"for": {"type": "string", "pattern": r"^[0-9]+[smh]$"}},
                        )
                    ),
                )
            ),
        ),
    ),
}
