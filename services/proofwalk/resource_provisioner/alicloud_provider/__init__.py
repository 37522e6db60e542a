"""A Terraform provider under the address and names of `aliyun/alicloud`, for the
embedded cloud and its like.

Terraform starts `python -m proofwalk.resource_provisioner.alicloud_provider` through
the mirror that `alicloud_mirror` writes. The process speaks plugin protocol 6
(`server`, `servicer`), knows types and attributes from `schemas/` (the real provider's,
with its flags), and does its work through the vendor's own SDK core (`openapi`). What a
resource does is one class each, in the modules that `registry` lists: a product with
many kinds of resource is a package. Data sources are in `lookups`. Start with
`resource`, the contract that those classes keep. Nothing in the protocol depends on the
cloud: a template that works here works with the registry's provider.
"""
