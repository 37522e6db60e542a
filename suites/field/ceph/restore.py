"""Makes what the documentation takes for granted, and takes back whatever is not that.

`users` prints the dashboard's accounts as its database of them, for a console that is
to be begun. `seed` brings a console that runs to its seed: what is there and is not the
seed's is removed, what is the seed's and has been changed is made anew. What a new
cluster has by itself (configuration, modules, the state of the OSDs) is kept in a file
at the first time, and compared with after that. Run by Debian's Python, for its modules
of Ceph.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bcrypt
import rados
import rbd
from dashboard_api import Api

PASSWORD = "Field-console-1"  # noqa: S105  # of a console of the loopback
USERS = {"admin": ["administrator"], "field": ["administrator"], "operator": ["read-only"]}
POOLS = {"images": 8, "scratch": 8}
OWN_POOLS = ("device_health_metrics", ".rgw.root", "default.rgw.")
"""How the names of pools begin that Ceph makes for itself."""
IMAGES = {"disk-one": 1 << 30, "disk-two": 2 << 30}
GATEWAY_USERS = {"alice": "Alice Adams"}
SYSTEM_USER = "dashboard"
FLAGS = {
    *("noup", "nodown", "noout", "noin", "nobackfill", "norebalance", "norecover"),
    *("noscrub", "nodeep-scrub", "notieragent", "nosnaptrim"),
}
DEADLINE_S, RESPAWN_S = 120.0, 2.0


def database() -> dict[str, Any]:
    """The dashboard's accounts, none of them changed since 1970."""

    def user(name: str, roles: list[str]) -> dict[str, Any]:
        return {
            "username": name,
            "password": bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(6)).decode(),
            "roles": roles,
            "name": None,
            "email": None,
            "lastUpdate": 0,
            "enabled": True,
            "pwdExpirationDate": None,
            "pwdUpdateRequired": False,
        }

    users = {name: user(name, roles) for name, roles in USERS.items()}
    return {"users": users, "roles": {}, "version": 2}


