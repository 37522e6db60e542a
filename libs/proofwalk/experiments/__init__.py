"""Experiments on a platform: benches, collections, teaching a model, what a demand
takes of machines.

`platform` says what they need of one. No terminal and none of the roles' code is
imported here.
"""
