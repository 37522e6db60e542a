"""Buckets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.objects.cors import cors_rows, put_cors
from proofwalk.resource_provisioner.alicloud_provider.objects.features import (
    put_acceleration,
    put_encryption,
    put_logging,
    put_referer,
    put_versioning,
)
from proofwalk.resource_provisioner.alicloud_provider.objects.lifecycle import (
    lifecycle_rows,
    put_lifecycle,
)
from proofwalk.resource_provisioner.alicloud_provider.objects.rows import Rows, meaning
from proofwalk.resource_provisioner.alicloud_provider.objects.website import (
    put_website,
    website_rows,
)
from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Resource,
    State,
    given,
    tag_params,
    tags_of,
)
from proofwalk.resource_provisioner.alicloud_provider.values import known


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
            "versioning": put_versioning,
            "server_side_encryption_rule": put_encryption,
            "logging": put_logging,
            "website": put_website,
            "referer_config": put_referer,
            "lifecycle_rule": put_lifecycle,
            "cors_rule": put_cors,
            "transfer_acceleration": put_acceleration,
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
            "website": website_rows(cloud, bucket),
            "lifecycle_rule": lifecycle_rows(cloud, bucket),
            "cors_rule": cors_rows(cloud, bucket),
        }
        for name, rows in there.items():
            if [meaning(one) for one in merged[name]] != [meaning(one) for one in rows]:
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


RESOURCES: Sequence[type[Resource]] = (Bucket,)
