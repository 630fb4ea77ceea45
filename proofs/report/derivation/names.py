"""Names on paper: letters for indices, by what they count, and for states those that the definitions give them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterable
from typing import Any

from ...search.session import Proving

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
        wanted = _own_name(session, name) or next((s for s in SPARE if s not in used), SPARE[0])
        while wanted in used:
            wanted += "′"
        used.add(wanted)
        found[name] = wanted
    return found


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
