"""Labels in other languages: what is translated, what is left alone, and whether the
files are whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import proofwalk.devcloud
from proofwalk.devcloud.console.translations import CONSOLE, Translations, geography, has_words
from proofwalk.devcloud.main import PRODUCTS, TRANSLATIONS
from proofwalk.devcloud.products.catalogue import ProductError
from proofwalk.devcloud.products.indexing import load

SOURCE = Path(next(iter(proofwalk.devcloud.__path__))) / "console" / "browser" / "src"
PRODUCT = {
    "id": "zoo",
    "title": "Zoo",
    "menu": [{"id": "Cage", "label": "Cage"}],
    "resources": {
        "cage": {
            "label": "Cage",
            "fields": [{"id": "Cage", "label": "Cage", "default": "Cage", "options": [{"value": "Cage", "label": "Cage"}]}],
            "actions": [{"id": "open", "label": "Open", "else": "Only a closed cage.", "confirm": {"typed": "Cage", "text": "Really?"}}],
            "states": {"Open": {"tone": "success", "label": "Open"}},
        }
    },
}  # fmt: skip


def write(folder: Path, **files: str) -> Translations:
    (folder / "zh").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "zh" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return Translations(folder)


def test_labels_are_translated_and_what_operations_take_is_not(tmp_path: Path) -> None:
    texts = write(
        tmp_path,
        zoo="Cage: 笼子\nOpen: 打开\nOnly a closed cage.: 仅限关闭的笼子。\n",
        console='"Really?": 确定吗？\n',
    )
    seen = texts.product("zh", PRODUCT)
    cage = seen["resources"]["cage"]
    assert seen["title"] == "Zoo"  # no entry: stays
    assert seen["menu"] == [{"id": "Cage", "label": "笼子"}]
    assert cage["fields"] == [
        {
            "id": "Cage",
            "label": "笼子",
            "default": "Cage",
            "options": [{"value": "Cage", "label": "笼子"}],
        }
    ]
    assert cage["actions"][0]["else"] == "仅限关闭的笼子。"
    # the console's words serve every product
    assert cage["actions"][0]["confirm"] == {"typed": "Cage", "text": "确定吗？"}
    assert cage["states"] == {"Open": {"tone": "success", "label": "打开"}}
    assert texts.product("en", PRODUCT) is PRODUCT


def test_a_products_own_word_goes_before_the_consoles(tmp_path: Path) -> None:
    texts = write(tmp_path, zoo="Open: 开笼\n", console="Open: 打开\n")
    assert texts.text("zh", "zoo", "Open") == "开笼"
    assert texts.text("zh", "other", "Open") == "打开"


def test_words_that_yaml_takes_for_something_else_stay_words(tmp_path: Path) -> None:
    texts = write(tmp_path, zoo="Yes: 是\nOff: 关\n8.0: 8.0 版\n")
    assert [texts.text("zh", "zoo", word) for word in ("Yes", "Off", "8.0")] == [
        "是",
        "关",
        "8.0 版",
    ]


@pytest.mark.parametrize("text", ["Cage: {nested: 笼}", "- Cage", "Cage: [笼]", "a: b: c"])
def test_a_file_that_is_not_flat_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProductError) as caught:
        write(tmp_path, zoo=text)
    assert caught.value.where == "zh/zoo.yaml"


def test_codes_need_no_translation() -> None:
    assert not any(
        map(
            has_words,
            [
                "ecs.g7.large",
                "8.0",
                "10.0.0.0/8",
                "MySQL",
                "GiB",
                "cn-hangzhou-h",
                "cloud_essd",
                "192.168.0.0/16",
            ],
        )
    )
    assert all(
        map(
            has_words,
            [
                "Delete",
                "VPC networks",
                "Enter a CIDR block such as 192.168.0.0/16.",
                "1 Month",
                "ESSD disk",
            ],
        )
    )


TRANSLATED = [
    name
    for name in sorted(load(PRODUCTS).products)
    if Translations(TRANSLATIONS).covers("zh", name)
]


@pytest.mark.parametrize("product", TRANSLATED)
def test_a_translated_product_is_translated_whole(product: str) -> None:
    missing = Translations(TRANSLATIONS).missing("zh", load(PRODUCTS), product)
    assert not missing, f"translations/zh/{product}.yaml lacks:\n" + "\n".join(missing)


def test_the_bundles_own_words_and_geography_are_translated() -> None:
    known = Translations(TRANSLATIONS).words("zh")
    used = {
        text
        for path in SOURCE.rglob("*.js*")
        for text in re.findall(r"""\bt\(\s*'((?:[^'\\]|\\.)+)'""", path.read_text(encoding="utf-8"))
    }
    assert "Sign In" in used
    assert sorted((used | set(geography())) - set(known)) == []
    assert Translations(TRANSLATIONS).covers("zh", CONSOLE)
