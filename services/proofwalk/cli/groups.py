"""The groups of commands, each imported when it is asked for.

Every role's process and every `--help` pays for what `main` imports, so it knows of a
group only its name and what it is for.
"""

from __future__ import annotations

from collections.abc import Callable

import typer


def _jobs() -> typer.Typer:
    from proofwalk.cli import jobs

    return jobs.app


def _collections() -> typer.Typer:
    from proofwalk.cli import collections

    return collections.app


def _inspections() -> typer.Typer:
    from proofwalk.cli import inspections

    return inspections.app


def _findings() -> typer.Typer:
    from proofwalk.cli import findings

    return findings.app


def _webhooks() -> typer.Typer:
    from proofwalk.cli import webhooks

    return webhooks.app


def _report() -> typer.Typer:
    from proofwalk.cli import reports

    return reports.app


def _accounts() -> typer.Typer:
    from proofwalk.cli import accounts

    return accounts.app


def _suites() -> typer.Typer:
    from proofwalk.cli import suites

    return suites.app


def _bench() -> typer.Typer:
    from proofwalk.cli import bench

    return bench.app


def _replay() -> typer.Typer:
    from proofwalk.cli import replays

    return replays.app


def _data() -> typer.Typer:
    # Brings Arrow and NumPy along, a quarter of a gigabyte that no role's start needs.
    from proofwalk.cli import data

    return data.app


def _maps() -> typer.Typer:
    from proofwalk.cli import maps

    return maps.app


def _train() -> typer.Typer:
    from proofwalk.cli import train

    return train.app


def _targets() -> typer.Typer:
    from proofwalk.cli import targets

    return targets.app


def _reward() -> typer.Typer:
    from proofwalk.cli import rescoring

    return rescoring.app


def _meta() -> typer.Typer:
    from proofwalk.cli import meta

    return meta.app


def _apis() -> typer.Typer:
    from proofwalk.cli import apis

    return apis.app


def _certificates() -> typer.Typer:
    from proofwalk.cli import certificates

    return certificates.app


def _blobs() -> typer.Typer:
    from proofwalk.cli import blobs

    return blobs.app


def _gym() -> typer.Typer:
    from proofwalk.cli import gym

    return gym.app


GROUPS: tuple[tuple[str, Callable[[], typer.Typer], str], ...] = (
    ("jobs", _jobs, "Verifications of a running installation."),
    ("collections", _collections, "Documentations that are inspected periodically."),
    ("inspections", _inspections, "Inspections of a running installation."),
    ("findings", _findings, "Findings of a running installation."),
    ("webhooks", _webhooks, "Webhooks of a running installation."),
    ("report", _report, "Reports of a running installation."),
    ("accounts", _accounts, "Accounts of a running installation."),
    ("target", _targets, "Consoles of your own: targets tested and written."),
    ("meta", _meta, "META records: kept, tried, compared."),
    ("suites", _suites, "Suites of tasks: make them from units and families."),
    ("bench", _bench, "Suites of tasks: proven, run, compared."),
    ("reward", _reward, "Rewards that were given."),
    ("replay", _replay, "Compiled walks."),
    ("data", _data, "Training data: collected, filtered, as samples."),
    ("map", _maps, "Maps of a console: united and compared."),
    ("train", _train, "Training runs: supervised, and by reinforcement."),
    ("apis", _apis, "Functions that agents call: built, tested, listed."),
    ("certificates", _certificates, "Certificates with which roles call each other."),
    ("blobs", _blobs, "Documents, pictures and trajectories at rest."),
    ("gym", _gym, "Environments for agents that are not ours."),
)
"""Name, what imports it, and its line in the help."""
