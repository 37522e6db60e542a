"""Targets that verifications can name."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway import schemas
from proofwalk.gateway.message_schemas import answer, listed, reference
from proofwalk.gateway.routes.asking import App, Asking

router = APIRouter()


@router.get(
    "/v1/targets",
    operation_id="listTargets",
    responses=answer(listed("targets", reference(pb.Target))),
)
async def targets(_: Asking, parts: App) -> Response:
    reply = await parts.rollout.ListTargets(pb.ListTargetsRequest(), timeout=10)
    return JSONResponse({"targets": [schemas.to_json(target) for target in reply.targets]})
