"""Preparations without Terraform: requests and commands that make what a document
presupposes, in a console that a target file declares. Read `model`, then `making`."""
