"""Pages of figures and charts: one file each, which opens offline, without a script.

A page is a template beside the module that knows its values. It extends
`frame.html.j2` of this folder, which holds the policy that keeps everything from
elsewhere out, and draws tables and charts by the macros of `parts.html.j2`. Values are
escaped; a template that names what it was not given is an error.
"""

from __future__ import annotations

import functools
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_HERE = Path(__file__).parent


def rendered(template: Path, **values: object) -> str:
    """The template's page with these values."""
    return _environment(template.parent).get_template(template.name).render(values)


@functools.cache
def _environment(folder: Path) -> Environment:
    return Environment(
        loader=FileSystemLoader([folder, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
