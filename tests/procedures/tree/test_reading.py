"""Trees as the documentation systems lay them out: order, includes, variables,
callouts, ids, and lines that find home."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.model import BlockKind
from proofwalk.procedures.tree.tree import Page, Tree, read_tree

STEPS = "1. Click **Create**.\n2. Click **OK**.\n"


def tree(root: Path, files: Mapping[str, str]) -> Tree:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return read_tree(root)


def page(found: Tree, path: str) -> Page:
    return next(each for each in found.pages if each.path == path)


def paths(found: Tree) -> list[str]:
    return [each.path for each in found.pages]


def sentences(one: Page) -> list[str]:
    assert one.document is not None, one.error
    return [
        sentence.text
        for substep in one.document.procedures[0].substeps
        for sentence in substep.sentences
    ]


@pytest.mark.parametrize(
    ("files", "order", "source"),
    [
        pytest.param(
            {
                "mkdocs.yml": (
                    "nav:\n  - Start: index.md\n  - Guides:\n      - guides/b.md\n      - A:"
                    " guides/a.md\nplugins: [!ENV X]\n"
                ),
                "docs/index.md": "# Start\n",
                "docs/guides/a.md": f"# A\n{STEPS}",
                "docs/guides/b.md": f"# B\n{STEPS}",
                "docs/other.md": "# Other\n",
            },
            ["docs/index.md", "docs/guides/b.md", "docs/guides/a.md", "docs/other.md"],
            "mkdocs.yml",
            id="mkdocs",
        ),
        pytest.param(
            {
                "src/SUMMARY.md": "# Summary\n\n- [Two](two.md)\n  - [One](one.md)\n",
                "src/one.md": "# 1\n",
                "src/two.md": "# 2\n",
            },
            ["src/two.md", "src/one.md"],
            "SUMMARY.md",
            id="mdbook",
        ),
        pytest.param(
            {
                "toc.yml": "- name: B\n  href: b.md\n- name: More\n  href: more/toc.yml\n",
                "more/toc.yml": (
                    "items:\n- href: z.md?tabs=x\n- name: Group\n  items:\n  - href: y.md#top\n"
                ),
                "a.md": "# a\n",
                "b.md": "# b\n",
                "more/y.md": "# y\n",
                "more/z.md": "# z\n",
            },
            ["b.md", "more/z.md", "more/y.md", "a.md"],
            "toc.yml",
            id="docfx",
        ),
        pytest.param(
            {
                "sidebars.json": (
                    '{"docs": ["intro", {"type": "category", "label": "G", "link": {"type": "doc",'
                    ' "id": "g/over"}, "items": ["g/b", {"type": "doc", "id": "g/a"}]}]}'
                ),
                "docs/intro.md": "# i\n",
                "docs/g/over.md": "# o\n",
                "docs/g/a.mdx": "# a\n",
                "docs/g/b.md": "# b\n",
            },
            ["docs/intro.md", "docs/g/over.md", "docs/g/b.md", "docs/g/a.mdx"],
            "sidebars.json",
            id="docusaurus",
        ),
        pytest.param(
            {
                "index.rst": (
                    "Top\n===\n\n.. toctree::\n   :maxdepth: 2\n\n   two\n   Title"
                    " <sub/index>\n\nEnd.\n"
                ),
                "sub/index.rst": "Sub\n===\n\n.. toctree::\n\n   leaf\n   /one\n",
                "sub/leaf.rst": "Leaf\n====\n",
                "one.rst": "One\n===\n",
                "two.rst": "Two\n===\n",
            },
            ["index.rst", "two.rst", "sub/index.rst", "sub/leaf.rst", "one.rst"],
            "index.rst",
            id="sphinx",
        ),
        pytest.param(
            {
                "index.html": (
                    '<html><body><nav><a href="/b.html">B</a><a href="a.html#x">A</a><a'
                    ' href="https://e.org/">x</a></nav></body></html>'
                ),
                "a.html": "<h1>A</h1>",
                "b.html": "<h1>B</h1>",
            },
            ["b.html", "a.html", "index.html"],
            "index.html",
            id="built site",
        ),
        pytest.param(
            {
                "10-late.md": "# late\n",
                "2-early.md": "# early\n",
                "first.md": "---\nsidebar_position: 1\n---\n# first\n",
                "g/_category_.json": '{"position": 2}',
                "g/index.md": "# g\n",
                "g/a.md": "# a\n",
                "h/b.md": "# b\n",
            },
            ["first.md", "g/index.md", "g/a.md", "2-early.md", "10-late.md", "h/b.md"],
            "",
            id="positions and names",
        ),
    ],
)
def test_pages_come_in_the_sidebars_order(
    tmp_path: Path, files: dict[str, str], order: list[str], source: str
) -> None:
    found = tree(tmp_path, files)
    assert (paths(found), found.order_from) == (order, source)


INCLUDES = {
    "mkdocs": ("guide.md", '    --8<-- "part.md"\n', "snippets/part.md"),
    "markdown-include": ("guide.md", "    {!part.md!}\n", "part.md"),
    "mdbook": ("guide.md", "    {{#include ./part.md}}\n", "part.md"),
    "docfx": ("guide.md", "    [!INCLUDE [part](../includes/part.md)]\n", "includes/part.md"),
    "jekyll": ("guide.md", "    {% include part.md %}\n", "_includes/part.md"),
    "hugo": ("guide.md", '    {{% include "part.md" %}}\n', "part.md"),
    "github": ("guide.md", "    {% data reusables.shop.part %}\n", "data/reusables/shop/part.md"),
}


@pytest.mark.parametrize("system", INCLUDES)
def test_an_include_brings_its_lines_and_they_know_their_file(tmp_path: Path, system: str) -> None:
    name, directive, part = INCLUDES[system]
    text = f"# Guide\n\n1. Click **Create**.\n\n{directive}2. Click **OK**.\n"
    found = tree(
        tmp_path,
        {
            f"docs/{name}": text,
            part: "---\ntitle: part\n---\n* Enter `web`.\n* Select **Zone A**.\n",
        }
        | {"docs/x.md": "# x\n"},
    )
    guide = page(found, f"docs/{name}")
    assert guide.document is not None
    assert guide.problems == ()
    first = guide.document.procedures[0].substeps[0]
    bullets = next(block for block in first.blocks if block.kind is BlockKind.BULLETS)
    assert ["".join(inline.text for inline in item) for item in bullets.items] == [
        "Enter web.",
        "Select Zone A.",
    ]
    assert guide.expansion.origin(bullets.row_lines[1])[0] == part
    last = guide.document.procedures[0].substeps[-1]
    assert guide.expansion.origin(last.span.line) == (
        f"docs/{name}",
        text.splitlines().index("2. Click **OK**.") + 1,
    )
    assert part not in paths(found)


def test_a_front_matter_of_a_part_does_not_shift_its_lines(tmp_path: Path) -> None:
    found = tree(
        tmp_path, {"a.md": "# A\n\n{!p.md!}\n", "p.md": "---\ntitle: t\n---\n1. Click **Go**.\n"}
    )
    guide = page(found, "a.md")
    assert guide.document is not None
    assert guide.expansion.origin(guide.document.procedures[0].substeps[0].span.line) == ("p.md", 4)


def test_an_include_of_restructured_text_takes_its_options(tmp_path: Path) -> None:
    part = "Secret\n\n.. start\n\n#. Click **Create**.\n#. Click **OK**.\n\n.. end\n\nAfter.\n"
    text = (
        "Guide\n=====\n\n.. include:: parts/steps.inc\n   :start-after: start\n   :end-before: .."
        " end\n"
    )
    guide = page(tree(tmp_path, {"guide.rst": text, "parts/steps.inc": part}), "guide.rst")
    assert sentences(guide) == ["Click Create.", "Click OK."]
    assert guide.document is not None
    assert guide.expansion.origin(guide.document.procedures[0].substeps[1].span.line) == (
        "parts/steps.inc",
        6,
    )


def test_mdx_partials_and_inline_includes(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {
            "g.mdx": "import Steps from './_steps.mdx'\n\n# G\n\n<Steps />\n",
            "_steps.mdx": "1. Open [!INCLUDE [name](_name.md)] and click **OK**.\n",
            "_name.md": "the console\n",
        },
    )
    assert sentences(page(found, "g.mdx")) == ["Open the console and click OK."]
    assert paths(found) == ["g.mdx"]


@pytest.mark.parametrize(
    ("kept", "used"),
    [
        ({"mkdocs.yml": "extra:\n  button: Create VPC\n"}, "{{ button }}"),
        ({"mkdocs.yml": "extra:\n  ui: {button: Create VPC}\n"}, "{{ config.extra.ui.button }}"),
        ({"_config.yml": "button: Create VPC\n"}, "{{site.button}}"),
        ({"_data/ui/labels.yml": "button: Create VPC\n"}, "{{ site.data.ui.labels.button }}"),
        (
            {"data/variables/product.yml": "button: Create VPC\n"},
            "{% data variables.product.button %}",
        ),
        ({"variables.json": '{"button": "Create VPC"}'}, "{{< var button >}}"),
        ({"variables.yml": "button: Create VPC\n"}, "[!VAR button]"),
    ],
)
def test_variables_are_put_in_place(tmp_path: Path, kept: dict[str, str], used: str) -> None:
    found = tree(tmp_path, {**kept, "a.md": f"# A\n\n1. Click **{used}**.\n"})
    assert sentences(page(found, "a.md")) == ["Click Create VPC."]


def test_variables_of_the_page_and_of_sphinx(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {
            "conf.py": (
                'import os\nos.abort()\nrst_prolog = """\n.. |product| replace:: Virtual Private'
                ' Cloud\n"""\n'
            ),
            "a.md": "---\nproduct: VPC\n---\n# A\n\n1. Open {{ page.product }}.\n",
            "b.rst": "B\n=\n\n#. Open |product|.\n",
        },
    )
    assert sentences(page(found, "a.md")) == ["Open VPC."]
    assert sentences(page(found, "b.rst")) == ["Open Virtual Private Cloud."]


