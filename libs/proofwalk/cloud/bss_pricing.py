"""Prices of Terraform's `alicloud` resources through BssOpenApi: GetPayAsYouGoPrice and
GetSubscriptionPrice, by the official client's general call with the account's own key.

The cloud prices a *module* of a product by a configuration of property codes
(`InstanceType:ecs.g7.large`); `PRICED` says which arguments of a type give them. A type
of `FREE` costs nothing and is not asked for; of any other type, and of a configuration
that the cloud does not know, the price is None. An instance is priced with Linux: what
an image costs by itself is left out.

The module codes of ecs are those of the service's documentation. Those of rds have not
been held against the vendor's DescribePricingModule: where the vendor refuses them, the
price is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from alibabacloud_tea_openapi.client import Client

from proofwalk.cloud.bss import SERVICE, ask
from proofwalk.cloud.money import Money, Price
from proofwalk.cloud.ports import CloudAccount, Specification
from proofwalk.cloud.sdk_calls import REFUSED_WITH, Endpoint, SdkCalls, bad_answer
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject, list_of, object_of


@dataclass(frozen=True, kw_only=True)
class Module:
    """A part of a product that has a price."""

    code: str
    properties: Mapping[str, str]
    """Property code -> argument; none has its default always."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Property code -> what the cloud takes where the argument is not given."""
    block: str = ""
    """The arguments are those of each such block of the resource."""
    needs: str = ""
    """Argument without which, or with 0, the resource has no such part."""


@dataclass(frozen=True, kw_only=True)
class Product:
    """A type that has a price."""

    code: str
    as_you_go: str = ""
    """Its `ProductType` where it is paid as it goes, and as a subscription."""
    subscription: str = ""
    modules: tuple[Module, ...]


PRICED: Mapping[str, Product] = {
    "alicloud_instance": Product(
        code="ecs",
        modules=(
            Module(
                code="InstanceType",
                properties={"InstanceType": "instance_type", "IoOptimized": "", "ImageOs": ""},
                defaults={"IoOptimized": "IoOptimized", "ImageOs": "linux"},
            ),
            Module(
                code="SystemDisk",
                properties={
                    "SystemDisk.Category": "system_disk_category",
                    "SystemDisk.Size": "system_disk_size",
                },
                defaults={"SystemDisk.Category": "cloud_essd", "SystemDisk.Size": "40"},
            ),
            Module(
                code="DataDisk",
                properties={"DataDisk.Category": "category", "DataDisk.Size": "size"},
                defaults={"DataDisk.Category": "cloud_essd"},
                block="data_disks",
            ),
            Module(
                code="InternetMaxBandwidthOut",
                properties={"InternetMaxBandwidthOut": "internet_max_bandwidth_out"},
                needs="internet_max_bandwidth_out",
            ),
        ),
    ),
    "alicloud_db_instance": Product(
        code="rds",
        as_you_go="bards",
        subscription="rds",
        modules=(
            Module(
                code="DBInstanceClass",
                properties={
                    "DBInstanceClass": "instance_type",
                    "Engine": "engine",
                    "EngineVersion": "engine_version",
                },
            ),
            Module(code="DBInstanceStorage", properties={"DBInstanceStorage": "instance_storage"}),
        ),
    ),
}
FREE = frozenset(
    {
        "alicloud_alidns_domain_group",
        "alicloud_db_account",
        "alicloud_db_account_privilege",
        "alicloud_db_connection",
        "alicloud_db_database",
        "alicloud_ecs_disk_attachment",
        "alicloud_ecs_key_pair",
        "alicloud_ecs_launch_template",
        "alicloud_eip_association",
        "alicloud_ess_scaling_rule",
        "alicloud_forward_entry",
        "alicloud_kvstore_account",
        "alicloud_oss_bucket_acl",
        "alicloud_ram_group",
        "alicloud_ram_group_membership",
        "alicloud_ram_group_policy_attachment",
        "alicloud_ram_policy",
        "alicloud_ram_role",
        "alicloud_ram_role_policy_attachment",
        "alicloud_ram_user",
        "alicloud_ram_user_policy_attachment",
        "alicloud_rds_account",
        "alicloud_route_entry",
        "alicloud_route_table",
        "alicloud_security_group",
        "alicloud_security_group_rule",
        "alicloud_slb_acl",
        "alicloud_slb_backend_server",
        "alicloud_slb_server_group",
        "alicloud_snat_entry",
        "alicloud_vpc",
        "alicloud_vswitch",
        "terraform_data",
    }
)
"""Types that the vendor charges nothing for: networks, permissions, attachments, and
Terraform's own."""
_NO_PRICE = frozenset(
    {
        "InvalidConfigCode",
        "InvalidModuleCode",
        "InvalidProductCode",
        "PRICE.PRICING_PLAN_RESULT_NOT_FOUND",
        "ProductNotFind",
    }
)
"""Codes with which the cloud says that it has no such price."""
_NOTHING = Money(micros=0, currency="")


