"""Buckets of Object Storage Service with everything that a template sets on them, and
objects.

The operations are spoken in RPC form. A bucket's blocks are brought about one by one
after it has been made; each reads back as the template wrote it while it means the
same, so that a plan without a change shows none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
)
from proofwalk.resource_provisioner.alicloud_provider.values import known

Rows = Sequence[Mapping[str, Any]]
_RULE = "LifecycleConfiguration.Rule"


def _first(rows: Any) -> Mapping[str, Any]:
    return next(iter(rows or []), {})


class Bucket(Resource):
    """`alicloud_oss_bucket`; its id is its name."""

    type_name = "alicloud_oss_bucket"
    replaced_by = frozenset({"bucket", "storage_class", "redundancy_type"})
    defaults = {  # noqa: RUF012
        "storage_class": "Standard",
        "redundancy_type": "LRS",
    }
    choices = {  # noqa: RUF012
        "acl": ("private", "public-read", "public-read-write"),
        "storage_class": ("Standard", "IA", "Archive", "ColdArchive"),
        "redundancy_type": ("LRS", "ZRS"),
    }
    needed = ("bucket",)

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write(
            "oss",
            "PutBucket",
            BucketName=planned["bucket"],
            LocationConstraint=f"oss-{cloud.region}",
            StorageClass=given(planned, "storage_class"),
            DataRedundancyType=given(planned, "redundancy_type"),
            Acl=given(planned, "acl"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(planned["bucket"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        self._wait(cloud, state["id"])
        for name, put in self._blocks().items():
            if state.get(name):
                put(cloud, state["id"], known(state[name]))
        self._wait(cloud, state["id"])

    def _wait(self, cloud: CloudApi, bucket: str) -> None:
        look = lambda: cloud.find("oss", "GetBucketInfo", BucketName=bucket)  # noqa: E731
        cloud.wait(
            bucket,
            look,
            lambda row: row["Bucket"].get("Status", "Available") == "Available",
            timeout_s=60,
        )

    def _blocks(self) -> Mapping[str, Callable[[CloudApi, str, Rows], None]]:
        return {
            "versioning": _put_versioning,
            "server_side_encryption_rule": _put_encryption,
            "logging": _put_logging,
            "website": _put_website,
            "referer_config": _put_referer,
            "lifecycle_rule": _put_lifecycle,
            "cors_rule": _put_cors,
            "transfer_acceleration": _put_acceleration,
        }

    def read(self, cloud: CloudApi, state: State) -> State | None:
        bucket = state["id"]
        answer = cloud.find("oss", "GetBucketInfo", BucketName=bucket)
        if answer is None:
            return None
        row = answer["Bucket"]
        tags = cloud.read("oss", "GetBucketTags", BucketName=bucket)
        merged = self.merged(
            state,
            {
                "bucket": row.get("Name"),
                "acl": (row.get("AccessControlList") or {}).get("Grant"),
                "creation_date": row.get("CreationDate"),
                "extranet_endpoint": row.get("ExtranetEndpoint"),
                "intranet_endpoint": row.get("IntranetEndpoint"),
                "location": row.get("Location"),
                "owner": (row.get("Owner") or {}).get("ID"),
                "redundancy_type": row.get("DataRedundancyType"),
                "storage_class": row.get("StorageClass"),
                "tags": tags_of({"Tags": tags.get("TagSet") or {}}, "Key", "Value"),
            },
        )
        encryption = row.get("ServerSideEncryptionRule") or {}
        logging = row.get("BucketPolicy") or {}
        there: dict[str, list[dict[str, Any]]] = {
            "versioning": [{"status": row["Versioning"]}] if row.get("Versioning") else [],
            "server_side_encryption_rule": (
                [
                    {
                        "sse_algorithm": encryption["SSEAlgorithm"],
                        "kms_master_key_id": encryption.get("KMSMasterKeyID") or None,
                        "kms_data_encryption": None,
                    }
                ]
                if encryption.get("SSEAlgorithm")
                else []
            ),
            "logging": (
                [
                    {
                        "target_bucket": logging["LogBucket"],
                        "target_prefix": logging.get("LogPrefix") or None,
                    }
                ]
                if logging.get("LogBucket")
                else []
            ),
            "website": _website(cloud, bucket),
            "lifecycle_rule": _lifecycle(cloud, bucket),
            "cors_rule": _cors(cloud, bucket),
        }
        for name, rows in there.items():
            if [_meaning(one) for one in merged[name]] != [_meaning(one) for one in rows]:
                empty = self.block.blocks[name].block.empty()
                merged[name] = [empty | one for one in rows]
        return merged

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        bucket = prior["id"]
        if "acl" in changed and given(planned, "acl"):
            cloud.write("oss", "PutBucketAcl", BucketName=bucket, Acl=planned["acl"])
        if "tags" in changed:
            cloud.write(
                "oss", "PutBucketTags", BucketName=bucket, Tag=tag_params(planned.get("tags"))
            )
        for name, put in self._blocks().items():
            if name in changed:
                put(cloud, bucket, known(planned.get(name) or []))
        self._wait(cloud, bucket)

    def delete(self, cloud: CloudApi, state: State) -> None:
        bucket = state["id"]
        if given(state, "force_destroy"):
            listed = cloud.find("oss", "ListObjectsV2", BucketName=bucket, PageSize=100) or {}
            while listed.get("Contents"):
                for one in listed["Contents"]:
                    cloud.remove("oss", "DeleteObject", BucketName=bucket, Key=one["Key"])
                listed = cloud.read("oss", "ListObjectsV2", BucketName=bucket, PageSize=100)
        cloud.remove("oss", "DeleteBucket", BucketName=bucket)


def _meaning(value: Any) -> Any:
    """A block without what it leaves open."""
    if isinstance(value, Mapping):
        kept = {name: _meaning(item) for name, item in value.items()}
        return {
            name: item for name, item in kept.items() if item not in (None, "", [], {}, 0, False)
        }
    return [_meaning(item) for item in value] if isinstance(value, list) else value


def _put_versioning(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    # What was enabled once can only be suspended.
    cloud.write(
        "oss",
        "PutBucketVersioning",
        BucketName=bucket,
        Status=_first(rows).get("status") or "Suspended",
    )


def _put_encryption(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    if not rows:
        cloud.remove("oss", "DeleteBucketEncryption", BucketName=bucket)
        return
    rule = _first(rows)
    key = rule.get("kms_master_key_id")
    cloud.write(
        "oss",
        "PutBucketEncryption",
        BucketName=bucket,
        SSEAlgorithm=rule["sse_algorithm"],
        KMSMasterKeyID=key,
    )


def _put_logging(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    if not rows:
        cloud.remove("oss", "DeleteBucketLogging", BucketName=bucket)
        return
    target = _first(rows)
    prefix = target.get("target_prefix") or None
    cloud.write(
        "oss",
        "PutBucketLogging",
        BucketName=bucket,
        TargetBucket=target["target_bucket"],
        TargetPrefix=prefix,
    )


def _put_website(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    if not rows:
        cloud.remove("oss", "DeleteBucketWebsite", BucketName=bucket)
        return
    pages = {
        "IndexDocument.Suffix": rows[0]["index_document"],
        "ErrorDocument.Key": rows[0].get("error_document") or None,
    }
    cloud.write("oss", "PutBucketWebsite", BucketName=bucket, **pages)


def _website(cloud: CloudApi, bucket: str) -> list[dict[str, Any]]:
    answer = cloud.read("oss", "GetBucketWebsite", BucketName=bucket)
    index = (answer.get("IndexDocument") or {}).get("Suffix")
    error = (answer.get("ErrorDocument") or {}).get("Key")
    return [{"index_document": index, "error_document": error or None}] if index else []


def _put_referer(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    rule = _first(rows)
    allowed = rule.get("allow_empty") is not False
    listed = ",".join(rule.get("referers") or [])
    cloud.write(
        "oss",
        "PutBucketReferer",
        BucketName=bucket,
        AllowEmptyReferer=allowed,
        RefererList=listed or None,
    )


def _put_acceleration(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    cloud.write(
        "oss",
        "PutBucketTransferAcceleration",
        BucketName=bucket,
        Enabled=bool(_first(rows).get("enabled")),
    )


def _put_lifecycle(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    cloud.remove("oss", "DeleteBucketLifecycle", BucketName=bucket)
    for number, rule in enumerate(rows, start=1):
        transitions = rule.get("transitions") or []
        if len(transitions) > 1:
            raise ApiError("PutBucketLifecycle", "NotSupported", "a rule may have one transition")
        expiration, transition = _first(rule.get("expiration")), _first(transitions)
        members = {
            "ID": rule.get("id") or f"rule-{number}",
            "Status": "Enabled" if rule["enabled"] else "Disabled",
            "Prefix": rule.get("prefix") or None,
            "Expiration.Days": expiration.get("days") or None,
            "Expiration.CreatedBeforeDate": (
                expiration.get("created_before_date") or expiration.get("date") or None
            ),
            "Transition.Days": transition.get("days") or None,
            "Transition.StorageClass": transition.get("storage_class"),
            "AbortMultipartUpload.Days": (
                _first(rule.get("abort_multipart_upload")).get("days") or None
            ),
        }
        cloud.write(
            "oss",
            "PutBucketLifecycle",
            BucketName=bucket,
            **{f"{_RULE}.{name}": v for name, v in members.items()},
        )


def _lifecycle(cloud: CloudApi, bucket: str) -> list[dict[str, Any]]:
    answer = cloud.read("oss", "GetBucketLifecycle", BucketName=bucket, PageSize=100)
    rules = []
    for row in (answer.get("LifecycleConfiguration") or {}).get("Rule") or []:
        expiration, transition = row.get("Expiration") or {}, row.get("Transition") or {}
        abort = (row.get("AbortMultipartUpload") or {}).get("Days")
        before = str(expiration.get("CreatedBeforeDate") or "")[:10]
        days = {"days": expiration.get("Days") or None, "created_before_date": before or None}
        moved = {
            "days": transition.get("Days") or None,
            "storage_class": transition.get("StorageClass"),
        }
        rules.append(
            {
                "id": row["ID"],
                "enabled": row.get("Status") == "Enabled",
                "prefix": row.get("Prefix") or None,
                "expiration": (
                    [{"date": None, "expired_object_delete_marker": None, **days}]
                    if any(days.values())
                    else []
                ),
                "transitions": (
                    [
                        {
                            "created_before_date": None,
                            "is_access_time": None,
                            "return_to_std_when_visit": None,
                            **moved,
                        }
                    ]
                    if moved["storage_class"]
                    else []
                ),
                "abort_multipart_upload": (
                    [{"days": abort, "created_before_date": None}] if abort else []
                ),
            }
        )
    return rules


def _put_cors(cloud: CloudApi, bucket: str, rows: Rows) -> None:
    cloud.remove("oss", "DeleteBucketCors", BucketName=bucket)
    for rule in rows:
        members = {
            "AllowedOrigin": ",".join(rule["allowed_origins"]),
            "AllowedMethod": ",".join(rule["allowed_methods"]),
            "AllowedHeader": ",".join(rule.get("allowed_headers") or []) or None,
            "ExposeHeader": ",".join(rule.get("expose_headers") or []) or None,
            "MaxAgeSeconds": rule.get("max_age_seconds"),
        }
        cloud.write(
            "oss",
            "PutBucketCors",
            BucketName=bucket,
            **{f"CORSRule.{name}": value for name, value in members.items()},
        )


def _cors(cloud: CloudApi, bucket: str) -> list[dict[str, Any]]:
    answer = cloud.read("oss", "GetBucketCors", BucketName=bucket, PageSize=100)
    return [
        {
            "allowed_origins": row.get("AllowedOrigin"),
            "allowed_methods": row.get("AllowedMethod"),
            "allowed_headers": row.get("AllowedHeader") or None,
            "expose_headers": row.get("ExposeHeader") or None,
            "max_age_seconds": row.get("MaxAgeSeconds") or None,
        }
        for row in (answer.get("CORSConfiguration") or {}).get("CORSRule") or []
    ]


class BucketAcl(Resource):
    """`alicloud_oss_bucket_acl`; its id is the bucket's name. Without it a bucket is
    private."""

    type_name = "alicloud_oss_bucket_acl"
    replaced_by = frozenset({"bucket"})
    choices = {"acl": ("private", "public-read", "public-read-write")}  # noqa: RUF012 -- declared ClassVar by the base

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write("oss", "PutBucketAcl", BucketName=planned["bucket"], Acl=planned["acl"])
        return str(planned["bucket"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = cloud.find("oss", "GetBucketAcl", BucketName=state["id"])
        if row is None:
            return None
        return self.merged(
            state, {"bucket": state["id"], "acl": (row.get("AccessControlList") or {}).get("Grant")}
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        cloud.write("oss", "PutBucketAcl", BucketName=prior["id"], Acl=planned["acl"])

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("oss", "PutBucketAcl", BucketName=state["id"], Acl="private")


class BucketObject(Resource):
    """`alicloud_oss_bucket_object`; its id is its key."""

    type_name = "alicloud_oss_bucket_object"
    replaced_by = frozenset({"bucket", "key"})
    follows = {  # noqa: RUF012
        name: frozenset({"content", "source", "content_md5"}) for name in ("etag", "content_length")
    }
    choices = {"acl": ("private", "public-read", "public-read-write")}  # noqa: RUF012

    def create(self, cloud: CloudApi, planned: State) -> str:
        self._put(cloud, planned)
        return str(planned["key"])

    def _put(self, cloud: CloudApi, planned: State) -> None:
        source = given(planned, "source")
        content = given(planned, "content")
        if content is None and source is not None:
            try:
                content = Path(source).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ApiError(
                    "PutObject", "InvalidSource", f"{source} cannot be read as text: {error}"
                ) from error
        cloud.write(
            "oss",
            "PutObject",
            BucketName=planned["bucket"],
            Key=planned["key"],
            Content=content or "",
            Acl=given(planned, "acl"),
            ContentType=given(planned, "content_type"),
        )

    def read(self, cloud: CloudApi, state: State) -> State | None:
        if not state.get("bucket"):
            raise ApiError(
                "Import",
                "NotSupported",
                "an object cannot be imported, because its id does not name its bucket",
            )
        row = cloud.find("oss", "HeadObject", BucketName=state["bucket"], Key=state["id"])
        if row is None:
            return None
        acl = row.get("Acl")
        return self.merged(
            state,
            {
                "key": row.get("Key"),
                "acl": acl if acl != "default" else None,
                "content_length": row.get("ContentLength"),
                "content_type": row.get("ContentType"),
                "etag": str(row.get("ETag") or "").strip('"'),
                "version_id": "",
            },
        )

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed - {"acl"}:
            self._put(cloud, planned)
        else:
            cloud.write(
                "oss",
                "PutObjectAcl",
                BucketName=prior["bucket"],
                Key=prior["id"],
                Acl=given(planned, "acl") or "default",
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("oss", "DeleteObject", BucketName=state["bucket"], Key=state["id"])


RESOURCES: Sequence[type[Resource]] = (Bucket, BucketAcl, BucketObject)
