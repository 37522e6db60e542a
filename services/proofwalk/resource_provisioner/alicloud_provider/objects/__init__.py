"""Buckets of Object Storage Service with everything that a template sets on them, and
objects.

The operations are spoken in RPC form. A bucket's blocks are brought about one by one
after it has been made; each reads back as the template wrote it while it means the
same, so that a plan without a change shows none.
"""
