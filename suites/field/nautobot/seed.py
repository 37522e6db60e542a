"""The world of the field console, made in Nautobot's own shell (`nautobot-server
nbshell`): a user with a token, and what the documentation's procedures take for
granted. What a single procedure wants is in its META. Its last line tells that all
went well, as the shell itself ends with 0 whatever happens.
"""

import os

from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from nautobot.circuits.models import Circuit, CircuitType, Provider
from nautobot.dcim.models import Device, DeviceType, Location, LocationType, Manufacturer, Platform
from nautobot.extras.models import ObjectChange, Role, Status
from nautobot.ipam.models import RIR, Namespace, Prefix
from nautobot.tenancy.models import Tenant
from nautobot.users.models import Token

user = get_user_model().objects.create_superuser(
    os.environ["FIELD_USER"], "", os.environ["FIELD_PASSWORD"]
)
Token.objects.create(user=user, key=os.environ["FIELD_TOKEN"])
active = Status.objects.get(name="Active")
campus = LocationType.objects.create(name="Campus", nestable=True)
campus.content_types.set(
    ContentType.objects.filter(
        model__in=[
            "device",
            "prefix",
            "vlan",
            "vlangroup",
            "rack",
            "controller",
            "circuittermination",
        ]
    )
)
sites = {
    name: Location.objects.create(name=name, location_type=campus, status=active)
    for name in ("AMS01", "ANG01", "BRE01")
}
makers = {name: Manufacturer.objects.create(name=name) for name in ("APC", "Arista", "Juniper")}
kind = DeviceType.objects.create(model="DCS-7280", manufacturer=makers["Arista"])
DeviceType.objects.create(model="MX240", manufacturer=makers["Juniper"])
for name in ("access", "edge"):
    Role.objects.create(name=name).content_types.set([ContentType.objects.get_for_model(Device)])
Platform.objects.create(name="EOS", manufacturer=makers["Arista"])
Device.objects.create(
    name="ams01-asw-01",
    device_type=kind,
    role=Role.objects.get(name="access"),
    status=active,
    location=sites["AMS01"],
)
Tenant.objects.create(name="Northwind")
RIR.objects.create(name="RFC1918", is_private=True)
for network in ("10.0.0.0/8", "10.10.10.0/24"):
    Prefix.objects.create(
        prefix=network, namespace=Namespace.objects.get(name="Global"), status=active
    )
Circuit.objects.create(
    cid="ntt-104265404093023273",
    provider=Provider.objects.create(name="NTT"),
    circuit_type=CircuitType.objects.create(name="Transit"),
    status=active,
)
ObjectChange.objects.all().delete()
print("seeded")
