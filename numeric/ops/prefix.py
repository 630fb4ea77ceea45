"""The exclusive prefix of summaries over the devices of a mesh axis: what all shards before this one do to a state.

`constructs.forms.prefix` says what a summary is and how two are composed. Traffic does not depend on the number of
tokens. Up to `GATHERED` devices every device fetches all summaries and composes those before its own; beyond that,
⌈log₂ n⌉ + 1 exchanges with one neighbour each (Hillis and Steele 1986) bring no device more than it needs.
"""

from __future__ import annotations

import functools
from typing import Any

from scanproof.constructs.forms import prefix
from scanproof.constructs.forms.prefix import Summary

from ..jax_backend import jax

GATHERED = 8


def exclusive(own: Summary, axis: str, devices: int, gathered: int = GATHERED) -> Summary:
    """The composed summaries of the devices before this one, for use inside `shard_map`.

    Args:
        own: this device's, with a decay that broadcasts with its state.
        axis: the mesh axis along which the shards lie in order.
        devices: its length.
        gathered: the number of devices up to which all summaries are fetched at once.
    """
    return (_by_gathering if devices <= gathered else _by_exchanges)(own, axis, devices)


def _by_gathering(own: Summary, axis: str, devices: int) -> Summary:
    j = jax("sharded")
    every = j.tree.map(lambda leaf: j.lax.all_gather(leaf, axis), own)
    before = of_all(own, every)
    return j.tree.map(lambda leaf: leaf[j.lax.axis_index(axis)], before)


def of_all(like: Summary, every: Summary) -> Summary:
    """For each of n summaries (n, …) what those before it compose to; `like` is one of them."""
    j = jax("sharded")
    step = functools.partial(prefix.exclusive_step, None)
    return j.lax.scan(step, _nothing(j, like), every)[1]


def _by_exchanges(own: Summary, axis: str, devices: int) -> Summary:
    j = jax("sharded")
    place = j.lax.axis_index(axis)

    def from_before(summary: Summary, distance: int) -> Summary:
        """That of the device `distance` places before, or nothing if there is none."""
        route = [(source, source + distance) for source in range(devices - distance)]
        got = j.tree.map(lambda leaf: j.lax.ppermute(leaf, axis, route), summary)
        choose = functools.partial(j.numpy.where, place >= distance)
        return j.tree.map(choose, got, _nothing(j, summary))

    distance = 1
    total = own
    while distance < devices:  # total covers the last `distance` shards up to this one
        total = prefix.compose(from_before(total, distance), total)
        distance *= 2
    return from_before(total, 1)


def _nothing(j: Any, like: Summary) -> Summary:
    """The summary of no tokens; made of `like`, so that it varies over the same devices."""
    return Summary(j.numpy.ones_like(like.decay), j.numpy.zeros_like(like.state))
