"""Letters for indices: by role, and never one that a symbol, a size or a state has."""

from __future__ import annotations

from collections.abc import Collection, Iterable

TOKENS = ("N", "n", "T", "t", "m")
"""Sizes that count tokens, examples or steps in time."""
REPEATS = ("L", "K", "l", "s")
"""Sizes that count layers or steps of descent."""
POOLS = {
    "token": ("t", "i", "j", "s", "r", "p", "q"),
    "bound token": ("i", "j", "s", "r", "p", "q", "t"),
    "repeat": ("l", "k", "n", "h"),
    "feature": ("a", "b", "c", "d", "e", "g", "h", "u", "v"),
}


def role(sizes: Iterable[str]) -> str:
    """What an index counts, by the sizes that its range speaks of."""
    names = set(sizes)
    if names & set(TOKENS[:4]):
        return "token"
    return "repeat" if names & set(REPEATS[:2]) else "feature"


def letter(role: str, bound: bool, taken: Collection[str]) -> str:
    """The first letter of the role that is not taken; with primes where all are."""
    pool = POOLS.get(f"bound {role}" if bound else role) or POOLS[role]
    prime = ""
    while True:
        for one in pool:
            if one + prime not in taken:
                return one + prime
        prime += "′"
