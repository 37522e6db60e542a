"""The trainer role that the commands of `proofwalk train` talk to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import secret_values
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.kernel.errors import invalid
from proofwalk.platform.installation import embedded
from proofwalk.platform.role_channels import role_answers, role_channel
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import Settings


@asynccontextmanager
async def trainer_of(
    settings: Settings, *, start: bool = False, whole: bool = False
) -> AsyncIterator[TrainerStub]:
    """The role of the installation on this home. With `start`, one is started here
    where none runs: the trainer role, or every role (`whole`)."""
    if await role_answers(settings, "trainer"):
        async with _stub(settings) as stub:
            yield stub
    elif not start:
        raise invalid(
            "client.no_server",
            f"no trainer role runs on {settings.home}",
            hint=(
                "start one with `proofwalk serve all` or `proofwalk serve trainer`, or train with"
                " `proofwalk train start --here`"
            ),
        )
    elif whole:
        async with embedded(settings) as here, _stub(here.settings) as stub:
            yield stub
    else:
        chosen, roles = choose("trainer", settings)
        redaction = Redaction(secret_values(chosen))
        level = chosen.log.level if chosen.log.level != "info" else "error"
        configure_logging(LogSettings(format=chosen.log.format, level=level), redaction)
        async with Process(chosen, roles, redaction=redaction), _stub(chosen) as stub:
            yield stub


@asynccontextmanager
async def _stub(settings: Settings) -> AsyncIterator[TrainerStub]:
    async with role_channel(settings, "trainer") as channel:
        yield TrainerStub(channel.grpc)
