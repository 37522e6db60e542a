"""A module for each page of the web console."""
