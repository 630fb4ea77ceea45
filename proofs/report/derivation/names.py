"""Names on paper: letters for indices, by what they count, and for states those that the definitions give them."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Collection, Iterable
from typing import Any

from ...language.claim import Claim
from ...search.session import Proving
from ..words import symbol

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


# States.

SPARE = ("S", "R", "U", "V", "G", "P")
PRIMES = 2
"""A state that is called as others are gets at most so many primes; then another letter."""
STATE = re.compile(r"^\s*state: (\([^)]*\)|[^\s,.]+)", re.M)
SUBSCRIPT = re.compile(r"_(\{[^}]*\}|\w)")
LETTER = re.compile(r"[^\W\d_][\u0300-\u036f]?")


def named(session: Proving, taken: Collection[str]) -> dict[str, str]:
    """A name for every state that is not a product."""
    found: dict[str, str] = {}
    used = set(taken)
    for name in session.recursions:
        if session.is_product(name):
            continue
        own = _own_name(session, name)
        primed = [f"{own}{'′' * k}" for k in range(PRIMES + 1)] if own else []
        wanted = next((one for one in primed if one not in used), None) or _spare(used)
        used.add(wanted)
        found[name] = wanted
    return found


def _spare(used: Collection[str]) -> str:
    """The first letter for a state that is not used, with as few primes as that takes."""
    primed = (s + "′" * k for k in itertools.count() for s in SPARE)
    return next(one for one in primed if one not in used)


def step_of(session: Proving, name: str) -> Any | None:
    """The function whose repetition the state's recursion is, if the interpretation noted it."""
    origin = getattr(session, "origins", {}).get(name)
    return None if origin is None else inspect.unwrap(origin)


def _own_name(session: Proving, name: str) -> str | None:
    step = step_of(session, name)
    if step is None:
        return None
    _, which = session.recursions[name]
    said = STATE.search(inspect.getdoc(step) or "")
    parameters = list(inspect.signature(step).parameters)
    if said is not None:
        names = [SUBSCRIPT.sub("", part).strip() for part in said[1].strip("()").split(",")]
    else:  # a step that is repeated takes the state alone
        names = parameters if len(parameters) == 1 else []
    one = names[which] if which < len(names) else ""
    return one if LETTER.fullmatch(one) else None


# Sizes and shapes.


def said_sizes(claim: Claim) -> str:
    """The sizes that a claim is about: "N ≥ 1, f ≥ 1"."""
    return ", ".join(f"{symbol(name)} ≥ {min(values)}" for name, values in claim.ranges.items())


def said_shape(text: str) -> str:
    """A shape as it is read: N+1 f is (N + 1) × f."""
    parts = [part.replace("+", " + ").replace("-", " − ") for part in text.split()]
    return (
        " × ".join(f"({part})" if " " in part and len(parts) > 1 else part for part in parts)
        or "a number"
    )
