"""Facts of the vendor's OpenAPI that hold for every product: versions, public
addresses, and what the codes of refusals mean. Nothing here needs an SDK."""

from __future__ import annotations

import re
from collections.abc import Mapping

VERSIONS: Mapping[str, str] = {
    "alidns": "2015-01-09",
    "cms": "2019-01-01",
    "ecs": "2014-05-26",
    "ess": "2022-02-22",
    "kms": "2016-01-20",
    "kvstore": "2015-01-01",
    "log": "2020-12-30",
    "oss": "2019-05-17",
    "ram": "2015-05-01",
    "rds": "2014-08-15",
    "slb": "2014-05-15",
    "vpc": "2016-04-28",
}
"""API version by product, under the names of the real provider's `endpoints` block."""
_PUBLIC = {
    "alidns": "alidns.aliyuncs.com",
    "business": "business.aliyuncs.com",
    "cms": "metrics.{region}.aliyuncs.com",
    "kvstore": "r-kvstore.{region}.aliyuncs.com",
    "ram": "ram.aliyuncs.com",
    "rds": "rds.aliyuncs.com",
    "resourcecenter": "resourcecenter.aliyuncs.com",
    "resourcemanager": "resourcemanager.aliyuncs.com",
}
_CONFLICTS = (
    "DependencyViolation",
    "Incorrect",
    "OperationConflict",
    "TaskConflict",
    "OperationDenied.DBInstanceStatus",
    "InvalidOperation.Conflict",
    "InvalidStatus",
    "DeleteConflict",
    "LastOperationNotFinished",
    "ResourceConflict",
)
_TELLS = re.compile(r"Passw|Secret|Vnc|Token|Credential|UserData|Certificate")
_NAMES_OF_SECRETS = frozenset({"DescribeSecret", "ListSecrets"})
_ABSENT = (".NotFound", "NotExist", ".NoExist", "NotBelongToUser")


def public_host(product: str, region: str) -> str:
    """The vendor's own address of a product."""
    return _PUBLIC.get(product, product + ".{region}.aliyuncs.com").format(region=region)


def means_absent(code: str) -> bool:
    """Whether what the request is about is not there."""
    return (
        any(mark in code for mark in _ABSENT)
        or code.endswith("NotFound")
        or code.startswith("NoSuch")
    )


def means_conflict(code: str) -> bool:
    """Whether something depends on it, or it is between two states: later it may
    work."""
    return code.startswith(_CONFLICTS)


def may_tell_secret(operation: str) -> bool:
    """Whether an operation that reads may answer with a secret."""
    return bool(_TELLS.search(operation)) and operation not in _NAMES_OF_SECRETS
