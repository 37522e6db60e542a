"""`python -m proofwalk.cloud.alicloud_provider`: started by Terraform through the mirror."""

import sys

from proofwalk.cloud.alicloud_provider.server import serve

sys.exit(serve(sys.argv[1:]))
