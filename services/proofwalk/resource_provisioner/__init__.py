"""The resource provisioner: META records, Terraform, ResourceCoder, and the sweep. Start with `meta`, then `provisioning`."""
