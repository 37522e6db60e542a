"""Repositories as sources: what is read of them, what is not fetched twice, and what
they cannot do."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proofwalk.inspection.documents import Listing, Sources
from proofwalk.inspection.sources.git_address import GitAddress, git_address, token_file
from proofwalk.inspection.sources.git_program import Access, GitMeans, environment
from proofwalk.inspection.sources.repositories import GitSettings, Repositories
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.orders.collection import Source, SourceKind
from tests.fixtures.reading import InPlace
from tests.inspection.git_server import GitServer, Repository, serving
from tests.inspection.kit import spec_of

STOP = "# Stop\n\n1. Click **Stop**.\n"
TOKEN = "tok-3f9c1d0b77"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("git")


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[GitServer]:
    (place / "served").mkdir()
    with serving(place / "served", place) as found:
        yield found


class World:
    """A repository under an allowed root, and a reader of it."""

    def __init__(self, folder: Path, **means: object) -> None:
        self.folder = folder
        self.repository = Repository.make(folder / "docs")
        self.settings = GitSettings(
            protocols=frozenset({"file"}),
            roots=[folder],
            tokens={},
            allow_hosts=frozenset(),
            means=GitMeans(**means),  # type: ignore[arg-type]
        )

    async def read(self, address: str = "", **fields: str) -> Listing:
        repositories = Repositories(self.folder / "cache", self.settings)
        sources = Sources(reading=InPlace(), roots=[], max_procedures=99, repositories=repositories)
        source = Source(kind=SourceKind.GIT, address=address or str(self.repository.path), **fields)
        return await sources.read(spec_of(source=source))

    async def refusal(self, address: str = "", **fields: str) -> ProofwalkError:
        with pytest.raises(ProofwalkError) as caught:
            await self.read(address, **fields)
        return caught.value


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_pages_of_a_folder_come_by_path_and_blob(world: World) -> None:
    world.repository.commit(docs__stop=STOP, docs__start=STOP, other=STOP)
    listing = await world.read(subfolder="/docs/")
    assert [one.page for one in listing.procedures] == ["docs/start.md", "docs/stop.md"]
    assert [one.procedure_id.partition("#")[0] for one in listing.procedures] == ["start", "stop"]
    stop = listing.procedures[1]
    assert stop.request.document.name == "docs/stop.md"
    assert stop.inputs.blob == world.repository.git("rev-parse", "HEAD:docs/stop.md")
    assert listing.complete


async def test_branch_tag_and_commit_are_read_and_a_change_is_seen(world: World) -> None:
    first = world.repository.commit(stop=STOP)
    world.repository.git("tag", "-a", "v1", "-m", "v1")
    (before,) = (await world.read()).procedures
    world.repository.commit(stop=STOP + "\nMore.\n")
    (after,) = (await world.read(branch="main")).procedures
    assert after.inputs.changed_since(before.inputs) == ("document",)
    assert before.inputs.blob != after.inputs.blob
    for ref in ("v1", first):
        (again,) = (await world.read(branch=ref)).procedures
        assert again.inputs == before.inputs


async def test_what_is_not_there_is_told_and_never_waited_for(world: World) -> None:
    world.repository.commit(stop=STOP)
    refusals: list[tuple[dict[str, str], str]] = [
        ({"branch": "nowhere"}, "source.ref_not_found"),
        ({"branch": "0" * 40}, "source.unreachable"),
        ({"subfolder": "nowhere"}, "source.folder_not_found"),
        ({"subfolder": "stop.md"}, "source.folder_not_found"),
        ({"branch": "--upload-pack=touch /tmp/x"}, "collection.bad_source"),
        ({"branch": "a..b"}, "collection.bad_source"),
        ({"subfolder": "../up"}, "collection.bad_source"),
    ]
    for fields, code in refusals:
        error = await world.refusal(**fields)
        assert error.code == code
        assert error.hint
        assert error.status not in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)


async def test_links_submodules_and_hidden_files_stay_out(world: World) -> None:
    repository = world.repository
    repository.commit(stop=STOP, **{".github__a": STOP})
    (repository.path / "passwd.md").symlink_to("/etc/passwd")
    (repository.path / "up").symlink_to("..")
    (repository.path / ".gitattributes").write_text("*.md filter=evil\n")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repository.commit()
    assert [one.page for one in (await world.read()).procedures] == ["stop.md"]


async def test_hooks_and_configuration_of_the_repository_do_not_run(
    world: World, tmp_path: Path
) -> None:
    world.repository.commit(stop=STOP)
    ran = tmp_path / "ran"
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc"):
        hook = world.repository.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)
    world.repository.git("config", "uploadpack.packObjectsHook", f"touch {ran}; exec")
    world.repository.git("config", "core.fsmonitor", f"touch {ran}")
    await world.read()
    assert not ran.exists()


async def test_what_does_not_change_is_neither_fetched_nor_written_again(
    server: GitServer, place: Path, tmp_path: Path
) -> None:
    world = World(tmp_path, ca_file=server.ca_file)
    world.settings = replace(
        world.settings, protocols=frozenset({"https"}), allow_hosts=frozenset({server.host})
    )
    repository = Repository.make(place / "served" / "again")
    repository.commit(stop=STOP)
    url = f"{server.url}/again/.git"
    first = await world.read(url)
    server.requests.clear()
    assert await world.read(url) == first
    assert not [one for one in server.requests if "info/refs" not in one and "ls-refs" in one]
    assert sum("git-upload-pack" in one for one in server.requests) == 2, "the refs alone"
    repository.commit(start=STOP)
    assert len((await world.read(url)).procedures) == 2


async def test_a_token_goes_to_its_repositories_alone_and_is_never_shown(
    server: GitServer, place: Path, tmp_path: Path
) -> None:
    world = World(tmp_path, ca_file=server.ca_file)
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    world.settings = replace(
        world.settings,
        protocols=frozenset({"https"}),
        allow_hosts=frozenset({server.host}),
        tokens={f"{server.url}/mine": token},
    )
    for name in ("mine", "mineral"):
        Repository.make(place / "served" / name).commit(stop=STOP)
        server.authorizations.clear()
        await world.read(f"{server.url}/{name}/.git")
        words = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
        expected = {f"Basic {words}"} if name == "mine" else {""}
        assert set(server.authorizations) == expected
    error = await world.refusal(f"{server.url}/mine/nothing.git")
    assert error.code == "source.unreachable"
    assert TOKEN not in f"{error} {error.details}"
    access = Access(address=GitAddress(protocol="https", url="https://a.b/c"), token=TOKEN)
    assert TOKEN not in repr(access)


async def test_redirects_private_addresses_and_foreign_certificates_are_refused(
    server: GitServer, place: Path, tmp_path: Path
) -> None:
    world = World(tmp_path)
    world.settings = replace(world.settings, protocols=frozenset({"https"}))
    blocked = await world.refusal(f"{server.url}/again/.git")
    assert blocked.code == "source.refused"
    metadata = await world.refusal("https://169.254.169.254/latest/meta-data")
    assert metadata.code == "source.refused"
    world.settings = replace(world.settings, allow_hosts=frozenset({server.host}))
    assert (await world.refusal(f"{server.url}/again/.git")).code == "source.unreachable"
    world.settings = replace(world.settings, means=GitMeans(ca_file=server.ca_file))
    Repository.make(place / "served" / "there").commit(stop=STOP)
    moved = await world.refusal(f"{server.url}/moved/there/.git")
    assert moved.code == "source.unreachable"


async def test_a_name_is_connected_to_at_the_address_that_was_judged(
    server: GitServer, place: Path, tmp_path: Path
) -> None:
    asked: list[str] = []

    async def resolver(host: str, port: int) -> tuple[str, ...]:
        asked.append(host)
        return ("127.0.0.1",)

    port = server.host.partition(":")[2]
    Repository.make(place / "served" / "named").commit(stop=STOP)
    settings = GitSettings(
        protocols=frozenset({"https"}),
        roots=[],
        tokens={},
        allow_hosts=frozenset({"git.example.com"}),
        means=GitMeans(ca_file=server.ca_file),
    )
    source = Source(kind=SourceKind.GIT, address=f"https://git.example.com:{port}/named/.git")
    copy = await Repositories(tmp_path, settings, resolver=resolver).checkout(source)
    assert list(copy.blobs) == ["stop.md"]
    assert asked == ["git.example.com"]


async def test_size_and_time_are_bounded_and_a_missing_git_is_told(tmp_path: Path) -> None:
    world = World(tmp_path, max_bytes=100_000)
    (world.repository.path / "big.md").write_bytes(os.urandom(400_000))
    world.repository.commit(stop=STOP)
    assert (await world.refusal()).code == "source.too_large"
    world.settings = replace(world.settings, means=GitMeans(program="git-that-is-not"))
    assert (await world.refusal()).code == "source.no_git"
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    slow.chmod(0o755)
    world.settings = replace(world.settings, means=GitMeans(program=str(slow), timeout_s=0.2))
    assert (await world.refusal()).code == "source.too_slow"


@pytest.mark.parametrize(
    "address",
    [
        "http://git.example.com/a",
        "git://git.example.com/a",
        "ext::sh -c touch /tmp/x",
        "git@git.example.com:a/b",
        "https://user:secret@git.example.com/a",
        "https://git.example.com/a?x=1",
        "ssh://-oProxyCommand=x/a",
        "ssh://user:secret@git.example.com/a",
        "file:///etc",
        "/etc",
        "relative/path",
    ],
)
def test_addresses_that_no_repository_is_asked_at(tmp_path: Path, address: str) -> None:
    source = Source(kind=SourceKind.GIT, address=address)
    with pytest.raises(ProofwalkError) as caught:
        git_address(source, protocols={"https", "ssh", "file"}, roots=[tmp_path])
    assert caught.value.code in ("collection.bad_source", "collection.outside_roots")
    assert "secret" not in str(caught.value)


def test_ssh_runs_without_a_terminal_to_known_hosts_alone() -> None:
    source = Source(kind=SourceKind.GIT, address="ssh://git@git.example.com:2222/a.git")
    address = git_address(source, protocols={"ssh"}, roots=[])
    assert address.location is not None
    assert (address.location.host, address.location.port) == ("git.example.com", 2222)
    command = environment(GitMeans(), Access(address=address, addresses=()), home=Path("/x"))[
        "GIT_SSH_COMMAND"
    ]
    assert "BatchMode=yes" in command
    assert "StrictHostKeyChecking=yes" in command


def test_the_longest_beginning_of_a_url_has_the_token() -> None:
    files = {"https://a.b/x": Path("1"), "https://a.b/x/y/": Path("2")}
    assert token_file("https://a.b/x/y/z", files) == Path("2")
    assert token_file("https://a.b/x", files) == Path("1")
    assert token_file("https://a.b/xyz", files) is None
    assert token_file("https://a.b.evil/x", files) is None
