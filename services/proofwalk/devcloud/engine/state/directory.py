"""The resource directory: one account that manages others, its members.

There is at most one in this cloud, and none until the host declares it. Every member
has the role `MEMBER_ROLE`, which the management account may assume.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from proofwalk.devcloud.engine.state.store import Store

_META = "directory"
MEMBER_ROLE = "ResourceDirectoryAccountAccessRole"


@dataclass(frozen=True, kw_only=True)
class ResourceDirectory:
    """Who manages whom."""

    id: str
    management: str
    members: tuple[str, ...]


class Directory:
    """The directory, if there is one, in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        kept = store.get_meta(_META)
        self.present = (
            None
            if kept is None
            else ResourceDirectory(**{**kept, "members": tuple(kept["members"])})
        )

    def set(self, directory: ResourceDirectory) -> None:
        """Declare it, in place of the former."""
        with self._store.transaction():
            self._store.set_meta(_META, asdict(directory))
        self.present = directory

    def manages(self, management: str, member: str) -> bool:
        """Return True if the one account is the other's management account."""
        return (
            self.present is not None
            and self.present.management == management
            and member in self.present.members
        )
