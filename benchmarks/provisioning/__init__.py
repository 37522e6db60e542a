"""What is left behind when provisioning goes wrong, and how long it takes. `plans`
draws cycles, `cycle` carries one out, `batches` ends with a sweep, `counting` makes
figures."""
