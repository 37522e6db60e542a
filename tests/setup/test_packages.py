"""`setup/packages.py`: uv is told what pip is configured with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from setup.packages import configuration, environment

TOLD = """:env:.find-links='/opt/wheels'
global.cert='/etc/ca.crt'
global.extra-index-url='https://a/simple https://b/simple'
global.find-links='/srv/one\\n/srv/two'
global.index-url='https://user:word@mirror/simple'
list.format='columns'
"""


def test_indexes_links_and_certificates_are_pips() -> None:
    found = environment(TOLD, {"HOME": "/root"})
    assert found == {
        "HOME": "/root",
        "UV_DEFAULT_INDEX": "https://user:word@mirror/simple",
        "UV_INDEX": "https://a/simple https://b/simple",
        "UV_FIND_LINKS": "/opt/wheels",
        "SSL_CERT_FILE": "/etc/ca.crt",
    }


def test_several_links_are_separated_as_uv_reads_them() -> None:
    assert (
        environment("global.find-links='/srv/one\\n/srv/two'\n", {})["UV_FIND_LINKS"]
        == "/srv/one,/srv/two"
    )


def test_what_is_set_for_uv_stays() -> None:
    assert environment(TOLD, {"UV_INDEX": "https://mine"})["UV_INDEX"] == "https://mine"


def test_pips_own_words_are_read(tmp_path: Path) -> None:
    own = {**os.environ, "PIP_INDEX_URL": "https://mirror.example/simple"}
    code = (
        "from setup.packages import configuration, environment;"
        "print(environment(configuration(), {})['UV_DEFAULT_INDEX'])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=own,
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "https://mirror.example/simple"
    assert isinstance(configuration(), str)
