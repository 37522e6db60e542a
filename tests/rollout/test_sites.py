"""An order for a site that no account is of is refused before there is a row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proofwalk.kernel.account_pools import Dedication, Demand, dedicated
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable
from tests.rollout.api import Api, code_of

INTL, CHINA, ANY = dedicated(site="intl"), dedicated(site="cn"), dedicated()


async def test_a_site_without_an_account_is_refused_with_those_that_there_are(api: Api) -> None:
    api.setting.world.accounts.serving = [INTL, CHINA]
    with pytest.raises(ProofwalkError, match="of the site 'eu'") as caught:
        await api.create(site="eu")
    assert caught.value.code == "account.no_site"
    assert "cn, intl" in caught.value.hint
    assert (await api.create(site="cn")).verification_id == "ver_1", "nothing was left behind"


@pytest.mark.parametrize("serving", [[], [INTL, ANY]])
async def test_an_account_of_no_site_serves_all_and_none_yet_is_for_the_lease_to_tell(
    api: Api, serving: Sequence[Dedication]
) -> None:
    api.setting.world.accounts.serving = list(serving)
    await api.create(site="eu")
    await api.setting.finish()
    assert api.setting.world.accounts.demands == [Demand(site="eu")]


@pytest.mark.parametrize("site", ["", "eu"])
async def test_while_the_pool_is_away_orders_are_taken_in(api: Api, site: str) -> None:
    api.setting.world.accounts.away = unavailable("rpc.unavailable", "the role is away")
    assert (await api.create(site=site)).verification_id == "ver_1"


async def test_what_the_pool_refuses_is_passed_on(api: Api) -> None:
    api.setting.world.accounts.away = invalid("target.invalid", "the file is damaged")
    await api.create()
    assert await code_of(api.create("ver_2", site="eu")) == "target.invalid"