class BssPricing:
    """`Pricing` over BssOpenApi. `close()` ends its threads."""

    def __init__(
        self, *, endpoint: str, protocol: str, region: str, clock: Clock, deadline_s: float = 20.0
    ) -> None:
        self._calls = SdkCalls(
            service=SERVICE,
            action="bssapi:GetPayAsYouGoPrice and bssapi:GetSubscriptionPrice",
            endpoint=Endpoint(address=endpoint, protocol=protocol, region=region),
            clock=clock,
            deadline_s=deadline_s,
            threads=4,
        )

    def close(self) -> None:
        """Take no more calls."""
        self._calls.close()

    def arguments(self, type: str) -> frozenset[str]:
        """Return the arguments that decide the price."""
        modules = PRICED[type].modules if type in PRICED else ()
        return frozenset(
            name
            for module in modules
            for name in ((module.block,) if module.block else module.properties.values())
            if name
        )

    async def price(self, account: CloudAccount, specification: Specification) -> Price | None:
        """Return what one such resource costs; None where the cloud tells no price."""
        if specification.type in FREE:
            return Price(per_hour=_NOTHING, at_once=_NOTHING)
        product = PRICED.get(specification.type)
        if product is None:
            return None
        action, query = _question(product, specification)
        try:
            data = await ask(
                self._calls,
                Client(self._calls.config(account)),
                action,
                query,
                self._calls.deadline(),
            )
        except ProofwalkError as error:
            if error.details.get(REFUSED_WITH) in _NO_PRICE:
                return None
            raise
        return _price(action, data)


def _question(product: Product, specification: Specification) -> tuple[str, Mapping[str, str]]:
    query = {"ProductCode": product.code, "Region": specification.region}
    if specification.months:
        action = "GetSubscriptionPrice"
        query |= {
            "ProductType": product.subscription,
            "SubscriptionType": "Subscription",
            "OrderType": "NewOrder",
            "ServicePeriodUnit": "Month",
            "ServicePeriodQuantity": str(specification.months),
            "Quantity": "1",
        }
    else:
        action = "GetPayAsYouGoPrice"
        query |= {"ProductType": product.as_you_go, "SubscriptionType": "PayAsYouGo"}
    for number, (code, config) in enumerate(_modules(product, specification.arguments), start=1):
        query[f"ModuleList.{number}.ModuleCode"] = code
        query[f"ModuleList.{number}.Config"] = config
        if not specification.months:
            query[f"ModuleList.{number}.PriceType"] = "Hour"
    return action, {name: value for name, value in query.items() if value}


def _modules(product: Product, arguments: JsonObject) -> Iterator[tuple[str, str]]:
    for module in product.modules:
        if module.needs and not arguments.get(module.needs):
            continue
        rows = (
            map(object_of, list_of(arguments.get(module.block))) if module.block else (arguments,)
        )
        for row in rows:
            config = {
                code: str(row.get(name) or module.defaults.get(code, ""))
                for code, name in module.properties.items()
            }
            yield (
                module.code,
                ",".join(f"{code}:{value}" for code, value in config.items() if value),
            )


def _price(action: str, data: JsonObject) -> Price:
    """What an answer says. Raises `cloud.bad_answer`."""
    try:
        currency = str(data["Currency"])
        if action == "GetSubscriptionPrice":
            amount = Decimal(str(data["TradePrice"]))
        else:
            details = list_of(object_of(data["ModuleDetails"])["ModuleDetail"])
            costs = (object_of(one)["CostAfterDiscount"] for one in details)
            amount = sum((Decimal(str(cost)) for cost in costs), Decimal(0))
    except (KeyError, TypeError, ArithmeticError) as error:
        raise bad_answer(action) from error
    cost, nothing = Money.of(amount, currency), Money(micros=0, currency=currency)
    if action == "GetSubscriptionPrice":
        return Price(per_hour=nothing, at_once=cost)
    return Price(per_hour=cost, at_once=nothing)
