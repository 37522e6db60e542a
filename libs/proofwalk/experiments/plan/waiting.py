"""How many servers keep waiting short: the Erlang C formula of a queue with Poisson
arrivals and c equal servers (M/M/c).

Documents come in bursts and episodes differ in length, which exponential times describe
on the safe side: walks bounded by a budget vary less. Source: A. K. Erlang 1917; the
recursion of B and its relation to C are those of any textbook on queues.
"""

from __future__ import annotations

from math import exp


def chance_of_waiting(servers: int, load: float) -> float:
    """Erlang C: the share of arrivals that find every server busy. `load` is arrivals a
    second times seconds held; 1 when it is `servers` or more."""
    if load <= 0:
        return 0.0
    if load >= servers:
        return 1.0
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = _with_one_more(blocked, count, load)
    return _waiting(blocked, servers, load)


def servers_for(load: float, *, held_s: float, wait_s: float, share: float) -> int:
    """The fewest servers at which at most `share` of the arrivals wait longer than
    `wait_s`. `held_s`: seconds that one is held, on average.

    P(wait > t) = C(c, a) · e^(−(c − a) t / s).
    """
    if load <= 0:
        return 0
    blocked, servers = 1.0, 0
    while True:
        servers += 1
        blocked = _with_one_more(blocked, servers, load)
        if (
            servers > load
            and _waiting(blocked, servers, load) * exp(-(servers - load) * wait_s / held_s) <= share
        ):
            return servers


def _with_one_more(blocked: float, servers: int, load: float) -> float:
    """Erlang B of so many servers, from that of one fewer."""
    return load * blocked / (servers + load * blocked)


def _waiting(blocked: float, servers: int, load: float) -> float:
    return servers * blocked / (servers - load * (1 - blocked))
