"""An identity provider on loopback: discovery, keys, authorization, tokens, sign-out.

It holds a client to the flow as a strict provider does (redirect address, PKCE, client
secret, one use of a code), and does wrong what a test tells it to.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from proofwalk.kernel.clock import Clock

CLIENT, SECRET = "proofwalk", "s3cret+/:of client"


@cache
def private_key(kid: str) -> rsa.RSAPrivateKey:
    """A key of 2048 bits for each name."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def jwk(kid: str) -> dict[str, Any]:
    """The public half of a key, as a provider publishes it."""
    public = jwt.algorithms.RSAAlgorithm.to_jwk(private_key(kid).public_key(), as_dict=True)
    return {**public, "kid": kid, "use": "sig", "alg": "RS256"}


def public_pem(kid: str) -> bytes:
    """The public half as bytes, which a careless verifier takes for an HMAC secret."""
    form = PublicFormat.SubjectPublicKeyInfo
    return private_key(kid).public_key().public_bytes(Encoding.PEM, form)


def signed(claims: dict[str, Any], kid: str = "one") -> str:
    """A token as the provider makes it."""
    return jwt.encode(claims, private_key(kid), algorithm="RS256", headers={"kid": kid})


def hmac_signed(claims: dict[str, Any], secret: bytes) -> str:
    """A token signed by HS256 with any bytes; PyJWT itself refuses to use a public
    key."""

    def part(raw: bytes) -> str:
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    header = part(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "one"}).encode())
    text = f"{header}.{part(json.dumps(claims).encode())}"
    return f"{text}.{part(hmac.digest(secret, text.encode(), 'sha256'))}"


@dataclass
class IdentityProvider:
    """What it says and does. `url` is set once it is served."""

    clock: Clock
    url: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    """What its discovery document says besides."""
    kids: list[str] = field(default_factory=lambda: ["one"])
    signing: str = "one"
    """Name of the key that it signs with."""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "u-1"})
    """Claims of whoever signs in next."""
    wrong: dict[str, Any] = field(default_factory=dict)
    """Claims that a token has instead of the right ones; None leaves one out."""
    make: Callable[[dict[str, Any]], str] | None = None
    """Makes the token in place of `signed`."""
    answers: dict[str, Callable[[], Response]] = field(default_factory=dict)
    """Answers in place of its own, by path."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """The token endpoint answers when it is set."""
    asked: list[str] = field(default_factory=list)
    """Paths that were asked for."""
    authorizations: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.gate.set()

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._told(self._discovery)),
                Route("/keys", self._told(self._keys)),
                Route("/authorize", self._told(self._authorize)),
                Route("/token", self._told(self._token), methods=["POST"]),
                Route("/logout", self._told(self._logout)),
            ]
        )

    def _told(self, answer: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            self.asked.append(request.url.path)
            if request.url.path in self.answers:
                return self.answers[request.url.path]()
            response: Response = await answer(request)
            return response

        return respond

    async def _discovery(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "end_session_endpoint": f"{self.url}/logout",
                "code_challenge_methods_supported": ["S256"],
                **self.metadata,
            }
        )

    async def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [jwk(kid) for kid in self.kids]})

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.authorizations.append(asked)
        code = f"code-{len(self.authorizations)}"
        self.codes[code] = asked
        back = {"code": code, "state": asked["state"], "iss": self.url}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(back)}", 302)

    async def _logout(self, request: Request) -> Response:
        return RedirectResponse(request.query_params["post_logout_redirect_uri"], 302)

    async def _token(self, request: Request) -> Response:
        form = {name: str(text) for name, text in (await request.form()).items()}
        await self.gate.wait()
        pair = f"{CLIENT}:s3cret%2B%2F%3Aof+client".encode()
        if request.headers.get("authorization") != f"Basic {base64.b64encode(pair).decode()}":
            return JSONResponse({"error": "invalid_client"}, 401)
        asked = self.codes.pop(form["code"], None)
        if asked is None or not _is_the_asker(form, asked):
            why = f"no code {form['code']}"
            return JSONResponse({"error": "invalid_grant", "error_description": why}, 400)
        claims = {**self._claims(asked), **self.wrong}
        claims = {name: claim for name, claim in claims.items() if claim is not None}
        token = self.make(claims) if self.make else signed(claims, self.signing)
        return JSONResponse({"access_token": "at-1", "token_type": "Bearer", "id_token": token})

    def _claims(self, asked: dict[str, str]) -> dict[str, Any]:
        now = int(self.clock.now().timestamp())
        return {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.person,
        }


def _is_the_asker(form: dict[str, str], asked: dict[str, str]) -> bool:
    verifier = form.get("code_verifier", "")
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return (
        form["grant_type"] == "authorization_code"
        and form["redirect_uri"] == asked["redirect_uri"]
        and 43 <= len(verifier) <= 128
        and asked["code_challenge_method"] == "S256"
        and challenge == asked["code_challenge"]
    )


def plain(text: str, status: int = 200, **headers: str) -> Callable[[], Response]:
    """An answer of this text."""
    return lambda: PlainTextResponse(text, status, headers)
