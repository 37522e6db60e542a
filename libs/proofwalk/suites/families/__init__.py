"""Suites made of families: how tasks are generated, and drift, singles and training
from the same units."""
