"""Brings the tables of the roles that are named to this release's revision. The chart's
hook runs it: `python -c <this> rollout gateway …`."""

import asyncio
import sys

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.platform.settings import read_settings


async def main(roles: list[str]) -> None:
    settings = read_settings()
    for role in roles:
        database = Database(settings.database_url_of(role))
        try:
            await migrate(database, f"proofwalk.{role}")
        finally:
            await database.close()
        print(f"{role}: migrated", flush=True)


asyncio.run(main(sys.argv[1:]))
