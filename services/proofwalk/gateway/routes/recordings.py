"""What was recorded of a verification: compiled walk, trajectory, trace, HAR."""

from __future__ import annotations

import json

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway.message_schemas import Schema, answer
from proofwalk.gateway.routes.asking import App, Asking, EpisodeNumber, Parts, VerificationId
from proofwalk.gateway.streams import caller_message
from proofwalk.kernel.callers import Caller

router = APIRouter()
_FILES = {
    "trajectory": ("application/vnd.apache.parquet", "parquet"),
    "bundle": ("application/zip", "zip"),
    "trace": ("application/zip", "trace.zip"),
    "har": ("application/json", "har"),
}
"""Media type and suffix of each kind of artefact."""
_SCRIPT = {
    "type": "object",
    "properties": {"script": {}, "sign_in": {}},
    "required": ["script", "sign_in"],
}


def _files(*kinds: str) -> dict[int | str, Schema]:
    return {200: {"content": {_FILES[kind][0]: {} for kind in kinds}}}


@router.get(
    "/v1/verifications/{verification_id}/script",
    operation_id="getScript",
    responses=answer(_SCRIPT),
)
async def script(caller: Asking, parts: App, verification_id: VerificationId) -> Response:
    request = pb.GetScriptRequest(caller=caller_message(caller), verification_id=verification_id)
    reply = await parts.rollout.GetScript(request, timeout=10)
    told = {"script": json.loads(reply.script_json), "sign_in": json.loads(reply.sign_in_json)}
    return JSONResponse(told)


@router.get(
    "/v1/verifications/{verification_id}/trajectory",
    operation_id="getTrajectory",
    response_class=Response,
    responses=_files("trajectory", "bundle"),
)
async def trajectory(
    caller: Asking,
    parts: App,
    verification_id: VerificationId,
    episode: EpisodeNumber = 0,
    images: bool = False,
) -> Response:
    return await _artefact(
        parts, caller, verification_id, "bundle" if images else "trajectory", episode
    )


@router.get(
    "/v1/verifications/{verification_id}/trace",
    operation_id="getTrace",
    response_class=Response,
    responses=_files("trace"),
)
async def trace(
    caller: Asking, parts: App, verification_id: VerificationId, episode: EpisodeNumber = 0
) -> Response:
    return await _artefact(parts, caller, verification_id, "trace", episode)


@router.get(
    "/v1/verifications/{verification_id}/har",
    operation_id="getHar",
    response_class=Response,
    responses=_files("har"),
)
async def har(
    caller: Asking, parts: App, verification_id: VerificationId, episode: EpisodeNumber = 0
) -> Response:
    return await _artefact(parts, caller, verification_id, "har", episode)


async def _artefact(
    parts: Parts, caller: Caller, verification_id: str, kind: str, episode: int
) -> Response:
    request = pb.GetArtefactRequest(
        caller=caller_message(caller), verification_id=verification_id, kind=kind, episode=episode
    )
    data = b"".join([chunk.data async for chunk in parts.rollout.GetArtefact(request, timeout=60)])
    media_type, suffix = _FILES[kind]
    headers = {
        "Content-Disposition": f'attachment; filename="{verification_id}.{suffix}"',
        "X-Content-Type-Options": "nosniff",
    }
    return Response(data, media_type=media_type, headers=headers)
