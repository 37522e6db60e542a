"""Objects in a bucket."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource, State, given


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


RESOURCES: Sequence[type[Resource]] = (BucketObject,)