class Cluster:
    """The cluster by its own libraries."""

    def __init__(self, conf: str, kept: Path) -> None:
        self._rados = rados.Rados(conffile=conf, name="client.admin")
        self._rados.connect(timeout=20)
        self._kept = kept

    def ask(self, prefix: str, **words: Any) -> Any:
        """A monitor's answer. Raises `RuntimeError` with its words."""
        command = {"prefix": prefix, "format": "json", **words}
        code, out, words_ = self._rados.mon_command(json.dumps(command), b"")
        if code:
            raise RuntimeError(f"{prefix}: {words_}")
        return json.loads(out) if out else None

    def kept(self) -> dict[str, Any]:
        """What the cluster was like at the first time."""
        if not self._kept.is_file():
            self.keep(self._state())
        return dict(json.loads(self._kept.read_text()))

    def keep(self, state: dict[str, Any]) -> None:
        self._kept.write_text(json.dumps(state, indent=1))

    def _state(self) -> dict[str, Any]:
        return {
            "config": [[one["section"], one["name"], one["value"]] for one in self._config()],
            "modules": self.ask("mgr module ls")["enabled_modules"],
            "classes": self._classes(),
            "changed": dict.fromkeys(USERS, 0),
        }

    def _config(self) -> list[dict[str, Any]]:
        return list(self.ask("config dump"))

    def _classes(self) -> dict[str, str]:
        nodes = self.ask("osd tree")["nodes"]
        return {one["name"]: one.get("device_class", "") for one in nodes if one["type"] == "osd"}

    def restore(self) -> None:
        """Configuration, modules, OSDs, rules, pools, images."""
        was = self.kept()
        self._restore_config(was["config"])
        self._restore_osds(was["classes"])
        self._restore_modules(set(was["modules"]))
        self._restore_pools()
        for name in POOLS:
            with self._rados.open_ioctx(name) as pool:
                _restore_images(pool, IMAGES if name == "images" else {})
        for rule in set(self.ask("osd crush rule ls")) - {"replicated_rule"}:
            self.ask("osd crush rule rm", name=rule)
        for profile in set(self.ask("osd erasure-code-profile ls")) - {"default"}:
            self.ask("osd erasure-code-profile rm", name=profile)

    def _restore_config(self, wanted: list[list[str]]) -> None:
        have = [[one["section"], one["name"], one["value"]] for one in self._config()]
        for who, name, value in have:
            if [who, name, value] not in wanted:
                self.ask("config rm", who=who, name=name)
        for who, name, value in wanted:
            if [who, name, value] not in have:
                self.ask("config set", who=who, name=name, value=value, force=True)

    def _restore_modules(self, wanted: set[str]) -> None:
        """The manager begins anew with each change."""
        have = set(self.ask("mgr module ls")["enabled_modules"])
        for act, names in (("disable", have - wanted), ("enable", wanted - have)):
            for name in names:
                self.ask(f"mgr module {act}", module=name)
        if have != wanted:
            time.sleep(RESPAWN_S)
            _until(lambda: bool(self.ask("mgr stat")["available"]))

    def _restore_osds(self, classes: dict[str, str]) -> None:
        state = self.ask("osd dump")
        for flag in set(state["flags_set"]) & FLAGS:
            self.ask("osd unset", key=flag)
        if "pauserd" in state["flags_set"]:
            self.ask("osd unset", key="pause")
        for osd in state["osds"]:
            name = str(osd["osd"])
            own = set(osd["state"]) & {"noup", "nodown", "noout", "noin"}
            if own:
                self.ask("osd unset-group", flags=",".join(own), who=[name])
            if not osd["in"]:
                self.ask("osd in", ids=[name])
            if osd["weight"] != 1:
                self.ask("osd reweight", id=osd["osd"], weight=1.0)
        for osd_name, class_ in self._classes().items():
            if class_ != classes[osd_name]:
                self.ask("osd crush rm-device-class", ids=[osd_name])
                self.ask(
                    "osd crush set-device-class", **{"class": classes[osd_name]}, ids=[osd_name]
                )

    def _restore_pools(self) -> None:
        have = {}
        for pool in self.ask("osd dump")["pools"]:
            name = pool["pool_name"]
            if name.startswith(OWN_POOLS):
                continue
            if name in POOLS and _is_as_made(pool, POOLS[name]):
                have[name] = pool
            else:
                sure = {"yes_i_really_really_mean_it": True}
                self.ask("osd pool delete", pool=name, pool2=name, **sure)
        for name in POOLS.keys() - have.keys():
            self.ask("osd pool create", pool=name, pg_num=POOLS[name])
            self.ask("osd pool application enable", pool=name, app="rbd")
            _until(lambda name=name: self._rados.pool_exists(name))


def _is_as_made(pool: dict[str, Any], pg_num: int) -> bool:
    return bool(
        pool["type"] == 1
        and pool["size"] == 2
        and pool["pg_num"] == pool["pg_num_target"] == pg_num
        and list(pool["application_metadata"]) == ["rbd"]
        and not pool["options"]
        and not pool["quota_max_bytes"]
        and not pool["quota_max_objects"]
    )


def _restore_images(pool: rados.Ioctx, wanted: dict[str, int]) -> None:
    library = rbd.RBD()
    for number, one in enumerate(library.trash_list(pool)):
        library.trash_restore(pool, one["id"], f"restored-{number}")
    for namespace in library.namespace_list(pool):
        pool.set_namespace(namespace)
        _remove_images(library, pool, set(library.list(pool)))
        pool.set_namespace("")
        library.namespace_remove(pool, namespace)
    for key, _ in list(library.pool_metadata_list(pool)):
        if key.startswith("conf_"):
            library.pool_metadata_remove(pool, key)
    names = set(library.list(pool))
    as_made = {name for name in names & wanted.keys() if _is_image(pool, name, wanted[name])}
    _remove_images(library, pool, names - as_made)
    for name in wanted.keys() - as_made:
        library.create(pool, name, wanted[name], old_format=False)


