"""A server that answers as vLLM 0.32 does where the engine relies on it: chat,
log-probabilities, schemas, adapters and full weights at run time.

Its model has a token for each byte. It says the same letters again and again, the
adapter's name where an adapter answers and the folder's where full weights were loaded,
and gives the token at place i of a text the
log-probability −(i + 1) / 8: everything can be worked out by hand. Under a schema it
tells 0, the certainty of what the form forces, as vLLM does.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.models.fake_endpoint import FakeEndpoint, Reply, refuse

CONTEXT = 512


def logprob_at(place: int) -> float:
    return -(place + 1) / 8


class FakeVllm(FakeEndpoint):
    """Serves the base `tiny` and the adapters that were loaded."""

    def __init__(self, root: str = "", *, takes_full_weights: bool = False) -> None:
        super().__init__()
        self.root = root
        """The base's folder."""
        self.full = root
        """The folder whose weights it has."""
        self.takes_full_weights = takes_full_weights
        """Started with VLLM_SERVER_DEV_MODE=1."""
        self.started = 1.5e9
        self.is_paused = False
        self.orders: list[str] = []
        """Paths that were asked for at its root, but for looks at its metrics."""
        self.order_faults: dict[str, Reply] = {}
        self.adapters: dict[str, str] = {}
        self.loads: list[str] = []
        self.unloads: list[str] = []
        self.faults: list[Reply] = []
        """Answered first, one for each completion."""
        self.load_faults: list[Reply] = []
        """The same for adapters."""
        self.held = asyncio.Event()
        """Completions wait for it."""
        self.held.set()
        self.waiting = asyncio.Event()
        """Set when one does."""

    def restart(self) -> None:
        """It has its base again, and no adapters."""
        self.full, self.is_paused, self.started = self.root, False, self.started + 60
        self.adapters.clear()

    async def _answer(self, line: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        asked = json.loads(body or b"{}")
        if line.split()[1].startswith("/v1/"):
            self.asked.append({"path": line.split()[1], **asked})
        if not self.held.is_set() and "completions" in line:
            self.waiting.set()
            await self.held.wait()
        reply = self._reply(line.split()[1], asked)
        content = reply.content(asked)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(content)),
            **reply.headers,
        }
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {reply.status} said\r\n{told}\r\n".encode() + content)
        await writer.drain()
        return True

    def _reply(self, path: str, asked: dict[str, Any]) -> Reply:
        if path == "/v1/load_lora_adapter":
            return self._load(asked)
        if path == "/v1/unload_lora_adapter":
            self.unloads.append(asked["lora_name"])
            self.adapters.pop(asked["lora_name"], None)
            return Reply(body=b"Success: LoRA adapter removed successfully.")
        if not path.startswith("/v1/"):
            return self._ordered(path, asked)
        if path == "/v1/models":
            return Reply(body=json.dumps({"data": [{"id": "tiny", "root": self.root}]}).encode())
        if self.faults:
            return self.faults.pop(0)
        if asked["model"] != "tiny" and asked["model"] not in self.adapters:
            return refuse(f"The model `{asked['model']}` does not exist.", 404)
        if path == "/v1/chat/completions":
            return self._chat(asked)
        return self._complete(asked)

    def _load(self, asked: dict[str, Any]) -> Reply:
        if self.load_faults:
            return self.load_faults.pop(0)
        name = asked["lora_name"]
        if name in self.adapters:
            return refuse(f"The lora adapter '{name}' has already been loaded.")
        if "missing" in asked["lora_path"]:
            return refuse(
                f"Loading lora {name} failed: No adapter found for {asked['lora_path']}", 404
            )
        self.loads.append(name)
        self.adapters[name] = asked["lora_path"]
        return Reply(body=f"Success: LoRA adapter '{name}' added successfully.".encode())

    def _ordered(self, path: str, asked: dict[str, Any]) -> Reply:
        if path == "/metrics" and path not in self.order_faults:
            return Reply(body=f"# HELP\nprocess_start_time_seconds {self.started}\n".encode())
        path = path.partition("?")[0]
        self.orders.append(path)
        if path in self.order_faults:
            return self.order_faults.pop(path)
        if not self.takes_full_weights:
            return refuse("Not Found", 404)
        if path in ("/pause", "/resume"):
            self.is_paused = path == "/pause"
        if path == "/collective_rpc":
            assert self.is_paused
            assert asked["method"] == "reload_weights"
            self.full = asked["kwargs"]["weights_path"]
        return Reply(body=b"{}")

    def _chat(self, asked: dict[str, Any]) -> Reply:
        prompt = "".join(
            f"{message['role']}:{message['content']}\n" for message in asked["messages"]
        ).encode()
        text, reason = self._text(asked)
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": text},
                "finish_reason": reason,
                "token_ids": list(text.encode()) if asked.get("return_token_ids") else None,
                "logprobs": {
                    "content": [
                        {
                            "token": f"token_id:{token}",
                            "logprob": 0.0 if "response_format" in asked else logprob_at(place),
                        }
                        for place, token in enumerate(text.encode())
                    ]
                },
            }
            for index in range(asked.get("n", 1))
        ]
        more: dict[str, Any] = {"prompt_token_ids": list(prompt)}
        if "prompt_logprobs" in asked:
            more["prompt_logprobs"] = _positions(list(prompt))
        return self._completed(asked, choices, len(prompt), more)

    def _complete(self, asked: dict[str, Any]) -> Reply:
        given = asked["prompt"]
        prompts: list[list[int]] = given if isinstance(given[0], list) else [given]
        longest = max(map(len, prompts)) + asked["max_tokens"]
        if longest > CONTEXT:
            return refuse(
                f"This model's maximum context length is {CONTEXT} tokens. However, you requested"
                f" {longest} tokens ({longest - asked['max_tokens']} in the messages,"
                f" {asked['max_tokens']} in the completion)."
            )
        text, reason = self._text(asked)
        choices: list[dict[str, Any]] = []
        for prompt in prompts:
            for _ in range(asked.get("n", 1)):
                named = [f"token_id:{token}" for token in text.encode()]
                choice: dict[str, Any] = {
                    "index": len(choices),
                    "text": text,
                    "finish_reason": reason,
                    "prompt_token_ids": prompt,
                }
                choice["token_ids"] = list(text.encode()) if asked.get("return_token_ids") else None
                if asked.get("logprobs") is not None:
                    choice["logprobs"] = {
                        "tokens": named,
                        "token_logprobs": [
                            0.0 if "response_format" in asked else logprob_at(place)
                            for place in range(len(named))
                        ],
                    }
                if "prompt_logprobs" in asked:
                    choice["prompt_logprobs"] = _positions(prompt)
                choices.append(choice)
        return self._completed(asked, choices, sum(map(len, prompts)), {})

    def _text(self, asked: dict[str, Any]) -> tuple[str, str]:
        if "response_format" in asked:
            return json.dumps({"ok": True}), "stop"
        assert not self.is_paused
        changed = asked["model"] == "tiny" and self.full != self.root
        said = f"I am {Path(self.full).name if changed else asked['model']}. " * 40
        return said[: asked["max_tokens"]], "length"

    def _completed(
        self,
        asked: dict[str, Any],
        choices: list[dict[str, Any]],
        tokens: int,
        more: dict[str, Any],
    ) -> Reply:
        out = sum(len(choice["token_ids"] or []) for choice in choices)
        usage = {"prompt_tokens": tokens, "completion_tokens": out, "total_tokens": tokens + out}
        content = {
            "id": "c",
            "object": "completion",
            "model": asked["model"],
            "choices": choices,
            "usage": usage,
            **more,
        }
        return Reply(body=json.dumps(content).encode())


def _positions(tokens: list[int]) -> list[dict[str, Any] | None]:
    """As vLLM has them: nothing for the first token; for the others the token itself
    and whatever else was likelier."""
    found: list[dict[str, Any] | None] = [None]
    for place, token in enumerate(tokens[1:], 1):
        own = {"logprob": logprob_at(place), "rank": 2, "decoded_token": chr(token)}
        found.append({"999": {"logprob": -0.01, "rank": 1, "decoded_token": "?"}, str(token): own})
    return found
