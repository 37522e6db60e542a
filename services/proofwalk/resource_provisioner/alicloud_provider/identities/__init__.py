"""RAM: users with their keys and logon, groups with their members, roles, policies, and
what is attached to whom.

Everything is addressed by name. The service takes a name change of a user or group; a
role's or policy's name replaces it.
"""
