"""What an RDS instance holds and how it is reached: accounts, databases, permissions,
backup policy, public endpoint.

An instance takes one change at a time. Everything here that is made in parallel on the
same instance waits until the instance is running and tries again when another change
came first.
"""
