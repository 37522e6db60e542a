"""Inputs for the template guard: odd layouts, damage, and what attacks are made of.

Most of what the grammar makes is a template that Terraform evaluates without a
provider, so that two readings of it can be told apart by their values; `try` absorbs
the type errors that random expressions make. All from one seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

SPACES = [
    "\xa0",
    "\x85",
    "\u1680",
    "\u2000",
    "\u2003",
    "\u2009",
    "\u200a",
    "\u200b",
    "\u2028",
    "\u2029",
    "\u202f",
    "\u205f",
    "\u3000",
    "\ufeff",
    "\u180e",
    "\u2060",
    " ",
    "\t",
    "\r",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1f",
    "",
]
"""What some reader takes for white space and another does not."""
PIECES = [
    '"',
    "${",
    "%{",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "\\",
    "/*",
    "*/",
    "#",
    "//",
    "<<EOT",
    "<<-EOT",
    "EOT",
    "=",
    "==",
    "=>",
    "...",
    "::",
    ".",
    ",",
    "?",
    ":",
    "!",
    "~",
    "$${",
    "%%{",
    "$$${",
    "%$${",
    "$%",
    '""',
    "''",
    "`",
    ";",
    "&",
    "|",
    "^",
    "@",
    "\\u0041",
    "\\u00a0",
    '\\"',
    "\\n",
    "\\ud800",
    "\\U0001F600",
    "é",
    "日本",
    "١",
    "file",
    "timestamp",
    "path.module",
    "self",
    "provisioner",
    "local-exec",
    "for",
    "in",
    "if",
    "null",
    "true",
    "[*]",
    ".*",
    ".0",
    "-1",
    "1e9",
    "0x1",
    "1.",
    ".5",
    "1_0",
    "var.region",
    "local.a",
    "each.key",
    "count.index",
    "upper(",
    "\n",
    "\r\n",
    "\r",
    "\x00",
    "\x7f",
    "\ufeff",
    "\u202e",
    " ",
    "\t",
]
_RUNS = '  provisioner "local-exec" {\n    command = "false"\n  }\n'
_FUNCTIONS: dict[str, int] = {
    "upper": 1, "lower": 1, "length": 1, "jsonencode": 1, "tostring": 1, "tolist": 1, "toset": 1, "trimspace": 1, "strrev": 1,
    "abs": 1, "max": 2, "min": 2, "concat": 2, "merge": 2, "join": 2, "split": 2, "contains": 2, "coalesce": 2, "format": 2,
    "replace": 3, "substr": 3, "base64encode": 1, "flatten": 1, "reverse": 1, "keys": 1, "values": 1, "title": 1, "chomp": 1,
}  # fmt: skip


class Inputs:
    """An endless source of inputs."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names: list[str] = []

    def __iter__(self) -> Iterator[str]:
        kinds: list[Callable[[], str]] = [self.template, self.damaged, self.hiding, self.spaced]
        while True:
            yield self._random.choices(kinds, weights=[1, 6, 4, 3])[0]()

    def template(self) -> str:
        """A template in an odd layout."""
        self._names = []
        blocks = [self._locals()]
        makes = [self._variable, self._resource, self._output, self._output, self._locals]
        if self._random.random() < 0.15:
            makes = [self._instance, self._output, self._resource]
        for make in self._random.sample(makes, 3):
            blocks.append(make())
        return self._random.choice(["\n", "\n\n", "\r\n", "\n# x\n", "\n/* x\n y */\n"]).join(
            blocks
        ) + self._one("\n", "", "\n\n")

    def damaged(self) -> str:
        """A template with pieces put in and taken out."""
        text = self.template()
        for _ in range(self._random.randint(1, 3)):
            at = self._random.randint(0, len(text))
            gone = self._random.choice([0, 0, 0, 1, 2, 5])
            piece = (
                self._random.choice(PIECES)
                if self._random.random() < 0.5
                else self._one("", " ", "(", ")", "1", "a", ".a", "-")
            )
            text = text[:at] + piece + text[at + gone :]
        return text

    def spaced(self) -> str:
        """A template in which spaces and line ends are other ones."""
        text = self.template()
        for _ in range(self._random.randint(1, 4)):
            places = [at for at, character in enumerate(text) if character in " \n"]
            at = self._random.choice(places)
            text = (
                text[:at]
                + self._random.choice(SPACES)
                + self._one(text[at], "", "\n")
                + text[at + 1 :]
            )
        return text

    def hiding(self) -> str:
        """Something that runs a command, behind what may end elsewhere than it seems
        to."""
        space, other = self._random.choice(SPACES), self._random.choice(SPACES)
        mark = self._one("EOT", "E", "EOT-1", "_", "\u00c9OT")
        opening = self._one("<<", "<<-", "<< ", "<<\t") + self._one(
            mark, f'"{mark}"', f"{mark}{other}"
        )
        hidden = self._one(
            _RUNS, '  input = file("/etc/hostname")\n', "}\n" + 'resource "null_resource" "n" {\n'
        )
        frame = self._random.choice(
            [
                (
                    f"  input = {opening}\nx\n{space}{mark}{other}\n{hidden}  triggers_replace ="
                    f' "\n{mark}\n"\n'
                ),
                f"  input = {opening}\n{space}{mark}\n{hidden}  z = {opening}\n{mark}\n",
                (
                    "  input ="
                    f' "a{space}"{other}\n{self._one("#", "//", "/*")}{space}{other}{hidden}{self._one("", "*/", "#*/")}\n'
                ),
                (
                    f'  input = "${{"{space}a"}}{self._one("", other, "}")}"\n#'
                    f" {self._random.choice(SPACES)}{hidden}"
                ),
                (
                    "  input ="
                    f' "{self._one("$", "$$", "$$$", "%", "%%", "%$", "$%")}{{{self._one("upper", "file")}(\\"x\\")}}"\n'
                ),
                f"  input = 1{space}/*{other}*/{self._one('', '*/')}\n//{space}{other}\n",
            ]
        )
        return f'resource "terraform_data" "x" {{\n{frame}}}\n' + self._one("", self._output())

    def _one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _locals(self) -> str:
        lines = []
        for _ in range(self._random.randint(1, 3)):
            name = f"l{len(self._names)}"
            lines.append(
                f"{self._gap()}{name}{self._gap()}={self._gap()}{self._tried()}{self._end()}"
            )
            self._names.append(name)
        return "locals {\n" + "\n".join(lines) + "\n}"

    def _variable(self) -> str:
        kind = self._one(
            "", "  type = any\n", "  nullable = false\n", '  description = "a $${b} é"\n'
        )
        default = self._random.choice(
            ["1", "-2.50", "true", "null" if "nullable" not in kind else "0", '"a\\u00e9$${x}%%{y}"', "[1, [2], {}]",
             '{ a = 1, "b c" = [true]\n c : "x" }', '"%%"', "1e3"]
        )  # fmt: skip
        return (
            f'variable "v{self._random.randint(0, 99)}_{len(self._names)}" {{\n{kind}  default'
            f" ={self._gap()}{default}{self._end()}\n}}"
        )

    def _resource(self) -> str:
        extra = self._one(
            "", "", "  count = 2\n", '  for_each = { a = 1, "b" = 2 }\n', "  depends_on = []\n"
        )
        extra += self._one(
            "",
            "",
            "  lifecycle {\n    ignore_changes = [input]\n  }\n",
            "  lifecycle { create_before_destroy = true }\n",
        )
        label = self._one(
            '"terraform_data" "r"',
            'terraform_data "r"',
            '"terraform_data" r',
            '"terraform\\u005fdata" "r"',
        )
        return f"resource {label} {{\n{extra}  input ={self._gap()}{self._tried()}{self._end()}\n}}"

    def _instance(self) -> str:
        """A resource with blocks, written out and dynamic; planned by the embedded
        provider."""
        inner = [
            f"size ={self._gap()}{self._one('40', '20 + 20')}",
            f"name ={self._gap()}{self._string(0)}",
        ]
        block = (
            "  data_disks {\n    " + "\n    ".join(inner[: self._random.randint(1, 2)]) + "\n  }\n"
        )
        iterator = self._one("", "disk")
        value = f"{iterator or 'data_disks'}.{self._one('value', 'value', 'key')}"
        dynamic = (
            f'  dynamic{self._one(" ", "")}"data_disks" {{\n    for_each ='
            f" {self._one('[40, 50]', 'toset([40])', '{ a = 40 }', '[]')}\n"
            + (f"    iterator = {iterator}\n" if iterator else "")
            + f"    content {{\n      size = try(tonumber({value}), 60)\n      name ="
            f' "d-${{{value}}}"\n    }}\n  }}\n'
        )
        blocks = self._one(
            block, block + block, dynamic, dynamic + dynamic, "", "  data_disks { size = 40 }\n"
        )
        extra = self._one(
            "",
            "",
            '  lifecycle {\n    ignore_changes = [tags["a"], image_id]\n  }\n',
            "  count = 2\n",
        )
        extra += self._one(
            "", '  tags = { a = "b", "c d" : "$${e}" }\n', '  timeouts {\n    create = "5m"\n  }\n'
        )
        return (
            'resource "alicloud_instance" "i" {\n  image_id = "ubuntu"\n  instance_type ='
            ' "ecs.g7.large"\n  security_groups = ["sg-1"]\n  vswitch_id ='
            f' "vsw-1"\n{blocks}{extra}}}'
        )

    def _output(self) -> str:
        self._names.append("")
        name = f"o{len(self._names)}"
        if self._random.random() < 0.3:
            return f'output "{name}" {{{self._gap()}value = {self._tried()} }}'
        return (
            f'output "{name}" {{\n  value ={self._gap()}{self._tried()}{self._end()}\n  description'
            ' = "d"\n}'
        )

    def _tried(self) -> str:
        inner = self.expression(self._random.randint(0, 4))
        return inner if self._random.random() < 0.04 else f'try({inner}, "failed")'

    def _gap(self) -> str:
        return self._one(" ", " ", " ", "", "  ", "\t", " /* c */ ", "/**/")

    def _break(self) -> str:
        """Where a line may end."""
        return self._one("", " ", "\n", "\r\n", " # c\n", " // c\r\n", "/* \n */", "\n\n")

    def _end(self) -> str:
        return self._one("", "", " # c", " // c", " /* c */", "\t")

    def expression(self, depth: int) -> str:
        """An expression; line ends stand only where Terraform allows them."""
        if depth <= 0:
            return self._leaf()

        def e() -> str:
            return self.expression(depth - 1)

        b, g = self._break, self._gap
        kind = self._random.randint(0, 13)
        match kind:
            case 0:
                return (
                    f"{e()}{g()}"
                    f" {self._one('+', '-', '*', '/', '%', '==', '!=', '<', '>', '<=', '>=', '&&', '||')}"
                    f" {g()}{e()}"
                )
            case 1:
                return f"{e()} ? {e()} : {e()}"
            case 2:
                return f"({b()}{e()}{b()})"
            case 3:
                return f"[{b()}{e()}{b()},{b()}{e()}{self._one('', ',')}{b()}]"
            case 4:
                return self._object(depth)
            case 5:
                name = self._random.choice(list(_FUNCTIONS))
                arguments = f"{b()},{b()}".join(e() for _ in range(_FUNCTIONS[name]))
                return (
                    f"{name}{self._one('', '', ' ')}({b()}{arguments}{self._one('', '', ',')}{b()})"
                )
            case 6:
                return (
                    f"[for{g()} x in [{e()}, {e()}]{g()}:{b()} {self._one('x', '[x]', e())} if"
                    f" {self._one('true', 'x != 1', 'x == x')}]"
                )
            case 7:
                return f"{{for k, v in {self._object(depth)} :{b()} k => v{self._one('', '...')}}}"
            case 8:
                return f"{self._one('-', '!', '--', '- ', '!!')}{e()}"
            case 9:
                return (
                    f"[{e()},"
                    f" {e()}][{b()}{self._one('0', '1', '-1')}{b()}]{self._one('', '', '[*]', '[ * ]')}"
                )
            case 10:
                return f"{{ a = {e()} }}" + self._one(".a", '["a"]', ".*.a", "[*].a", ".b")
            case 11:
                return f"max([1, 2]{self._one('...', '')})"
            case 12:
                return (
                    f"[[{{ a = {e()}"
                    f" }}]]{self._one('[0][*].a', '[*][0].a', '.*[0]', '[0].*.a', '[*].a')}"
                )
            case _:
                return self._string(depth)

    def _object(self, depth: int) -> str:
        items = []
        for _ in range(self._random.randint(0, 3)):
            key = self._one(
                "a", "b-c", '"d e"', f"({self._string(0)})", "1", '"${"f"}"', "if", "in"
            )
            items.append(
                f"{key}{self._gap()}{self._one('=', ':')}{self._gap()}{self.expression(depth - 1)}"
            )
        separator = self._one(", ", "\n", ",\n", "\n\n", " # c\n")
        return (
            "{" + self._one("", "\n", " ") + separator.join(items) + self._one("", "\n", " ") + "}"
        )

    def _leaf(self) -> str:
        references = [f"local.{name}" for name in self._names if name] or ["var.region"]
        return self._random.choice(
            ["1", "0", "2.5", "1e2", "100E-1", "true", "false", "null", "var.region", "var.name_prefix", "[]", "{}",
             self._random.choice(references), self._string(0), self._string(0)]
        )  # fmt: skip

    def _string(self, depth: int) -> str:
        parts = []
        for _ in range(self._random.randint(0, 4)):
            parts.append(
                self._random.choice(
                    [
                        "a",
                        " ",
                        "é",
                        "日",
                        "\u00a0",
                        "\u3000",
                        "$",
                        "%",
                        "$$",
                        "%%",
                        "$${",
                        "%%{",
                        "%d",
                        "$a",
                        "}",
                        "{",
                        "#",
                        "//",
                        "/*",
                        "\\n",
                        "\\t",
                        '\\"',
                        "\\\\",
                        "\\u00e9",
                        "\\U0001F600",
                        "'",
                        "`",
                        "<<EOT",
                        "e\u0301",
                        "\\r",
                    ]
                )
            )
            if depth > 0 and self._random.random() < 0.5:
                parts.append(
                    "${"
                    + self._one("", " ", "\n")
                    + self.expression(depth - 1)
                    + self._one("", " ", "\n")
                    + "}"
                )
        return '"' + "".join(parts) + '"'
