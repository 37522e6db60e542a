"""Planted changes of the console can be served, and a report that has their items is
the only one that is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.map.coverage import coverage
from benchmarks.map.planting import MOVES, revision
from proofwalk.devcloud.console.revisions import apply_patches
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.devcloud.products.indexing import load
from proofwalk.maps.changes import Change, ChangeKind, Subject
from proofwalk.maps.graph import ConsoleMap, Control, Surface


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load(PRODUCTS)


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_revision_can_be_served_and_touches_nothing_twice(
    catalogue: Catalogue, seed: int
) -> None:
    planted = revision(catalogue, seed)
    apply_patches(catalogue, [one.patch for one in planted])
    assert sum(one.kind is ChangeKind.MOVED for one in planted) == MOVES
    touched = [place for one in planted for place in one.touches]
    assert len(touched) == len(set(touched))
    assert planted == revision(catalogue, seed)


def test_a_move_is_told_by_its_item_alone(catalogue: Catalogue) -> None:
    move = next(one for one in revision(catalogue, 1) if one.old_group and one.new_group)
    page = Surface(address=f"/{move.product}/overview", heading="Overview")
    control = Control(role=move.role, name=move.name)
    item = Change(
        kind=ChangeKind.MOVED,
        subject=Subject.CONTROL,
        role=move.role,
        name=move.name,
        old_path=("Product", move.old_group, move.name),
        new_path=("Product", move.new_group, move.name),
        before=frozenset([(page, control)]),
    )
    assert move.is_told_by(item)
    assert move.explains(item)
    for wrong in (
        replace(item, kind=ChangeKind.GONE),
        replace(item, name="Other"),
        replace(item, new_path=("Product", "Elsewhere", move.name)),
        replace(item, before=frozenset([(Surface(address="/other/overview"), control)])),
    ):
        assert not move.is_told_by(wrong)


def test_an_empty_map_covers_nothing(catalogue: Catalogue) -> None:
    figures = coverage(catalogue, ConsoleMap(console="devcloud"))
    assert figures["pages_found"] == figures["controls_found"] == 0
    assert figures["pages_declared"] > 100
