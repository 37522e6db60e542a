"""The images of the roles: which packages each has (`imports`, `requirements`), and how
they are built (`Dockerfile`, `build`)."""
