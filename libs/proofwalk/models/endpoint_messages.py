"""Messages as OpenAI's protocol has them, and their content as text."""

from __future__ import annotations

import base64
from typing import Any

from proofwalk.models.client import Message


def wire(message: Message) -> dict[str, Any]:
    """A message as the protocol has it; images as data URLs, behind the text."""
    if not message.images:
        return {"role": message.role, "content": message.text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}]
    for image in message.images:
        address = f"data:image/jpeg;base64,{base64.b64encode(image.jpeg).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": address}})
    return {"role": message.role, "content": parts}


def text_of(content: str | list[dict[str, Any]] | None) -> str:
    """Content as text; some endpoints answer in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return content or ""
