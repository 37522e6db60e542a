"""What belongs to one resource is folded in addresses and names, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.maps.addresses import fold_address, fold_name

ALICE = frozenset({"alice"})


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://shop.example", "/"),
        ("https://shop.example/vpc/vpcs/", "/vpc/vpcs"),
        ("/vpc/vpcs/vpc-bp1k29dk3", "/vpc/vpcs/{}"),
        ("/ecs/instances/i-bp17dk2jdk2k?tab=disks&region=cn-hangzhou", "/ecs/instances/{}"),
        ("/keys/123e4567-e89b-12d3-a456-426614174000/edit", "/keys/{}/edit"),
        ("/orders/20261126", "/orders/{}"),
        ("/log/4b1f2c3d9a", "/log/{}"),
        ("/dns/domains/example.com", "/dns/domains/{}"),
        ("/ram/users/alice", "/ram/users/{}"),
        ("/ram/users/bob", "/ram/users/bob"),
        ("/role/arn%3Aaws%3Aiam%3A%3A12%3Arole", "/role/{}"),
        ("/shop/index.html", "/shop/index.html"),
        ("/console.php?page=users&p=3", "/console.php?page=users"),
        ("/home#/keys/42/edit?x=1", "/home#/keys/{}/edit"),
        ("/home#top", "/home"),
        ("/home#Instances:", "/home#Instances:"),
        ("/ecs/launch-templates/create", "/ecs/launch-templates/create"),
        ("/slb/vserver-groups", "/slb/vserver-groups"),
        ("/api/v2/overview", "/api/v2/overview"),
    ],
)
def test_ids_in_addresses_are_folded(url: str, pattern: str) -> None:
    assert fold_address(url, ALICE) == pattern


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Edit i-bp17dk2jdk2k", "Edit {}"),
        ("Keys (12)", "Keys"),
        ("Messages (99+)", "Messages"),
        ("Total: 3", "Total"),
        ("alice", "{}"),
        ("Delete alice?", "Delete {}?"),
        ("alicent", "alicent"),
        ("China (Hangzhou)", "China (Hangzhou)"),
        ("IPv4 CIDR Block", "IPv4 CIDR Block"),
        ("  Create \n VPC ", "Create VPC"),
        ("删除 vpc-bp1k29dk3", "删除 {}"),
        ("实例（3）", "实例"),
    ],
)
def test_what_is_a_resources_own_is_folded_in_names(name: str, folded: str) -> None:
    assert fold_name(name, ALICE) == folded


_segments = st.lists(st.text(alphabet="abz019-.", min_size=1, max_size=12), max_size=4)


@given(_segments)
def test_folding_an_address_again_changes_nothing(segments: list[str]) -> None:
    once = fold_address("/" + "/".join(segments))
    assert fold_address(once) == once


@given(st.uuids(), st.integers(min_value=0))
def test_two_resources_have_one_address(identity: object, number: int) -> None:
    pattern = fold_address("/keys/1/versions/2")
    assert fold_address(f"/keys/{identity}/versions/{number}") == pattern
