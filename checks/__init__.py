"""What `make check` holds the source to besides lint, types and layers. Begin with
`ratchets`."""
