"""The product files as they are read: YAML by product id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from proofwalk.devcloud.products.catalogue import ProductError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

FILES = "*.yaml"


class RawProducts(dict[str, Any]):
    """Contents of product files by product id, and which file each came from."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}


def read_folder(folder: Path) -> RawProducts:
    """The files' contents by product id, in order of file name."""
    raw = RawProducts()
    for path in sorted(folder.glob(FILES)):
        try:
            content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  # both are safe loaders
        except yaml.YAMLError as error:
            raise ProductError(path.name, f"is not YAML: {error}") from error
        if not isinstance(content, dict) or "id" not in content:
            raise ProductError(path.name, "needs a mapping with an `id`")
        content.pop("shapes", None)  # holds YAML anchors only
        product_id = str(content["id"])
        if product_id in raw:
            raise ProductError(path.name, f"{raw.files[product_id]} has the same id {product_id!r}")
        raw[product_id] = content
        raw.files[product_id] = path.name
    return raw