def test_code_keeps_its_braces_and_unknown_names_are_told(tmp_path: Path) -> None:
    text = "# A\n\n1. Click {{ nobody }}.\n\n   ```\n   {{ nobody }} {!part.md!}\n   ```\n"
    guide = page(tree(tmp_path, {"a.md": text}), "a.md")
    assert [(problem.code, problem.line) for problem in guide.problems] == [
        ("tree.unknown_variable", 3)
    ]
    assert "{{ nobody }} {!part.md!}" in guide.expansion.text


def test_callouts_of_every_system_are_notes_and_hold_no_step(tmp_path: Path) -> None:
    text = (
        '# A\n\n{% hint style="warning" %}\n1. Not a step.\n{% endhint %}\n\n<Note>\n\n1.'
        " Neither.\n\n</Note>\n\n::: tip\n1. Nor this.\n:::\n\n!!! note\n    1. Nor that.\n\n>"
        " [!IMPORTANT]\n> 1. No.\n\n1. Click **OK**.\n"
    )
    assert sentences(page(tree(tmp_path, {"a.md": text}), "a.md")) == ["Click OK."]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a.md": f"# A\n{{!gone.md!}}\n\n{STEPS}"}, "tree.include_missing"),
        ({"a.md": f"# A\n{{!../../etc/passwd!}}\n\n{STEPS}"}, "tree.include_outside"),
        (
            {
                "a.md": f"# A\n{{!_b.md!}}\n\n{STEPS}",
                "_b.md": "{!_c.md!}\n",
                "_c.md": "{!_b.md!}\n",
            },
            "tree.include_cycle",
        ),
    ],
)
def test_an_include_that_cannot_be_had_is_told_and_stays(
    tmp_path: Path, files: dict[str, str], code: str
) -> None:
    guide = page(tree(tmp_path / "docs", files), "a.md")
    assert [problem.code for problem in guide.problems] == [code]
    assert sentences(guide) == ["Click Create.", "Click OK."]


