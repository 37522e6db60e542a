"""What `proofwalk map make` does: sign in to a target, explore its console, write its
map.

From the moment that it is signed in, the session sends only what reads
(`console.safety.reading`). What was refused is told with the page and the press that
sent it, for what it would have brought is not on the map. An exploration that ends at a
bound is a map; one that the browser or the console ended is written as well, and is an
error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cli.target_session import Entrance, choose_account, entrance, require_login
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.target import Target
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import GuiAction
from proofwalk.console.observation import Observation
from proofwalk.console.safety.reading import ReadingRule
from proofwalk.console.session.guard import RefusedWrite
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import unavailable
from proofwalk.maps import storage
from proofwalk.maps.exploration import Bounds, Ending, Exploration
from proofwalk.maps.exploring import Explorer
from proofwalk.maps.graph import ConsoleMap
from proofwalk.maps.words import Lexicon

_TOLD = 20
"""Most lines that tell of refused requests."""


@dataclass(frozen=True, kw_only=True)
class MapOrder:
    """Which map is to be made."""

    account: str = ""
    """External id of the account; empty is the first."""
    new_login: bool = False
    """True: the cloud makes the account a new login first."""
    role: str = ""
    """What the map calls it; where no account is named and the target's accounts have
    the role, one of them signs in."""
    revision: str = ""
    """Empty: the day."""
    bounds: Bounds = field(default_factory=Bounds)
    reads: Sequence[str] = ()
    """Paths of POSTs that only read, besides the target's own."""
    never: Sequence[str] = ()
    """Words that are not pressed, besides those of `maps.words`."""


async def make_map(
    target: Target, order: MapOrder, *, clock: Clock, browser: BrowserChoice
) -> Exploration:
    """Explore a target's console. Raises `target.*`, `sign_in.failed`, `cloud.*`,
    `reading.bad_pattern`, and what the browser raises before the exploration began."""
    rule = ReadingRule.parse((*target.console.reads, *order.reads))
    account = await _account(target, order, clock)
    async with entrance(target, account.login.fields, browser, clock) as way:
        await way.sign_in.enter()
        await way.session.wait_quiet()
        await way.session.only_read(rule)
        explorer = Explorer(
            _SignedIn(way), lexicon=Lexicon(order.never), bounds=order.bounds, clock=clock
        )
        return await explorer.explore(
            ConsoleMap(
                console=target.id,
                role=order.role,
                revision=order.revision or clock.now().date().isoformat(),
            )
        )


async def _account(target: Target, order: MapOrder, clock: Clock) -> CloudAccount:
    async with open_cloud(target, clock=clock) as cloud:
        accounts, role = await cloud.accounts.accounts(), None
        if not order.account:
            role = (await cloud.account_roles()).named(order.role)
        if role is not None and role.has_account:
            accounts = [one for one in accounts if one.role == role.name]
        account = choose_account(target, accounts, order.account)
        if order.new_login:
            account = await cloud.accounts.rotate(account.external_id)
    hint = "--new-login has the cloud make one, which ends the account's former logins"
    require_login(target, account, hint=hint)
    return account


class _SignedIn:
    """`maps.exploring.Ground` over a session."""

    def __init__(self, way: Entrance) -> None:
        self._way = way

    async def observe(self) -> Observation:
        page = await self._way.session.observe(screenshot=False)
        if self._way.sign_in.shows_form(page):
            raise unavailable(
                "map.signed_out",
                "the console asks to sign in again",
                hint="a session that only reads cannot; name --minutes that it lasts for",
            )
        return page

    async def perform(self, action: GuiAction) -> ActionResult:
        return await self._way.session.perform(action)

    def refused_writes(self) -> Sequence[RefusedWrite]:
        return self._way.session.guard.refused_writes()


def write_map(done: Exploration, path: Path) -> None:
    """Write the map, also that of an exploration that failed. Raises
    `map.interrupted`, `map.unwritable`."""
    storage.write(done.console, path)
    if done.ending is Ending.FAILED:
        raise unavailable(
            "map.interrupted",
            f"the exploration was ended by {done.failure}",
            hint=f"what it saw until then is in {path}",
        )


def lines_of(done: Exploration) -> Iterator[str]:
    """Yield what a user should know of an exploration beside its map."""
    minutes, seconds = divmod(round(done.seconds), 60)
    yield f"explored for {minutes} min {seconds} s, {done.actions} actions: {_WHY[done.ending]}"
    if done.left_alone:
        yield f"not gone to, for their names: {', '.join(done.left_alone)}"
    for path in done.unreached:
        yield f"not reached again: {' > '.join(path) or 'the landing page'}"
    if not done.refused:
        yield "no request was refused"
        return
    yield (
        f"{sum(done.refused.values())} requests were refused, and what they bring is not on"
        " the map; name those that only read with --reads"
    )
    for refusal, count in sorted(done.refused.items())[:_TOLD]:
        pressed = f", pressing “{refusal.pressed}”" if refusal.pressed else ""
        yield f"  {count} × {refusal.method} {refusal.request} at {refusal.address}{pressed}"
    if len(done.refused) > _TOLD:
        yield f"  … and {len(done.refused) - _TOLD} more kinds"


_WHY = {
    Ending.COMPLETE: "nothing was left to press",
    Ending.PAGES: "ended at --pages",
    Ending.ACTIONS: "ended at --actions",
    Ending.TIME: "ended at --minutes",
    Ending.FAILED: "ended by a failure",
}
