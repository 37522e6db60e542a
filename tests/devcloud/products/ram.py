"""Resource Access Management by signed calls, and the documents that its tests use."""

from __future__ import annotations

from tests.devcloud.products.signed import SignedCaller

DOCUMENT = (
    '{"Version":"1","Statement":[{"Effect":"Allow","Action":"ecs:Describe*","Resource":"*"}]}'
)
TRUST = '{"Statement":[{"Action":"sts:AssumeRole","Effect":"Allow","Principal":{"Service":["ecs.aliyuncs.com"]}}],"Version":"1"}'
PASSWORD = "Sup3rSecret!"


class Ram(SignedCaller):
    product = "ram"


def policies(ram: Ram, of: str, **whom: str) -> list[tuple[str, str]]:
    attached = ram(f"ListPoliciesFor{of}", **whom)["Policies"]["Policy"]
    return [(p["PolicyType"], p["PolicyName"]) for p in attached]