def test_includes_that_multiply_are_bounded(tmp_path: Path) -> None:
    parts = {f"_p{depth}.md": f"{{!_p{depth + 1}.md!}}\n" * 40 for depth in range(8)}
    guide = page(
        tree(tmp_path, {"a.md": f"{STEPS}\n{{!_p0.md!}}\n", **parts, "_p8.md": ""}), "a.md"
    )
    assert [problem.code for problem in guide.problems] == ["tree.page_too_long"]


def test_nothing_outside_the_tree_is_read_even_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("1. Secret.\n")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "linked.md").symlink_to(tmp_path / "secret.md")
    found = tree(docs, {"a.md": f"# A\n\n{{!linked.md!}}\n\n{STEPS}"})
    assert paths(found) == ["a.md"]
    assert [problem.code for problem in page(found, "a.md").problems] == ["tree.include_missing"]


def test_ids_survive_another_order_and_pages_in_between(tmp_path: Path) -> None:
    before = tree(
        tmp_path / "one",
        {"01-create.md": f"# Create\n\n{STEPS}", "02-delete/index.md": f"# Delete\n\n{STEPS}"},
    )
    after = tree(
        tmp_path / "two",
        {
            "07-create.md": f"# Create\n\nMore text.\n\n{STEPS}",
            "05-delete/index.md": f"# Delete\n\n{STEPS}",
            "06-x.md": "# X\n",
        },
    )

    def ids(found: Tree) -> set[str]:
        return {name for each in found.pages for name, _ in each.procedures()}

    assert ids(before) == ids(after)
    assert {name.split("#")[0] for name in ids(after)} == {"create", "delete"}
    owner, procedure = after.find(min(ids(after)))
    assert owner.path == "07-create.md"
    assert len(procedure.substeps) == 2


def test_ids_from_the_front_matter_and_twins(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {
            "a/1-stop.md": "---\nuid: ecs.stop\n---\n# S\n",
            "a/2-start.md": "---\nid: launch\n---\n# S\n",
            "b/1-twin.md": "# T\n",
            "b/2-twin.md": "# T\n",
        },
    )
    assert [each.key for each in found.pages] == [
        "ecs.stop",
        "a/launch",
        "b/1-twin.md",
        "b/2-twin.md",
    ]


def test_a_page_without_a_procedure_stays_with_its_reason(tmp_path: Path) -> None:
    found = tree(
        tmp_path,
        {"a.md": "# Only words\n", "b.md": f"# B\n\n{STEPS}", "node_modules/x/readme.md": "# no\n"},
    )
    assert [(each.path, each.error.code if each.error else None) for each in found.pages] == [
        ("a.md", "document.no_procedure"),
        ("b.md", None),
    ]


def test_what_is_no_tree_is_refused(tmp_path: Path) -> None:
    for folder, code in ((tmp_path / "none", "tree.not_a_folder"), (tmp_path, "tree.empty")):
        with pytest.raises(ProofwalkError) as caught:
            read_tree(folder)
        assert caught.value.code == code
    with pytest.raises(ProofwalkError) as caught:
        tree(tmp_path, {"a.md": STEPS}).find("a#nothing")
    assert caught.value.code == "tree.unknown_procedure"
