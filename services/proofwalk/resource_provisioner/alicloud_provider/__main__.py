"""`python -m proofwalk.resource_provisioner.alicloud_provider`: started by Terraform
through the mirror."""

import sys

from proofwalk.resource_provisioner.alicloud_provider.server import serve

sys.exit(serve(sys.argv[1:]))
