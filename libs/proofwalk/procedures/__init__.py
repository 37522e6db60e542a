"""Turns documents into procedures: fetching, three formats, and sub-steps with their
source lines. See `model`."""
