"""Roles: names that units share for a resource, and what a template sees of them.

A *role* is a fixture (its name and id are META outputs, known at run time) or something
that an earlier unit of the chain made (its name is known, its id is what the audit log
answered).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Role:
    """A resource that units speak of. `name` and `key` are META outputs where it is a
    fixture, else a name and a reference."""

    at_run_time: bool
    name: str
    key: str

    def seen(self, shape: str) -> object:
        """The role as a template in a text, in `do` or in a rule sees it: a document
        cannot name what is named at run time."""
        if not self.at_run_time:
            return self if shape == "rule" else _Named(name=self.name)
        if shape == "text":
            return _Unnamed()
        wrap = "{{{{meta.{}}}}}" if shape == "do" else "$meta.{}"
        return Role(at_run_time=True, name=wrap.format(self.name), key=wrap.format(self.key))


@dataclass(frozen=True, kw_only=True)
class _Named:
    name: str


class _Unnamed:
    """Has neither name nor key, so that using one is an error of the template."""