def _is_image(pool: rados.Ioctx, name: str, size: int) -> bool:
    features = rbd.RBD_FEATURE_LAYERING | rbd.RBD_FEATURE_EXCLUSIVE_LOCK
    features |= rbd.RBD_FEATURE_OBJECT_MAP | rbd.RBD_FEATURE_FAST_DIFF
    features |= rbd.RBD_FEATURE_DEEP_FLATTEN
    with rbd.Image(pool, name, read_only=True) as image:
        return bool(
            image.size() == size
            and image.features() == features
            and not list(image.list_snaps())
            and not list(image.metadata_list())
        )


def _remove_images(library: rbd.RBD, pool: rados.Ioctx, names: set[str]) -> None:
    """Clones before what they are clones of: as often as one of them can be removed."""
    left = set(names)

    def are_gone() -> bool:
        left.difference_update([name for name in left if _is_removed(library, pool, name)])
        return not left

    _until(are_gone)


def _is_removed(library: rbd.RBD, pool: rados.Ioctx, name: str) -> bool:
    """A snapshot that was removed and has a clone stays until the clone is gone."""
    try:
        with rbd.Image(pool, name) as image:
            for snap in list(image.list_snaps()):
                if snap["namespace"] != rbd.RBD_SNAP_NAMESPACE_TYPE_USER:
                    continue
                if image.is_protected_snap(snap["name"]):
                    image.unprotect_snap(snap["name"])
                image.remove_snap(snap["name"])
        library.remove(pool, name)
    except (rbd.ImageBusy, rbd.ImageHasSnapshots):
        return False
    return True


def restore_accounts(api: Api, cluster: Cluster) -> None:
    """The dashboard's users and roles. Users of today are as they were left here."""
    was = cluster.kept()
    changed = was["changed"]
    users = {one["username"]: one for one in api.get("user")}
    for name in users.keys() - USERS.keys():
        api.call("DELETE", f"user/{name}")
    for name, roles in USERS.items():
        if name in users and users[name]["lastUpdate"] == changed[name]:
            continue
        about = {"password": PASSWORD, "name": None, "email": None, "roles": roles}
        if name in users:
            api.call("PUT", f"user/{name}", about | {"enabled": True, "pwdUpdateRequired": False})
        else:
            api.call("POST", "user", about | {"username": name, "pwdUpdateRequired": False})
        changed[name] = api.get(f"user/{name}")["lastUpdate"]
        cluster.keep(was)
    for role in api.get("role"):
        if not role["system"]:
            api.call("DELETE", f"role/{role['name']}")


def restore_gateway(api: Api, cluster: Cluster) -> None:
    """The object gateway's users and buckets."""
    was = cluster.kept()
    for bucket in api.get("rgw/bucket"):
        api.call("DELETE", f"rgw/bucket/{bucket}?purge_objects=true")
    users = set(api.get("rgw/user")) - {SYSTEM_USER}
    as_made = {one for one in users & GATEWAY_USERS.keys() if _about(api, one) == was.get(one)}
    for uid in users - as_made:
        api.call("DELETE", f"rgw/user/{uid}")
    for uid in GATEWAY_USERS.keys() - as_made:
        api.call("POST", "rgw/user", {"uid": uid, "display_name": GATEWAY_USERS[uid]})
        cluster.keep(was | {uid: _about(api, uid)})


def _about(api: Api, uid: str) -> dict[str, Any]:
    """A gateway user without what is made at random, and what its use is counted by."""
    about = api.get(f"rgw/user/{uid}")
    about["keys"] = len(about["keys"])
    about.pop("stats", None)
    return dict(about)


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + DEADLINE_S
    while not holds():
        if time.monotonic() > until:
            raise RuntimeError("the cluster does not come to its seed")
        time.sleep(0.2)


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("users", "seed"))
    parser.add_argument("--conf", help="ceph.conf")
    parser.add_argument("--url", help="the dashboard")
    parser.add_argument("--kept", type=Path, help="where the cluster's first state is kept")
    given = parser.parse_args()
    if given.what == "users":
        print(json.dumps(database()))
        return 0
    cluster = Cluster(given.conf, given.kept)
    cluster.restore()
    api = Api(given.url, "field", PASSWORD)
    restore_accounts(api, cluster)
    restore_gateway(api, cluster)
    return 0


if __name__ == "__main__":
    sys.exit(main())
