"""Functions that templates may call: values that are made, not looked up.

Each takes the scope and its rendered arguments, and answers from those alone, so that
the same call in the same world gives the same value.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.values.templates import Derivation, Scope


def _free_address(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """`wanted`, or the lowest address of `cidr` that no resource in `subnet` holds; the
    first of a range is the gateway's."""
    network = ipaddress.IPv4Network(arguments["cidr"])
    taken = {
        r.fields.get("private_ip")
        for r in scope.world.inventory(scope.account)
        if r.fields.get("vswitch_id") == arguments["subnet"] and "private_ip" in r.fields
    }
    wanted = arguments.get("wanted")
    if wanted:
        try:
            inside = ipaddress.IPv4Address(wanted) in network
        except ValueError:
            inside = False
        if not inside or wanted in taken:
            raise CloudError(
                "InvalidPrivateIpAddress.Duplicated",
                "The specified private IP address is not usable.",
                field="private_ip",
            )
        return str(wanted)
    for host in range(4, network.num_addresses - 3):
        address = str(network.network_address + host)
        if address not in taken:
            return address
    raise CloudError(
        "InvalidVSwitchId.IpNotEnough", "The specified VSwitch has not enough IP addresses.", 400
    )


def _public_address(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """An address of the documentation range 203.0.113.0/24 where bandwidth is bought,
    else nothing."""
    if not arguments.get("bandwidth"):
        return ""
    digest = hashlib.sha256(str(arguments["of"]).encode()).digest()
    return f"203.0.113.{digest[0] % 253 + 1}"


def _expiry(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """When a subscription of `months` (or years, by `unit`) from now ends; far away for
    pay-as-you-go."""
    if arguments.get("billing") not in ("PrePaid", "Prepaid"):
        return "2099-12-31T15:59Z"
    start = datetime.fromisoformat(scope.now)
    days = 365 if arguments.get("unit") == "Year" else 30
    return (
        (start + timedelta(days=days * int(arguments.get("months") or 1)))
        .astimezone(UTC)
        .strftime("%Y-%m-%dT16:00Z")
    )


def _mac(scope: Scope, arguments: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(str(arguments["of"]).encode()).hexdigest()
    return "00:16:3e:" + ":".join(digest[i : i + 2] for i in (0, 2, 4))


def _derived_id(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """An id of a companion (network interface, router, route table) that follows from
    another id."""
    digest = hashlib.sha256(f"{arguments['prefix']}{arguments['of']}".encode()).hexdigest()
    return f"{arguments['prefix']}{digest[:17]}"


def _address_count(scope: Scope, arguments: Mapping[str, Any]) -> int:
    """Addresses of `cidr` still free: the range less four reserved and `used`."""
    return (
        ipaddress.IPv4Network(arguments["cidr"]).num_addresses - 4 - int(arguments.get("used") or 0)
    )


def _gib(scope: Scope, arguments: Mapping[str, Any]) -> int:
    """GiB as MiB, in which the API tells memory."""
    return int(arguments["value"] or 0) * 1024


def _disk_size(scope: Scope, arguments: Mapping[str, Any]) -> int:
    """The size of a disk that comes with an instance, in GiB."""
    raw = str(arguments.get("value") or "40")
    if not raw.isdigit() or not 20 <= int(raw) <= 32768:
        raise CloudError(
            "InvalidDataDiskSize.ValueNotSupported",
            "The specified DataDisk.n.Size is beyond the permitted range.",
        )
    return int(raw)


def _unless_false(scope: Scope, arguments: Mapping[str, Any]) -> bool:
    """True unless the request says false."""
    return str(arguments.get("value")).lower() != "false"


def _database_port(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The port asked for, or the engine's own."""
    by_engine = {"MySQL": "3306", "PostgreSQL": "5432", "SQLServer": "1433"}
    return str(arguments.get("wanted") or by_engine.get(str(arguments["engine"]), "3306"))


def _at_least(scope: Scope, arguments: Mapping[str, Any]) -> Any:
    """`value`, or `least` where it is empty."""
    return arguments.get("value") or arguments["least"]


def _equal(scope: Scope, arguments: Mapping[str, Any]) -> bool:
    return bool(arguments["a"] == arguments["b"])


def _joined(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """All entries of several lists, separated by commas."""
    return ",".join(str(entry) for entries in arguments["lists"] for entry in entries or [])


def _total(scope: Scope, arguments: Mapping[str, Any]) -> int:
    """The sum of `parts`."""
    return sum(int(part or 0) for part in arguments["parts"])


def _device(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The next free device name on an instance."""
    taken = {
        r.fields.get("device")
        for r in scope.world.inventory(scope.account)
        if r.fields.get("instance_id") == arguments["instance"] and r.fields.get("device")
    }
    return next(
        (
            f"/dev/xvd{letter}"
            for letter in "abcdefghijklmnopqrstuvwxyz"
            if f"/dev/xvd{letter}" not in taken
        ),
        "/dev/xvdz",
    )


def _lookup(scope: Scope, arguments: Mapping[str, Any]) -> Any:
    """`member` of the entry of `rows` whose value is `value`."""
    return next(
        (
            row.get(arguments["member"])
            for row in arguments["rows"]
            if row.get("value") == arguments["value"]
        ),
        None,
    )


def _present(scope: Scope, arguments: Mapping[str, Any]) -> bool:
    """Whether there is something (a name, a count above zero)."""
    return bool(arguments.get("of"))


def _last(scope: Scope, arguments: Mapping[str, Any]) -> Any:
    """The last of `values`; an empty text if there is none."""
    values = arguments.get("values") or [""]
    return values[-1]


def _days_from_now(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The moment so many days from now, as the API writes it."""
    later = datetime.fromisoformat(scope.now) + timedelta(days=int(arguments.get("days") or 0))
    return later.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


DERIVATIONS: Mapping[str, Derivation] = {
    "free_address": _free_address,
    "public_address": _public_address,
    "expiry": _expiry,
    "mac": _mac,
    "derived_id": _derived_id,
    "address_count": _address_count,
    "device": _device,
    "at_least": _at_least,
    "database_port": _database_port,
    "disk_size": _disk_size,
    "equal": _equal,
    "gib": _gib,
    "joined": _joined,
    "total": _total,
    "unless_false": _unless_false,
    "lookup": _lookup,
    "present": _present,
    "last": _last,
    "days_from_now": _days_from_now,
}
"""By the name that `$call` uses."""
